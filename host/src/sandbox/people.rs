//! Whom the sandbox knows: the administrators of institutions, users with their logins, and the tokens that were made for
//! them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::sandbox::clock::Clock;
use crate::sandbox::inside::{self, Inside, number, text};
use crate::sandbox::reply::Problem;

/// What tokens are for, as lists of tokens tell it.
const PURPOSE: &str = "sandbox";
/// The administrator of the first institution.
pub(super) const ADMIN: &str = "admin";
/// The most tokens that outlive a restoration; the oldest are left out.
const MAX_KEPT: usize = 10_000;

/// An institution, which is a root account.
#[derive(Debug, Clone)]
pub(super) struct Institution {
    /// `None` of the first one, which every database has.
    pub(super) name: Option<String>,
    pub(super) admin_token: String,
}

/// A user who has a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) login: String,
    /// The name of the institution.
    pub(super) account: Option<String>,
    pub(super) id: i64,
}

/// Whom the sandbox knows. What a snapshot keeps of it comes back with the snapshot.
#[derive(Debug, Clone, Default)]
pub(super) struct People {
    /// The first is always there.
    pub(super) institutions: Vec<Institution>,
    pub(super) accounts: BTreeMap<String, i64>,
    pub(super) persons: Vec<Person>,
}

impl People {
    /// The token of an institution's administrator.
    pub(super) fn admin_token(&self, account: Option<&str>) -> Option<&str> {
        let found = self.institutions.iter().find(|institution| institution.name.as_deref() == account);
        found.map(|institution| institution.admin_token.as_str())
    }
}

/// Tokens that were made, and whom the sandbox knows.
#[derive(Default)]
pub(super) struct Registry(Mutex<Known>);

#[derive(Default)]
struct Known {
    people: People,
    /// The last token that was made for a login and is good, by the login and the account's name.
    tokens: BTreeMap<String, Token>,
    /// The ids of all tokens that stay good over a restoration.
    kept: Vec<i64>,
    /// A token that has ended, and when, in seconds since 1970.
    expired: Option<(String, i64)>,
    /// The logins of users, as far as they were asked for.
    logins: BTreeMap<i64, Option<String>>,
}

#[derive(Clone)]
struct Token {
    id: i64,
    text: String,
}

/// A wish for a token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    login: String,
    account: Option<String>,
    #[serde(default)]
    expired: bool,
}

