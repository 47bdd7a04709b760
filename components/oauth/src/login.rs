//! Logging in with a password, which only people do: so it is slow to guess, and there are few guesses.

use shared::auth::password;
use shared::ids::{AccountId, UserId};
use shared::{Context, Result};

use crate::store::logins;

/// So many wrong passwords of one login are looked at …
const MOST_FAILURES: i64 = 10;
/// … in so many seconds.
pub(crate) const WINDOW: i64 = 900;
/// Longer than any login there is.
const LONGEST_LOGIN: usize = 255;
/// A hash of no password, at the price of a real one: how long we take does not tell which logins there are.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bGVjdGVybi1sZWN0ZXJu$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(crate) enum Outcome {
    User(UserId),
    Wrong,
    TooMany,
}

/// Whose login and password these are.
pub(crate) async fn check(cx: &Context, tenant: AccountId, name: &str, given: &str) -> Result<Outcome> {
    if name.is_empty() || name.chars().count() > LONGEST_LOGIN {
        return Ok(Outcome::Wrong);
    }
    let since = cx.now.plus_seconds(-WINDOW);
    let Some(attempt) = logins::begin(&cx.db, tenant, name, MOST_FAILURES, since, cx.now).await? else {
        return Ok(Outcome::TooMany);
    };
    let login = logins::login(&cx.db, tenant, name).await?;
    let hash = login.as_ref().and_then(|login| login.password_hash.as_deref()).unwrap_or(NOBODY);
    let right = password::verify(given, hash);
    match login.filter(|_| right) {
        Some(login) => {
            logins::succeed(&cx.db, attempt).await?;
            Ok(Outcome::User(login.user_id))
        }
        None => Ok(Outcome::Wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_nobody_costs_what_a_real_one_costs_and_fits_no_password() {
        let cost = |hash: &str| hash.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cost(NOBODY), cost(&password::hash("x").unwrap()));
        assert!(!password::verify("", NOBODY));
    }
}
