//! The caller: the user of a valid token, or the one whom an administrator acts as.
//!
//! Source: fact sheet on presenting a token, scopes and masquerading.

use http::header::AUTHORIZATION;
use serde::Deserialize;
use serde_json::Value;

use super::jwt::{self, Claims};
use super::{account, user};
use crate::api::{Access, Endpoint};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::db::{self, Db, Json};
use crate::error::{Error, Result, TokenProblem};
use crate::ids::{AccountId, ClientId, Named, TokenId, UserId};
use crate::params::{Params, lenient};

/// The time of a token's last use is written no more often than this.
const USE_IS_NOTED_EVERY: i64 = 600;

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user, or the one acted as.
    pub user: UserId,
    /// The user's name.
    pub name: String,
    /// The user's root account.
    pub root_account: AccountId,
    /// Whether the user administers the whole site, with all its tenants.
    pub site_admin: bool,
    /// The token.
    pub token: TokenId,
    /// Who really calls, where an administrator acts as somebody else.
    pub real_user: Option<UserId>,
}

impl Caller {
    /// The tenant to which every statement is limited, as `(?n IS NULL OR root_account_id = ?n)`: null for those who
    /// administer the whole site.
    pub fn tenant(&self) -> Option<AccountId> {
        (!self.site_admin).then_some(self.root_account)
    }
}

#[derive(Deserialize)]
struct Row {
    user_id: UserId,
    name: String,
    root_account_id: AccountId,
    site_admin: bool,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
}

/// Who calls the endpoint: the errors are those of the fact sheet, in its order.
pub(crate) async fn caller(cx: &Context, endpoint: &Endpoint, params: &Params) -> Result<Option<Caller>> {
    let Some(token) = presented(cx, params) else {
        return match endpoint.access {
            Access::Token => Err(Error::token(TokenProblem::Missing)),
            Access::TokenOptional | Access::Public => Ok(None),
        };
    };
    let needed = endpoint.scoped.then(|| endpoint.scope());
    of_token_with(cx, &token, needed.as_deref(), endpoint.area_scopes, params).await.map(Some)
}

/// Whom the token stands for, if it has the scope that is needed, or whom that one acts as.
pub async fn of_token(cx: &Context, token: &str, needed: Option<&str>, params: &Params) -> Result<Caller> {
    of_token_with(cx, token, needed, &[], params).await
}

/// The same, where one of `others` is as good as the scope that is needed.
async fn of_token_with(
    cx: &Context,
    token: &str,
    needed: Option<&str>,
    others: &[&str],
    params: &Params,
) -> Result<Caller> {
    let invalid = || Error::token(TokenProblem::Invalid);
    let claims = jwt::verify(token).await?.ok_or_else(invalid)?;
    let id = claims.jti.parse().map(TokenId).map_err(|_not_ours| invalid())?;
    let row = known(&cx.db, id, &claims).await?.ok_or_else(invalid)?;
    if row.revoked_at.is_some() {
        return Err(Error::token(TokenProblem::Revoked));
    }
    if let Some(end) = row.expires_at.filter(|end| *end <= cx.now) {
        return Err(Error::token(TokenProblem::Expired(end)));
    }
    if let (Some(scopes), Some(needed)) = (&claims.scopes, needed)
        && !scopes.iter().any(|scope| others.contains(&scope.as_str()) || covers(scope, needed))
    {
        return Err(Error::insufficient_scope());
    }
    if row.last_used_at.is_none_or(|last| last.plus_seconds(USE_IS_NOTED_EVERY) <= cx.now) {
        note_use(&cx.db, id, cx.now).await?;
    }
    let caller = Caller {
        user: row.user_id,
        name: row.name,
        root_account: row.root_account_id,
        site_admin: row.site_admin,
        token: id,
        real_user: None,
    };
    match masqueraded(params) {
        Some(other) => act_as(cx, caller, &other).await,
        None => Ok(caller),
    }
}

/// Notes when the token was used last. No request waits for that: where others are writing, the next one notes it.
async fn note_use(db: &Db, token: TokenId, now: Timestamp) -> Result<()> {
    let sql = "UPDATE access_tokens SET last_used_at = ?2 WHERE id = ?1";
    match db.without_waiting().execute(sql, (token, now)).await {
        Err(db::Error::Busy) => Ok(()),
        noted => Ok(noted?),
    }
}

/// The token of the header, or else of the query or body.
pub fn presented(cx: &Context, params: &Params) -> Option<String> {
    if let Some(header) = cx.parts().headers.get(AUTHORIZATION) {
        // A header that is no bearer token is a token we do not know, not the lack of one.
        let token = header.to_str().ok().and_then(|header| header.strip_prefix("Bearer "));
        return Some(token.unwrap_or_default().trim().to_owned());
    }
    let token = params.get("access_token")?.as_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}

