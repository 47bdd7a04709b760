//! Logging in with a password, which only people do: so it is slow to guess, and there are few guesses.

use serde::Deserialize;

use super::password;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::db::{self, Db};
use crate::error::Result;
use crate::ids::{AccountId, UserId};

/// So many wrong passwords of one login are looked at …
const MOST_FAILURES: i64 = 10;
/// … in so many seconds.
pub const WINDOW: i64 = 900;
/// Longer than any login there is.
const LONGEST_LOGIN: usize = 255;
/// A hash of no password, at the price of a real one: how long we take does not tell which logins there are.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bGVjdGVybi1sZWN0ZXJu$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What became of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was the password of this user.
    User(UserId),
    /// There is no such login, or it has another password.
    Wrong,
    /// There were too many wrong ones; this one was not looked at.
    TooMany,
}

/// Whose login and password these are.
pub async fn check(cx: &Context, tenant: AccountId, name: &str, given: &str) -> Result<Outcome> {
    if name.is_empty() || name.chars().count() > LONGEST_LOGIN {
        return Ok(Outcome::Wrong);
    }
    let since = cx.now.plus_seconds(-WINDOW);
    let Some(attempt) = begin(&cx.db, tenant, name, MOST_FAILURES, since, cx.now).await? else {
        return Ok(Outcome::TooMany);
    };
    let login = find(&cx.db, tenant, name).await?;
    let hash = login.as_ref().and_then(|login| login.password_hash.as_deref()).unwrap_or(NOBODY);
    let right = password::verify(given, hash);
    match login.filter(|_| right) {
        Some(login) => {
            succeed(&cx.db, attempt).await?;
            Ok(Outcome::User(login.user_id))
        }
        None => Ok(Outcome::Wrong),
    }
}

/// A login of a tenant, whose user is there.
#[derive(Deserialize)]
struct Login {
    user_id: UserId,
    password_hash: Option<String>,
}

/// A try that counts as a failure until the password proves right.
#[derive(Deserialize)]
struct Try {
    id: i64,
}

async fn find(db: &Db, tenant: AccountId, name: &str) -> db::Result<Option<Login>> {
    db.fetch(
        "SELECT p.user_id, p.password_hash FROM pseudonyms p JOIN users u ON u.id = p.user_id
         WHERE p.root_account_id = ?1 AND p.unique_id = ?2 AND p.workflow_state = 'active'
           AND u.workflow_state <> 'deleted'",
        (tenant, name),
    )
    .await
}

/// Counts a try before its password is looked at, unless there were `most` failures since then: so many tries at the
/// same moment cannot be more than that either.
async fn begin(
    db: &Db,
    tenant: AccountId,
    name: &str,
    most: i64,
    since: Timestamp,
    now: Timestamp,
) -> db::Result<Option<Try>> {
    db.execute("DELETE FROM login_failures WHERE failed_at <= ?1", (since,)).await?;
    db.fetch(
        "INSERT INTO login_failures (root_account_id, unique_id, failed_at)
         SELECT ?1, ?2, ?5 WHERE (
             SELECT count(*) FROM login_failures WHERE root_account_id = ?1 AND unique_id = ?2 AND failed_at > ?4
         ) < ?3
         RETURNING id",
        (tenant, name, most, since, now),
    )
    .await
}

/// The password was right: the try was no failure.
async fn succeed(db: &Db, attempt: Try) -> db::Result<()> {
    db.execute("DELETE FROM login_failures WHERE id = ?1", (attempt.id,)).await
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
