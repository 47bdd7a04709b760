//! Keys that sign credentials: of each tenant one for each algorithm, and those before it, which still verify.

use serde::Deserialize;
use shared::ids::AccountId;
use shared::needs::{Lookup, MatchedPath};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp, db};

use crate::model::credential_form::Algorithm;

#[derive(Deserialize)]
pub(crate) struct KeyRow {
    pub(crate) id: i64,
    pub(crate) algorithm: Algorithm,
    pub(crate) thumbprint: String,
    pub(crate) public_key: String,
    pub(crate) sealed_seed: String,
    /// The uuid of the tenant's account; null of a key that was made for all tenants.
    pub(crate) account: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) retired_at: Option<Timestamp>,
    pub(crate) withdrawn_at: Option<Timestamp>,
}

/// The lists of keys have no pages.
const MAX_LISTED: i64 = 5000;

const KEYS: &str =
    "SELECT b.id, b.algorithm, b.thumbprint, b.public_key, b.sealed_seed, a.uuid AS account, b.created_at, b.retired_at,
            b.withdrawn_at
     FROM badge_signing_keys b LEFT JOIN accounts a ON a.id = b.root_account_id";

/// The key that signs for the tenant by that algorithm.
pub(crate) async fn current(db: &Db, tenant: AccountId, algorithm: Algorithm) -> db::Result<Option<KeyRow>> {
    db.fetch(&signing_for("?1", "?2"), (tenant, algorithm)).await
}

/// The statement that finds the key which signs for a tenant by an algorithm: both are values or columns.
pub(crate) fn signing_for(tenant: &str, algorithm: &str) -> String {
    format!("{KEYS} WHERE b.root_account_id = {tenant} AND b.algorithm = {algorithm} AND b.retired_at IS NULL")
}

/// All that verify, the newest first.
pub(crate) async fn published(db: &Db) -> db::Result<Vec<KeyRow>> {
    db.fetch_all(&format!("{KEYS} WHERE b.withdrawn_at IS NULL ORDER BY b.id DESC LIMIT ?1"), (MAX_LISTED,)).await
}

/// All that verify what an account signs, the newest first.
pub(crate) async fn published_of(db: &Db, account: &str) -> db::Result<Vec<KeyRow>> {
    let sql = format!(
        "{KEYS} WHERE b.withdrawn_at IS NULL AND (a.uuid = ?1 OR b.root_account_id IS NULL) ORDER BY b.id DESC LIMIT ?2"
    );
    db.fetch_all(&sql, (account, MAX_LISTED)).await
}

/// All that verify what a tenant signs, the newest first.
pub(crate) async fn published_for(db: &Db, tenant: AccountId) -> db::Result<Vec<KeyRow>> {
    let sql = format!(
        "{KEYS} WHERE b.withdrawn_at IS NULL AND (b.root_account_id = ?1 OR b.root_account_id IS NULL)
         ORDER BY b.id DESC LIMIT ?2"
    );
    db.fetch_all(&sql, (tenant, MAX_LISTED)).await
}

/// One that verifies.
pub(crate) async fn find(db: &Db, thumbprint: &str) -> db::Result<Option<KeyRow>> {
    db.fetch(&format!("{KEYS} WHERE b.thumbprint = ?1 AND b.withdrawn_at IS NULL"), (thumbprint,)).await
}

/// All of the caller's tenant, and those that were made for all tenants, the newest first.
pub(crate) struct KeysOfTenant;

impl List for KeysOfTenant {
    type Row = KeyRow;
    const PAGES: Pages = Pages::Whole;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "{KEYS} WHERE b.root_account_id = caller.root_account_id OR b.root_account_id IS NULL
             ORDER BY b.id DESC LIMIT ?1"
        );
        Ok(Lookup::new(sql, (MAX_LISTED,)))
    }
}

/// A key that is about to sign.
pub(crate) struct NewKey<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) thumbprint: &'a str,
    pub(crate) public_key: &'a str,
    pub(crate) sealed_seed: &'a str,
}

pub(crate) async fn insert(db: &Db, tenant: AccountId, new: &NewKey<'_>, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_signing_keys (root_account_id, algorithm, thumbprint, public_key, sealed_seed, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (tenant, new.algorithm, new.thumbprint, new.public_key, new.sealed_seed, now),
    )
    .await
}

/// Lets the tenant's key of that algorithm sign no more.
pub(crate) async fn retire(db: &Db, tenant: AccountId, algorithm: Algorithm, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE badge_signing_keys SET retired_at = ?3
         WHERE root_account_id = ?1 AND algorithm = ?2 AND retired_at IS NULL",
        (tenant, algorithm, now),
    )
    .await
}

/// Takes a key of the tenant back, so that what it has signed verifies no more. One that was made for all tenants only the
/// administrator of the site takes back.
pub(crate) async fn withdraw(
    db: &Db,
    tenant: AccountId,
    is_site_admin: bool,
    thumbprint: &str,
    now: Timestamp,
) -> db::Result<bool> {
    db.affects(
        "UPDATE badge_signing_keys SET withdrawn_at = ifnull(withdrawn_at, ?4), retired_at = ifnull(retired_at, ?4)
         WHERE thumbprint = ?3 AND (root_account_id = ?1 OR (?2 AND root_account_id IS NULL)) RETURNING id",
        (tenant, is_site_admin, thumbprint, now),
    )
    .await
}

/// Keys that another secret has sealed than the one whose seals begin so.
pub(crate) async fn sealed_otherwise(db: &Db, prefix: &str) -> db::Result<Vec<KeyRow>> {
    let sql = format!("{KEYS} WHERE substr(b.sealed_seed, 1, length(?1)) <> ?1 AND b.sealed_seed <> '' LIMIT ?2");
    db.fetch_all(&sql, (prefix, MAX_LISTED)).await
}

/// Keeps a new seal, unless somebody else was faster.
pub(crate) async fn seal_anew(db: &Db, id: i64, before: &str, sealed: &str) -> db::Result<()> {
    db.execute(
        "UPDATE badge_signing_keys SET sealed_seed = ?3 WHERE id = ?1 AND sealed_seed = ?2",
        (id, before, sealed),
    )
    .await
}
