//! Who may do what with an issuer: its staff, by three roles. Whoever has not the role is told that there is no such record.

use http::StatusCode;
use serde_json::Map;
use shared::error::OrNotFound;
use shared::ids::{AccountId, UserId};
use shared::{Context, Db, Error, Result};

use crate::model::error_format::error_body;
use crate::model::role::Role;
use crate::store::issuers::{self, IssuerRow};

/// Scopes of tokens, beside those of the paths.
pub(crate) const ISSUER: &[&str] = &["rw:issuer"];
pub(crate) const READ_ISSUER: &[&str] = &["r:issuer", "rw:issuer"];
pub(crate) const BACKPACK: &[&str] = &["rw:backpack"];
pub(crate) const READ_BACKPACK: &[&str] = &["r:backpack", "rw:backpack"];
pub(crate) const PROFILE: &[&str] = &["rw:profile"];
pub(crate) const READ_PROFILE: &[&str] = &["r:profile", "rw:profile"];
/// All of them.
pub(crate) const SCOPES: [&str; 6] = ["r:issuer", "rw:issuer", "r:backpack", "rw:backpack", "r:profile", "rw:profile"];

/// The issuer of that entity id, if the caller has at least that role in its staff.
pub(crate) async fn issuer(cx: &Context, id: &str, least: Role) -> Result<IssuerRow> {
    issuer_of(&cx.db, cx.caller()?.user, id, least).await
}

/// The same of a user, as part of a transaction: so that the role that is looked at is the one that holds when the
/// transaction writes.
pub(crate) async fn issuer_of(db: &Db, user: UserId, id: &str, least: Role) -> Result<IssuerRow> {
    let issuer = issuers::find(db, user, id).await?.or_not_found()?;
    issuer.role.must_be(least)?;
    Ok(issuer)
}

/// Refuses a user who may not make issuers: the tenant says who may.
pub(crate) async fn require_issuer_maker(db: &Db, user: UserId, tenant: AccountId) -> Result<()> {
    if issuers::may_insert(db, user, tenant).await? {
        return Ok(());
    }
    let reason = "Your institution does not let you make issuers.";
    let body = error_body("entity not found or insufficient privileges", Map::new(), vec![reason.into()]);
    Err(Error::own(StatusCode::NOT_FOUND, body))
}
