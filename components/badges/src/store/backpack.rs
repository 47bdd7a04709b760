//! The backpack of earners: awards of ours to one of their verified addresses, and awards of others that they imported.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{self, Binds, Json};
use shared::ids::{AccountId, AssertionId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::{Db, Result, Timestamp};

use crate::model::entity::Moment;
use crate::model::imports::ImportRow;
use crate::store::assertions::{self, AssertionRow, RELATED};

/// An entry of a backpack: an award of ours, or an import.
#[derive(Deserialize)]
pub(crate) struct KeptRow {
    own: Option<Json<AssertionRow>>,
    import: Option<Json<ImportRow>>,
}

/// The awards and imports that a list of the backpack has beside those that are good.
pub(crate) struct BackpackFilter {
    pub(crate) expired: bool,
    pub(crate) revoked: bool,
    pub(crate) pending: bool,
}

/// An import `m` waits for its user to confirm the address to which it was awarded.
pub(crate) const PENDING: &str = "(m.pending AND NOT EXISTS (
               SELECT 1 FROM communication_channels
               WHERE user_id = m.user_id AND type = 'email' AND workflow_state = 'active' AND lower(address) = m.recipient_identity))";

/// The same, as one of the two.
pub(crate) enum BackpackEntry {
    Own(AssertionRow),
    Import(ImportRow),
}

impl KeptRow {
    pub(crate) fn entry(self) -> Option<BackpackEntry> {
        let own = self.own.map(|Json(own)| BackpackEntry::Own(own));
        own.or(self.import.map(|Json(import)| BackpackEntry::Import(import)))
    }
}

/// The condition of awards to a user of a tenant that the user has not turned down. Other tenants have no say in whose address
/// is whose.
fn is_own(user: &str, tenant: &str) -> String {
    format!(
        "i.root_account_id = {tenant} AND a.acceptance <> 'Rejected' AND a.recipient_type = 'email'
           AND a.recipient_identity IN (
               SELECT lower(address) FROM communication_channels
               WHERE user_id = {user} AND type = 'email' AND workflow_state = 'active')"
    )
}

/// The columns of a [`KeptRow`]: the award and the import for which these conditions hold, of those that the user keeps.
fn columns(user: &str, tenant: &str, award: &str, import: &str) -> Result<String> {
    let is_own = is_own(user, tenant);
    let own = nested::<AssertionRow>(&format!(
        "SELECT {}, NULL AS role FROM badge_assertions a {RELATED} WHERE {is_own} AND {award}",
        assertions::columns()
    ))?;
    let import = nested::<ImportRow>(&format!("{} WHERE m.user_id = {user} AND {import}", imports()))?;
    Ok(format!("{own} AS own, {import} AS import"))
}

/// The entry of that entity id in the caller's backpack.
pub(crate) fn lookup(entity_id: &str) -> Result<Lookup> {
    let columns = columns("caller.user_id", "caller.root_account_id", "a.entity_id = ?1", "m.entity_id = ?1")?;
    // With a limit SQLite makes the entry once, instead of once for each time that it is mentioned.
    let sql = format!("SELECT * FROM (SELECT {columns} LIMIT 1) WHERE own IS NOT NULL OR import IS NOT NULL");
    Ok(Lookup::new(sql, (entity_id,)))
}

impl Record for KeptRow {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.id::<String>("assertions")?)
    }
}

/// The list of a backpack, as a window reads it.
pub(crate) struct KeptList {
    pub(crate) sql: String,
    /// The columns of a [`KeptRow`], for the rows of a part.
    pub(crate) columns: String,
    pub(crate) values: Vec<db::Value>,
}

/// A user's awards and imports, those that have ended or were revoked as the flags say. The end of an import stands in its
/// document.
pub(crate) fn listed(user: UserId, tenant: AccountId, filter: &BackpackFilter, now: Timestamp) -> Result<KeptList> {
    let is_own = is_own("?1", "?2");
    let sql = format!(
        "SELECT a.created_at, 2 * a.id AS id, a.id AS assertion_id, NULL AS import_id
         FROM badge_assertions a JOIN badge_issuers i ON i.id = a.issuer_id
         WHERE {is_own} AND (?3 OR a.expires IS NULL OR a.expires > ?5) AND (?4 OR a.revoked_at IS NULL)
         UNION ALL
         SELECT m.created_at, 2 * m.id + 1, NULL, m.id FROM badge_imports m WHERE m.user_id = ?1 AND (?6 OR NOT {PENDING})"
    );
    let columns = format!(", {}", columns("?1", "?2", "a.id = part.assertion_id", "m.id = part.import_id")?);
    let values = (user, tenant, filter.expired, filter.revoked, now, filter.pending).values();
    Ok(KeptList { sql, columns, values })
}

/// Accepts an award that the earner has neither accepted nor turned down; false where it is not so.
pub(crate) async fn accept(db: &Db, id: AssertionId, now: Timestamp) -> db::Result<bool> {
    db.affects(
        "UPDATE badge_assertions SET acceptance = 'Accepted', updated_at = ?2
         WHERE id = ?1 AND acceptance = 'Unaccepted' AND revoked_at IS NULL RETURNING id",
        (id, Moment(now)),
    )
    .await
}

