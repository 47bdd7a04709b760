//! The backpack of earners: awards of ours to one of their verified addresses, and awards of others that they imported.

use serde::Deserialize;
use shared::db::{self, Binds, Json};
use shared::ids::{AccountId, AssertionId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::{Db, Result, Timestamp};

use crate::model::entity::Moment;
use crate::model::imports::ImportRow;
use crate::model::public::PublicAssertion;
use crate::model::recipients::OwnAddress;
use crate::store::assertions::{AssertionRow, RELATED, columns};
use crate::store::imports::{PENDING, imports};
use crate::store::kept::{is_addressed, is_own};
use crate::store::public::assertions;

/// An entry of a backpack: an award of ours, or an import.
#[derive(Deserialize)]
pub(crate) struct KeptRow {
    own: Option<Json<AssertionRow>>,
    award: Option<Json<PublicAssertion>>,
    import: Option<Json<ImportRow>>,
}

/// The awards and imports that a list of the backpack has beside those that are good.
pub(crate) struct BackpackFilter {
    pub(crate) expired: bool,
    pub(crate) revoked: bool,
    pub(crate) pending: bool,
}

/// An entry, as one of the two.
pub(crate) enum BackpackEntry {
    /// With what its document says, where that was asked for.
    Own(AssertionRow, Option<Box<PublicAssertion>>),
    Import(ImportRow),
}

/// What is read of awards of ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Record,
    /// What the documents of the award, its class and its issuer say, too.
    WithDocuments,
}

impl KeptRow {
    pub(crate) fn entry(self) -> Option<BackpackEntry> {
        let award = self.award.map(|Json(award)| Box::new(award));
        let own = self.own.map(|Json(own)| BackpackEntry::Own(own, award));
        own.or(self.import.map(|Json(import)| BackpackEntry::Import(import)))
    }
}

/// The columns of a [`KeptRow`]: the award and the import for which these conditions hold, of those that the user keeps.
fn kept((user, tenant): (&str, &str), award: &str, import: &str, extent: Extent) -> Result<String> {
    let is_kept = format!("{} AND {award}", is_own(user, tenant));
    let own = format!("SELECT {}, NULL AS role FROM badge_assertions a {RELATED} WHERE {is_kept}", columns());
    let own = nested::<AssertionRow>(&own)?;
    let award = match extent {
        Extent::Record => "NULL".to_owned(),
        Extent::WithDocuments => nested::<PublicAssertion>(&format!("{} WHERE {is_kept}", assertions()))?,
    };
    let import = nested::<ImportRow>(&format!("{} WHERE m.user_id = {user} AND {import}", imports()))?;
    Ok(format!("{own} AS own, {award} AS award, {import} AS import"))
}

/// The entry of that entity id in the caller's backpack.
pub(crate) fn lookup(entity_id: &str) -> Result<Lookup> {
    let caller = ("caller.user_id", "caller.root_account_id");
    let columns = kept(caller, "a.entity_id = ?1", "m.entity_id = ?1", Extent::WithDocuments)?;
    // With a limit SQLite makes the entry once, instead of once for each time that it is mentioned.
    let sql = format!("SELECT * FROM (SELECT {columns} LIMIT 1) WHERE own IS NOT NULL OR import IS NOT NULL");
    Ok(Lookup::new(sql, (entity_id,)))
}

impl Record for KeptRow {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.id::<String>("assertions")?)
    }
}

/// An award of ours to the caller, who may have turned it down.
#[derive(Deserialize)]
pub(crate) struct AddressedAward {
    pub(crate) id: AssertionId,
    pub(crate) entity_id: String,
    pub(crate) is_revoked: bool,
}

impl AddressedAward {
    /// The award of that entity id, if it went to the caller.
    pub(crate) fn lookup_by_id(entity_id: &str) -> Lookup {
        let is_addressed = is_addressed("caller.user_id", "caller.root_account_id");
        let sql = format!(
            "SELECT a.id, a.entity_id, a.revoked_at IS NOT NULL AS is_revoked
             FROM badge_assertions a JOIN badge_issuers i ON i.id = a.issuer_id
             WHERE a.entity_id = ?1 AND {is_addressed}"
        );
        Lookup::new(sql, (entity_id,))
    }
}

impl Record for AddressedAward {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Self::lookup_by_id(&path.id::<String>("assertions")?))
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
pub(crate) fn listed(
    (user, tenant): (UserId, AccountId),
    filter: &BackpackFilter,
    extent: Extent,
    now: Timestamp,
) -> Result<KeptList> {
    let is_own = is_own("?1", "?2");
    let sql = format!(
        "SELECT a.created_at, 2 * a.id AS id, a.id AS assertion_id, NULL AS import_id
         FROM badge_assertions a JOIN badge_issuers i ON i.id = a.issuer_id
         WHERE {is_own} AND (?3 OR a.expires IS NULL OR a.expires > ?5) AND (?4 OR a.revoked_at IS NULL)
         UNION ALL
         SELECT m.created_at, 2 * m.id + 1, NULL, m.id FROM badge_imports m WHERE m.user_id = ?1 AND (?6 OR NOT {PENDING})"
    );
    let columns = format!(", {}", kept(("?1", "?2"), "a.id = part.assertion_id", "m.id = part.import_id", extent)?);
    let values = (user, tenant, filter.expired, filter.revoked, now, filter.pending).values();
    Ok(KeptList { sql, columns, values })
}

/// Accepts an award to that user of that tenant, who has neither accepted it nor turned it down; false where it is not so.
pub(crate) async fn accept(db: &Db, id: AssertionId, (user, tenant): (UserId, AccountId)) -> db::Result<bool> {
    let sql = format!(
        "UPDATE badge_assertions SET acceptance = 'Accepted', updated_at = ?2
         WHERE id = ?1 AND acceptance = 'Unaccepted' AND revoked_at IS NULL AND {} RETURNING id",
        is_still_addressed("?3", "?4")
    );
    db.affects(&sql, (id, Moment::of_writing(), user, tenant)).await
}

/// Accepts an award that its earner has not accepted or has turned down; false where it is accepted or revoked.
pub(crate) async fn accept_again(db: &Db, id: AssertionId) -> db::Result<bool> {
    db.affects(
        "UPDATE badge_assertions SET acceptance = 'Accepted', updated_at = ?2
         WHERE id = ?1 AND acceptance <> 'Accepted' AND revoked_at IS NULL RETURNING id",
        (id, Moment::of_writing()),
    )
    .await
}

/// Turns an award to that user of that tenant down; false where it went to somebody else meanwhile.
pub(crate) async fn reject(db: &Db, id: AssertionId, (user, tenant): (UserId, AccountId)) -> db::Result<bool> {
    let sql = format!(
        "UPDATE badge_assertions SET acceptance = 'Rejected', updated_at = ?2 WHERE id = ?1 AND {} RETURNING id",
        is_still_addressed("?3", "?4")
    );
    db.affects(&sql, (id, Moment::of_writing(), user, tenant)).await
}

/// The condition of an award that is changed: its recipient may have been corrected since it was looked up for its earner.
fn is_still_addressed(user: &str, tenant: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM badge_assertions a JOIN badge_issuers i ON i.id = a.issuer_id
                 WHERE a.id = badge_assertions.id AND {})",
        is_addressed(user, tenant)
    )
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

/// The addresses of a user, those that are verified first.
pub(crate) async fn own_addresses(db: &Db, user: UserId) -> db::Result<Vec<OwnAddress>> {
    db.fetch_all(
        "SELECT lower(address) AS address, address AS spelling, workflow_state = 'active' AS verified
         FROM communication_channels
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
