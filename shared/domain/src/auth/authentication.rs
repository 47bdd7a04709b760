//! The caller: the user of a valid token, or the one whom an administrator acts as.
//!
//! See "Tokens" in `docs/contract/README.md`.

use std::time::Duration;

use database::{Binds, Db};
use serde::Deserialize;
use types::clock::{MINUTE, Timestamp};
use types::coerce;
use types::ids::{AccountId, IdOrAlias, TokenId, UserId};
use web::after_response::{after_response, unless_busy};
use web::error::{Error, Kind, Result, TokenProblem};
use web::params::Params;
use web::reads::ReadColumns;
use web::session::PageSession;
use web::{Authentication, Caller, Context, Demand, Holder};

use super::jwt::KeyVersion;
use super::{account, audit, jwt, session, user};

/// The time of a token's last use is written no more often than this.
const USE_IS_NOTED_EVERY: i64 = 10 * MINUTE;

#[derive(Deserialize)]
struct Row {
    user_id: UserId,
    name: String,
    locale: Option<String>,
    root_account_id: AccountId,
    site_admin: bool,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    needed: Option<String>,
    prefetched: Option<String>,
}

/// The tokens of this service.
pub struct Tokens;

impl Authentication for Tokens {
    /// Judges the token with the errors of clients that exist, in the order that they know.
    async fn holder(cx: &Context, token: &str, demand: &Demand<'_>) -> Result<Holder> {
        judge(cx, token, demand).await
    }

    async fn signed_in(cx: &Context, session: &PageSession, demand: &Demand<'_>) -> Result<Option<Holder>> {
        let found = find(cx, session.id, &session.user.to_string(), KeyVersion::OfPages, demand).await?;
        let Some((row, columns)) = found else { return Ok(None) };
        let is_over = row.revoked_at.is_some()
            || row.expires_at.is_none_or(|end| end <= cx.now)
            || row.last_used_at.is_none_or(|last| last.plus_seconds(session::IDLE) <= cx.now);
        Ok((!is_over).then(|| row.used(cx, session.id, None, columns)))
    }

    async fn masked(
        cx: &Context,
        holder: Holder,
        params: &Params,
        demand: &Demand<'_>,
        is_stale: bool,
    ) -> Result<Holder> {
        let caller = match masqueraded(params) {
            Some(other) => act_as(cx, holder.caller, &other).await?,
            None if is_stale => holder.caller,
            None => return Ok(holder),
        };
        let results = match demand.reads {
            Some((reads, path)) => reads.fetch(&cx.db, &caller, path).await?,
            None => holder.results,
        };
        Ok(Holder { caller, results })
    }
}

/// Whom the token stands for, if it has the scope, or whom that one acts as.
pub async fn of_token(cx: &Context, token: &str, scope: Option<&str>, params: &Params) -> Result<Caller> {
    let demand = Demand { scope: scope.map(str::to_owned), area_scopes: &[], reads: None };
    let holder = judge(cx, token, &demand).await?.caller;
    match masqueraded(params) {
        Some(other) => act_as(cx, holder, &other).await,
        None => Ok(holder),
    }
}

/// Whom the token stands for, if it has the scope or one of the area's.
async fn judge(cx: &Context, token: &str, demand: &Demand<'_>) -> Result<Holder> {
    let invalid = || Error::token(TokenProblem::Invalid);
    let verified = jwt::verify(token).await?.ok_or_else(invalid)?;
    let claims = &verified.claims;
    let id = claims.jti.parse().map(TokenId).map_err(|_not_ours| invalid())?;
    let (row, columns) = find(cx, id, &claims.sub, verified.version, demand).await?.ok_or_else(invalid)?;
    if row.revoked_at.is_some() {
        return Err(Error::token(TokenProblem::Revoked));
    }
    let ends = [claims.exp.map(|end| Timestamp::from_unix(end).unwrap_or(cx.now)), row.expires_at];
    if let Some(end) = ends.into_iter().flatten().min().filter(|end| *end <= cx.now) {
        return Err(Error::token(TokenProblem::Expired(end)));
    }
    if let (Some(scopes), Some(needed)) = (&claims.scopes, &demand.scope)
        && !scopes.iter().any(|scope| demand.area_scopes.contains(&scope.as_str()) || covers(scope, needed))
    {
        return Err(Error::insufficient_scope());
    }
    Ok(row.used(cx, id, Some(id), columns))
}

/// The row of a token or of a session, with what the endpoint needs.
async fn find(
    cx: &Context,
    id: TokenId,
    user: &str,
    version: KeyVersion,
    demand: &Demand<'_>,
) -> Result<Option<(Row, ReadColumns)>> {
    let mut values = (id, user, version.number()).values();
    let columns = match demand.reads {
        Some((reads, path)) => reads.columns(path, &mut values)?,
        None => ReadColumns::default(),
    };
    let row: Option<Row> = cx.db.fetch(&columns.statement(HOLDER), values).await?;
    Ok(row.map(|row| (row, columns)))
}

