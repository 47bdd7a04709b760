//! Claim codes, of which a hash is kept, and the awards that were claimed by them.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, AssertionId, BadgeClassId, IssuerId, UserId};
use shared::{Db, Timestamp};

use crate::model::entity::Moment;
use crate::store::classes::Lifetime;

/// A claim code, as the staff of the issuer reads it.
#[derive(Deserialize)]
pub(crate) struct ClaimCodeRow {
    pub(crate) entity_id: String,
    pub(crate) class: String,
    pub(crate) created_by: String,
    pub(crate) name: Option<String>,
    pub(crate) max_uses: i64,
    pub(crate) uses: i64,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) created_at: Moment,
}

/// A claim code that somebody knows, with what it awards.
#[derive(Deserialize)]
pub(crate) struct KnownCode {
    pub(crate) id: i64,
    pub(crate) class_id: BadgeClassId,
    pub(crate) issuer_id: IssuerId,
    /// Who made the code, and so awards the badge.
    pub(crate) created_by: UserId,
    pub(crate) lifetime: Option<Json<Lifetime>>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) is_archived: bool,
}

/// A code that is about to be made.
pub(crate) struct NewClaimCode<'a> {
    pub(crate) entity_id: &'a str,
    pub(crate) code_hash: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) max_uses: i64,
    pub(crate) expires_at: Option<Timestamp>,
}

/// A class has so many codes at most, those that are revoked or used up among them.
const MAX_OF_CLASS: i64 = 5000;

const CODES: &str =
    "SELECT c.id, c.entity_id, k.entity_id AS class, u.entity_id AS created_by, c.name, c.max_uses, c.uses,
            c.expires_at, c.revoked_at, c.created_at
     FROM badge_claim_codes c
     JOIN badge_classes k ON k.id = c.class_id
     JOIN badge_users u ON u.user_id = c.created_by
     WHERE c.class_id = ?1";

/// The codes of a class.
pub(crate) fn listed(class: BadgeClassId) -> (String, Vec<db::Value>) {
    (CODES.to_owned(), vec![db::Value::Integer(class.0)])
}

pub(crate) async fn find(db: &Db, class: BadgeClassId, entity_id: &str) -> db::Result<Option<ClaimCodeRow>> {
    db.fetch(&format!("{CODES} AND c.entity_id = ?2"), (class, entity_id)).await
}

/// Makes a code; false where the class has too many.
pub(crate) async fn insert(
    db: &Db,
    class: BadgeClassId,
    user: UserId,
    new: &NewClaimCode<'_>,
    now: Timestamp,
) -> db::Result<bool> {
    db.affects(
        "INSERT INTO badge_claim_codes (class_id, created_by, entity_id, code_hash, name, max_uses, expires_at, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
         WHERE (SELECT count(*) FROM badge_claim_codes WHERE class_id = ?1) < ?9 RETURNING id",
        (
            class,
            user,
            new.entity_id,
            new.code_hash,
            new.name,
            new.max_uses,
            new.expires_at,
            Moment(now),
            MAX_OF_CLASS,
        ),
    )
    .await
}

/// Lets nobody use a code any more: one that nobody has used is deleted. False where there is none.
pub(crate) async fn revoke(db: &Db, class: BadgeClassId, entity_id: &str, now: Timestamp) -> db::Result<bool> {
    let unused = "DELETE FROM badge_claim_codes WHERE class_id = ?1 AND entity_id = ?2 AND uses = 0 RETURNING id";
    if db.affects(unused, (class, entity_id)).await? {
        return Ok(true);
    }
    db.affects(
        "UPDATE badge_claim_codes SET revoked_at = ifnull(revoked_at, ?3)
         WHERE class_id = ?1 AND entity_id = ?2 RETURNING id",
        (class, entity_id, now),
    )
    .await
}

/// The code of that hash, of an issuer of the tenant, unless it is revoked.
pub(crate) async fn find_by_hash(db: &Db, tenant: AccountId, code_hash: &str) -> db::Result<Option<KnownCode>> {
    db.fetch(
        "SELECT c.id, c.class_id, k.issuer_id, c.created_by, k.expires AS lifetime, c.expires_at,
                k.archived_at IS NOT NULL AS is_archived
         FROM badge_claim_codes c
         JOIN badge_classes k ON k.id = c.class_id
         JOIN badge_issuers i ON i.id = k.issuer_id
         WHERE c.code_hash = ?2 AND i.root_account_id = ?1 AND c.revoked_at IS NULL",
        (tenant, code_hash),
    )
    .await
}

/// A living award of a class to somebody who claims one.
#[derive(Deserialize)]
pub(crate) struct HeldAward {
    pub(crate) id: AssertionId,
    pub(crate) entity_id: String,
    pub(crate) is_turned_down: bool,
}

/// The living award of a class to one of these addresses, in lower case: one that was not turned down, or else one to the
/// address that is chosen, or else the newest. Called in the transaction that awards another.
pub(crate) async fn held(
    db: &Db,
    class: BadgeClassId,
    addresses: &[String],
    chosen: &str,
    now: Timestamp,
) -> db::Result<Option<HeldAward>> {
    // Whoever claims has few awards; a class may have many.
    db.fetch(
        "SELECT a.id, a.entity_id, a.acceptance = 'Rejected' AS is_turned_down FROM badge_assertions a
         WHERE +a.class_id = ?1 AND a.revoked_at IS NULL AND (a.expires IS NULL OR a.expires > ?4)
           AND a.recipient_type = 'email' AND a.recipient_identity IN (SELECT value FROM json_each(?2))
         ORDER BY a.acceptance = 'Rejected', a.recipient_identity = ?3 DESC, a.id DESC LIMIT 1",
        (class, Json(addresses), chosen, now),
    )
    .await
}

/// True if the user has claimed an award by that code.
pub(crate) async fn is_claimed(db: &Db, code: i64, user: UserId) -> db::Result<bool> {
    db.affects("SELECT 1 FROM badge_claims WHERE code_id = ?1 AND user_id = ?2", (code, user)).await
}

/// Counts a use of a code; false where none is left.
pub(crate) async fn take_use(db: &Db, code: i64) -> db::Result<bool> {
    db.affects("UPDATE badge_claim_codes SET uses = uses + 1 WHERE id = ?1 AND uses < max_uses RETURNING id", (code,))
        .await
}

/// Notes that the user has claimed the award of that entity id.
pub(crate) async fn note_claim(db: &Db, code: i64, user: UserId, assertion: &str, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_claims (code_id, user_id, assertion_id, claimed_at)
         SELECT ?1, ?2, id, ?4 FROM badge_assertions WHERE entity_id = ?3",
        (code, user, assertion, now),
    )
    .await
}