/// Turns an award down.
pub(crate) async fn reject(db: &Db, id: AssertionId, now: Timestamp) -> db::Result<()> {
    db.execute("UPDATE badge_assertions SET acceptance = 'Rejected', updated_at = ?2 WHERE id = ?1", (id, Moment(now)))
        .await
}

/// Takes an award out of the user's collections.
pub(crate) async fn leave_collections(db: &Db, user: UserId, id: AssertionId) -> db::Result<()> {
    db.execute(
        "DELETE FROM badge_collection_entries WHERE assertion_id = ?2
         AND collection_id IN (SELECT id FROM badge_collections WHERE user_id = ?1)",
        (user, id),
    )
    .await
}

fn imports() -> String {
    format!(
        "SELECT m.id, m.entity_id, m.open_badge_id, m.recipient_type, m.recipient_identity, m.assertion, m.badge,
            m.issuer, m.image, m.acceptance, {PENDING} AS pending, m.created_at FROM badge_imports m"
    )
}

/// A user keeps so many imports at most.
pub(crate) const MAX_IMPORTS: i64 = 200;

/// True if the user may keep one import more.
pub(crate) async fn has_room(db: &Db, user: UserId) -> db::Result<bool> {
    let sql = "SELECT 1 WHERE (SELECT count(*) FROM badge_imports WHERE user_id = ?1) < ?2";
    db.affects(sql, (user, MAX_IMPORTS)).await
}

/// Any import that does not wait for its user's address, whoever keeps it.
pub(crate) async fn any_import(db: &Db, entity_id: &str) -> db::Result<Option<ImportRow>> {
    db.fetch(&format!("{} WHERE m.entity_id = ?1 AND NOT {PENDING}", imports()), (entity_id,)).await
}

/// Imports of these entity ids, whoever keeps them, in no order.
pub(crate) async fn any_imports(db: &Db, ids: &[String]) -> db::Result<Vec<ImportRow>> {
    let sql = format!("{} WHERE m.entity_id IN (SELECT value FROM json_each(?1))", imports());
    db.fetch_all(&sql, (Json(ids),)).await
}

/// An import that stands in a collection which is published.
pub(crate) async fn published_import(db: &Db, entity_id: &str) -> db::Result<Option<ImportRow>> {
    let sql = format!(
        "{} WHERE m.entity_id = ?1 AND EXISTS (
             SELECT 1 FROM badge_collection_entries e JOIN badge_collections g ON g.id = e.collection_id
             WHERE e.import_id = m.id AND g.share_hash IS NOT NULL)
           AND NOT {PENDING}",
        imports()
    );
    db.fetch(&sql, (entity_id,)).await
}

/// The image of an import, for whoever knows the entity id, which nobody can guess.
pub(crate) async fn image_of(db: &Db, entity_id: &str) -> db::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Row {
        image: Option<String>,
    }
    let row: Option<Row> = db.fetch("SELECT image FROM badge_imports WHERE entity_id = ?1", (entity_id,)).await?;
    Ok(row.and_then(|row| row.image))
}

/// An award of another service that is to be kept.
pub(crate) struct NewImport<'a> {
    pub(crate) entity_id: &'a str,
    pub(crate) open_badge_id: &'a str,
    pub(crate) recipient_type: &'a str,
    pub(crate) recipient_identity: &'a str,
    pub(crate) assertion: &'a Value,
    pub(crate) badge: &'a Value,
    pub(crate) issuer: &'a Value,
    pub(crate) image: Option<&'a str>,
    pub(crate) pending: bool,
}

pub(crate) async fn insert(db: &Db, user: UserId, new: &NewImport<'_>, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_imports
             (user_id, entity_id, open_badge_id, recipient_type, recipient_identity, assertion, badge, issuer, image, pending,
              created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        (
            user,
            new.entity_id,
            new.open_badge_id,
            new.recipient_type,
            new.recipient_identity,
            Json(new.assertion),
            Json(new.badge),
            Json(new.issuer),
            new.image,
            new.pending,
            Moment(now),
        ),
    )
    .await
}

pub(crate) async fn accept_import(db: &Db, id: i64) -> db::Result<()> {
    db.execute("UPDATE badge_imports SET acceptance = 'Accepted' WHERE id = ?1", (id,)).await
}

pub(crate) async fn delete_import(db: &Db, id: i64) -> db::Result<()> {
    db.execute("DELETE FROM badge_imports WHERE id = ?1", (id,)).await
}

/// An address of a user, in lower case.
#[derive(Deserialize)]
pub(crate) struct OwnAddress {
    pub(crate) address: String,
    pub(crate) verified: bool,
}

/// The addresses of a user, those that are verified first.
pub(crate) async fn own_addresses(db: &Db, user: UserId) -> db::Result<Vec<OwnAddress>> {
    db.fetch_all(
        "SELECT lower(address) AS address, workflow_state = 'active' AS verified FROM communication_channels
         WHERE user_id = ?1 AND type = 'email' AND workflow_state IN ('active', 'unconfirmed')
         ORDER BY workflow_state = 'active' DESC, position, id",
        (user,),
    )
    .await
}

/// The verified addresses of a user, in lower case.
pub(crate) async fn addresses(db: &Db, user: UserId) -> db::Result<Vec<String>> {
    let addresses = own_addresses(db, user).await?.into_iter();
    Ok(addresses.filter(|own| own.verified).map(|own| own.address).collect())
}