impl Row {
    /// The holder, whose use of the row is noted now and then. `token` is what the caller shows on.
    fn used(self, cx: &Context, id: TokenId, token: Option<TokenId>, columns: ReadColumns) -> Holder {
        if self.last_used_at.is_none_or(|last| last.plus_seconds(USE_IS_NOTED_EVERY) <= cx.now) {
            note_use(cx, id);
        }
        let caller = Caller {
            user: self.user_id,
            name: self.name,
            locale: self.locale,
            root_account: self.root_account_id,
            site_admin: self.site_admin,
            token,
            real_user: None,
        };
        Holder { caller, results: columns.results(self.needed, self.prefetched) }
    }
}

/// Notes after the response that the token was used: whoever only reads shall not wait for those who write.
fn note_use(cx: &Context, token: TokenId) {
    let (db, now) = (cx.db.clone(), cx.now);
    after_response(async move {
        let sql = "UPDATE access_tokens SET last_used_at = ?2 WHERE id = ?1 AND ifnull(last_used_at, '') <= ?3";
        unless_busy(
            db.waiting_at_most(Duration::ZERO).execute(sql, (token, now, now.plus_seconds(-USE_IS_NOTED_EVERY))).await,
        )
    });
}

/// The holder of the token or session `?1` that is made out to `?2` with the key `?3`.
const HOLDER: &str = concat!(
    "AS (
    SELECT u.id AS user_id, u.name, u.locale, u.root_account_id, u.site_admin, t.id AS token_id, t.expires_at, t.revoked_at,
        t.last_used_at
    FROM access_tokens t
    JOIN users u ON u.id = t.user_id
    JOIN accounts a ON a.id = u.root_account_id
    LEFT JOIN developer_keys k ON k.id = t.developer_key_id
    LEFT JOIN accounts o ON o.id = k.account_id
    LEFT JOIN developer_keys m ON m.id = t.made_through_key_id
    LEFT JOIN accounts mo ON mo.id = m.account_id
    WHERE t.id = ?1 AND CAST(u.id AS TEXT) = ?2
      AND a.workflow_state = 'active' AND ",
    crate::may_come_in!("u"),
    "
      AND ifnull(k.workflow_state, 'active') = 'active' AND ifnull(o.workflow_state, 'active') = 'active'
      AND ifnull(m.workflow_state, 'active') = 'active' AND ifnull(mo.workflow_state, 'active') = 'active'
      AND t.key_version = ?3
)"
);

/// True if a token's scope is good for an endpoint's: whatever they call the parameters of the path, with `*rest` for the
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

fn masqueraded(params: &Params) -> Option<IdOrAlias<UserId>> {
    let value = params.get("as_user_id")?;
    let blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    // A text that is no id names nobody, and is refused as such.
    (!blank).then(|| coerce::from_value(value.clone()).unwrap_or(IdOrAlias::Other(String::new(), String::new())))
}

/// The caller as another user, which is noted.
async fn act_as(cx: &Context, caller: Caller, other: &IdOrAlias<UserId>) -> Result<Caller> {
    let acting = acting_as(&cx.db, caller, other).await?;
    if acting.real_user.is_some() {
        audit::note_masquerade(cx, &acting).await?;
    }
    Ok(acting)
}

/// An administrator of the account may act as its users, but only one with the same rights as an administrator.
async fn acting_as(db: &Db, caller: Caller, other: &IdOrAlias<UserId>) -> Result<Caller> {
    let refused = |error: Error| match error.kind() {
        Kind::NotFound => Error::invalid_masquerade(),
        _ => error,
    };
    let target = user(db, &caller, other).await.map_err(refused)?;
    if target.id == caller.user {
        return Ok(caller);
    }
    let root = account(db, &caller, &IdOrAlias::Id(target.root_account)).await.map_err(refused)?;
    if !root.admin || (target.site_admin && !caller.site_admin) {
        return Err(Error::invalid_masquerade());
    }
    Ok(Caller {
        user: target.id,
        name: target.name,
        locale: caller.locale,
        root_account: target.root_account,
        site_admin: target.site_admin,
        token: caller.token,
        real_user: Some(caller.user),
    })
}

/// The caller on a page that stands open for a user, or for an administrator who acts as that user. `None`: one of them is
/// gone, or the user may not be acted as any more.
pub async fn of_page(db: &Db, user: UserId, real_user: Option<UserId>) -> Result<Option<Caller>> {
    let Some(caller) = holder_of_page(db, real_user.unwrap_or(user)).await? else { return Ok(None) };
    if real_user.is_none() {
        return Ok(Some(caller));
    }
    match acting_as(db, caller, &IdOrAlias::Id(user)).await {
        Ok(caller) => Ok(Some(caller)),
        Err(error) if matches!(error.kind(), Kind::InvalidMasquerade) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn holder_of_page(db: &Db, user: UserId) -> Result<Option<Caller>> {
    #[derive(Deserialize)]
    struct UserRow {
        name: String,
        locale: Option<String>,
        root_account_id: AccountId,
        site_admin: bool,
    }
    let row: Option<UserRow> = db
        .fetch(
            concat!(
                "SELECT u.name, u.locale, u.root_account_id, u.site_admin
                 FROM users u JOIN accounts a ON a.id = u.root_account_id
                 WHERE u.id = ?1 AND a.workflow_state = 'active' AND ",
                crate::may_come_in!("u")
            ),
            (user,),
        )
        .await?;
    Ok(row.map(|UserRow { name, locale, root_account_id, site_admin }| Caller {
        user,
        name,
        locale,
        root_account: root_account_id,
        site_admin,
        token: None,
        real_user: None,
    }))
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