async fn known(db: &Db, token: TokenId, claims: &Claims) -> Result<Option<Row>> {
    let row = db
        .fetch(
            "SELECT u.id AS user_id, u.name, u.root_account_id, u.site_admin, t.expires_at, t.revoked_at, t.last_used_at
             FROM access_tokens t
             JOIN users u ON u.id = t.user_id
             JOIN accounts a ON a.id = u.root_account_id
             LEFT JOIN developer_keys k ON k.id = t.developer_key_id
             LEFT JOIN accounts o ON o.id = k.account_id
             WHERE t.id = ?1 AND CAST(u.id AS TEXT) = ?2 AND u.workflow_state <> 'deleted' AND a.workflow_state = 'active'
               AND ifnull(k.workflow_state, 'active') = 'active' AND ifnull(o.workflow_state, 'active') = 'active'",
            (token, claims.sub.as_str()),
        )
        .await?;
    Ok(row)
}

/// Whether a token's scope is good for an endpoint's: whatever they call the parameters of the path, with `*rest` for the
/// rest of it, and without what stands in parentheses, as in `(.:format)`.
fn covers(granted: &str, needed: &str) -> bool {
    let granted = without_parentheses(granted);
    let mut granted = granted.trim_end_matches('/').split('/');
    let mut needed = needed.split('/');
    loop {
        match (granted.next(), needed.next()) {
            (None, None) => return true,
            (Some(rest), Some(_)) if rest.starts_with('*') => return true,
            (Some(one), Some(other)) if one == other || (one.starts_with(':') && other.starts_with(':')) => {}
            _ => return false,
        }
    }
}

fn without_parentheses(scope: &str) -> String {
    let mut depth = 0_u32;
    scope
        .chars()
        .filter(|c| {
            depth += u32::from(*c == '(');
            let outside = depth == 0;
            depth -= u32::from(*c == ')' && depth > 0);
            outside
        })
        .collect()
}

fn masqueraded(params: &Params) -> Option<Named<UserId>> {
    let value = params.get("as_user_id")?;
    let blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    // What is no id names nobody, and is refused as such.
    (!blank).then(|| lenient::from_value(value.clone()).unwrap_or(Named::Other(String::new(), String::new())))
}

/// An administrator of the account may act as its users, but only one with the same rights as an administrator.
async fn act_as(cx: &Context, caller: Caller, other: &Named<UserId>) -> Result<Caller> {
    let refused = |_error| Error::invalid_masquerade();
    let target = user(&cx.db, &caller, other).await.map_err(refused)?;
    if target.id == caller.user {
        return Ok(caller);
    }
    let root = account(&cx.db, &caller, &Named::Id(target.root_account)).await.map_err(refused)?;
    if !root.admin || (target.site_admin && !caller.site_admin) {
        return Err(Error::invalid_masquerade());
    }
    Ok(Caller {
        user: target.id,
        name: target.name,
        root_account: target.root_account,
        site_admin: target.site_admin,
        token: caller.token,
        real_user: Some(caller.user),
    })
}

/// What a new token is for.
#[derive(Debug, Clone, Default)]
pub struct NewToken {
    /// The client that asked for it.
    pub developer_key: Option<ClientId>,
    /// The refresh token that renews it.
    pub refresh_token: Option<i64>,
    /// What its user says it is for.
    pub purpose: Option<String>,
    /// What it may call; `None`: everything.
    pub scopes: Option<Vec<String>>,
    /// When it ends; `None`: when it is revoked.
    pub expires_at: Option<Timestamp>,
}

/// Makes a token for a user, and answers it with its id.
pub async fn issue(
    db: &Db,
    now: Timestamp,
    user: UserId,
    root_account: AccountId,
    token: NewToken,
) -> Result<(TokenId, String)> {
    #[derive(Deserialize)]
    struct Made {
        id: TokenId,
    }
    let scopes = token.scopes.clone().map(|scopes| Json(Value::from(scopes)));
    let made: Made = db
        .fetch_one(
            "INSERT INTO access_tokens
                 (root_account_id, user_id, developer_key_id, refresh_token_id, purpose, scopes, expires_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
            (
                root_account,
                user,
                token.developer_key,
                token.refresh_token,
                token.purpose,
                scopes,
                token.expires_at,
                now,
            ),
        )
        .await?;
    let claims = Claims {
        sub: user.to_string(),
        tenant: root_account.0,
        jti: made.id.to_string(),
        iat: now.unix(),
        exp: token.expires_at.map(Timestamp::unix),
        scopes: token.scopes,
    };
    Ok((made.id, jwt::sign(&claims).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_good_for_what_it_describes() {
        let course = "url:GET|/api/v1/courses/:id";
        for granted in [
            course,
            "url:GET|/api/v1/courses/:course_id",
            "url:GET|/api/v1/courses/:id/",
            "url:GET|/api/v1/courses/:id(.:format)",
            "url:GET|/api/v1/*path",
        ] {
            assert!(covers(granted, course), "{granted}");
        }
        for granted in [
            "url:PUT|/api/v1/courses/:id",
            "url:GET|/api/v1/courses/:id/quizzes",
            "url:GET|/api/v1/courses",
            "url:GET|/api/v1/courses/:id/*rest",
            "url:PUT|/api/v1/*path",
            "",
            "(",
        ] {
            assert!(!covers(granted, course), "{granted}");
        }
    }
}