impl Registry {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn people(&self) -> People {
        self.known().people.clone()
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut People) -> T) -> T {
        change(&mut self.known().people)
    }

    /// The ids of the tokens that stay good over a restoration.
    pub(super) fn kept_tokens(&self) -> Vec<i64> {
        self.known().kept.clone()
    }

    /// After a restoration there are these people, and of the tokens that were made these.
    pub(super) fn restore(&self, people: People, kept: Vec<i64>) {
        let mut known = self.known();
        known.tokens.retain(|_, token| kept.contains(&token.id));
        known.people = people;
        known.kept = kept;
        known.expired = None;
        known.logins.clear();
    }

    /// The tokens that are good, by login.
    pub(super) fn tokens(&self) -> BTreeMap<String, String> {
        self.known().tokens.iter().map(|(login, token)| (login.clone(), token.text.clone())).collect()
    }

    /// The token of an institution's administrator; empty where there is no such institution.
    pub(super) fn admin_token(&self, account: Option<&str>) -> String {
        self.known().people.admin_token(account).unwrap_or_default().to_owned()
    }

    fn institutions(&self) -> Vec<Institution> {
        self.known().people.institutions.clone()
    }

    fn keep(&self, id: i64) {
        let mut known = self.known();
        known.kept.push(id);
        let too_many = known.kept.len().saturating_sub(MAX_KEPT);
        known.kept.drain(..too_many);
    }

    /// The institution's administrator becomes known by the credentials of its client. The token has no end.
    pub(super) async fn admit(
        &self,
        inside: &Inside,
        account: Option<(String, i64)>,
        client_id: &str,
        client_secret: &str,
    ) -> Result<(), Problem> {
        let form =
            json!({ "grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret });
        let answer = inside.post("/login/oauth2/token", "", &form).await?;
        let token = self.make(inside, &text(&answer, "access_token")?, "self", None).await?;
        let name = account.as_ref().map(|(name, _)| name.clone());
        let mut known = self.known();
        known.tokens.insert(shown_login(ADMIN, name.as_deref()), token.clone());
        known.people.accounts.extend(account);
        known.people.institutions.push(Institution { name, admin_token: token.text });
        Ok(())
    }

    /// Makes a token for a login.
    pub(super) async fn token(&self, inside: &Inside, clock: &Clock, wish: &Wish) -> Result<Value, Problem> {
        let (account, user) = self.find(inside, &wish.login, wish.account.as_deref()).await?;
        let login = shown_login(&wish.login, account.as_deref());
        let admin = self.admin_token(account.as_deref());
        let token = if wish.expired {
            self.make(inside, &admin, &user.to_string(), Some(clock)).await?.text
        } else {
            let known = self.known().tokens.get(&login).cloned();
            match known {
                Some(token) if is_good(inside, &token.text).await? => token.text,
                _ => {
                    let token = self.make(inside, &admin, &user.to_string(), None).await?;
                    self.known().tokens.insert(login, token.clone());
                    token.text
                }
            }
        };
        Ok(json!({ "login": wish.login, "token": token }))
    }

    /// A token of the administrator that has ended.
    pub(super) async fn expired_token(&self, inside: &Inside, clock: &Clock) -> Result<String, Problem> {
        // What has ended long ago may have been cleared up.
        let now = clock.moment().timestamp();
        let known = self.known().expired.clone();
        if let Some((token, _)) = known.filter(|(_, ended)| (1..3600).contains(&now.saturating_sub(*ended))) {
            return Ok(token);
        }
        let token = self.make(inside, &self.admin_token(None), "self", Some(clock)).await?.text;
        self.known().expired = Some((token.clone(), now.saturating_sub(1)));
        Ok(token)
    }

    /// Makes a token of a user, which has no end, or has ended by this clock.
    async fn make(&self, inside: &Inside, caller: &str, user: &str, ended: Option<&Clock>) -> Result<Token, Problem> {
        let mut form = json!({ "token": { "purpose": PURPOSE } });
        if let (Some(clock), Some(form)) = (ended, form.pointer_mut("/token").and_then(Value::as_object_mut)) {
            let end = clock.moment().checked_sub_signed(TimeDelta::minutes(1)).unwrap_or_default();
            form.insert("expires_at".to_owned(), json!(end.to_rfc3339()));
        }
        let made = inside.post(&format!("/api/v1/users/{user}/tokens"), caller, &form).await?;
        let token = Token { id: number(&made, "id")?, text: text(&made, "visible_token")? };
        self.keep(token.id);
        Ok(token)
    }

    /// The institution and the id of the user with that login.
    async fn find(
        &self,
        inside: &Inside,
        login: &str,
        account: Option<&str>,
    ) -> Result<(Option<String>, i64), Problem> {
        for institution in self.institutions() {
            if account.is_some() && account != institution.name.as_deref() {
                continue;
            }
            if let Some(id) = self.find_in(inside, login, institution.name.as_deref()).await? {
                return Ok((institution.name, id));
            }
        }
        Err(Problem::not_found(format!("nobody has the login {login}")).at("login"))
    }

    /// The id of the institution's user with that login.
    pub(super) async fn find_in(
        &self,
        inside: &Inside,
        login: &str,
        account: Option<&str>,
    ) -> Result<Option<i64>, Problem> {
        // There is no institution of that name yet.
        let token = self.admin_token(account);
        if token.is_empty() {
            return Ok(None);
        }
        let path = format!("/api/v1/users/sis_login_id:{}", in_path(login));
        let answered = inside.send(Method::GET, &path, &token, None).await?;
        match answered.status {
            StatusCode::OK => Ok(Some(number(&answered.json(), "id")?)),
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(inside::refused(&Method::GET, &path, &answered)),
        }
    }

    /// The login of a user, who may be in any institution; `None` where nobody knows one.
    pub(super) async fn login_of(&self, inside: &Inside, user: i64) -> Option<String> {
        if let Some(login) = self.known().logins.get(&user) {
            return login.clone();
        }
        let mut login = None;
        for institution in self.institutions() {
            let found = inside.get(&format!("/api/v1/users/{user}"), &institution.admin_token).await;
            login = found.ok().and_then(|user| text(&user, "login_id").ok());
            if login.is_some() {
                break;
            }
        }
        self.known().logins.insert(user, login.clone());
        login
    }
}

/// True if the application takes the token.
async fn is_good(inside: &Inside, token: &str) -> Result<bool, Problem> {
    Ok(inside.send(Method::GET, "/api/v1/users/self", token, None).await?.status.is_success())
}

/// A login as it stands among others of other institutions.
pub(super) fn shown_login(login: &str, account: Option<&str>) -> String {
    match account {
        Some(account) => format!("{login}@{account}"),
        None => login.to_owned(),
    }
}

/// A text as one segment of a path.
pub(super) fn in_path(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    let segment = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(segment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_one_segment_of_a_path() {
        assert_eq!(in_path("ada.l-1_~"), "ada.l-1_~");
        assert_eq!(in_path("a/b ä@x"), "a%2Fb%20%C3%A4%40x");
    }

    #[test]
    fn a_restoration_leaves_the_tokens_that_are_kept() {
        let registry = Registry::default();
        for (login, id) in [("ada", 1), ("bob", 2)] {
            let token = Token { id, text: format!("token {id}") };
            registry.known().tokens.insert(login.to_owned(), token);
            registry.keep(id);
        }
        registry.restore(People::default(), vec![2]);
        assert_eq!(registry.tokens().into_keys().collect::<Vec<_>>(), ["bob"]);
        assert_eq!(registry.kept_tokens(), [2]);
    }
}
