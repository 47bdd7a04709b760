//! Awards.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::{self, Changes, Json};
use shared::ids::{AccountId, AssertionId, BadgeClassId, IssuerId, UserId};
use shared::needs::Lookup;
use shared::{Db, Timestamp};

use crate::model::assertions::Evidence;
use crate::model::entity::Moment;
use crate::model::recipients::Recipient;
use crate::model::role::Role;
use crate::store::issuers::is_edited_by;

/// An award.
#[derive(Deserialize, Clone)]
pub(crate) struct AssertionRow {
    pub(crate) id: AssertionId,
    pub(crate) entity_id: String,
    pub(crate) class: String,
    pub(crate) issuer: String,
    pub(crate) created_by: String,
    pub(crate) recipient: Json<Recipient>,
    pub(crate) issued_on: Timestamp,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) narrative: Option<String>,
    pub(crate) evidence: Json<Vec<Evidence>>,
    pub(crate) extensions: Json<Value>,
    pub(crate) acceptance: String,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) revocation_reason: Option<String>,
    pub(crate) created_at: Moment,
    /// The caller's role in the staff of the issuer; none where the caller is the earner.
    pub(crate) role: Option<Role>,
    /// All by which a change is judged, as one text.
    pub(crate) state: String,
}

/// The fields of a new assertion.
#[derive(Serialize, Clone)]
pub(crate) struct AssertionFields {
    pub(crate) entity_id: String,
    pub(crate) recipient_type: String,
    pub(crate) recipient_identity: String,
    pub(crate) recipient_hashed: bool,
    pub(crate) salt: String,
    pub(crate) issued_on: Timestamp,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) narrative: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) extensions: Value,
    /// True if the recipient may have the badge already.
    pub(crate) duplicate: bool,
}

/// The columns of an [`AssertionRow`] beside the role.
pub(crate) fn columns() -> String {
    format!(
        "a.id, a.entity_id, k.entity_id AS class, i.entity_id AS issuer, c.entity_id AS created_by,
            json_object('type', a.recipient_type, 'identity', a.recipient_identity, 'hashed', json(iif(a.recipient_hashed, 'true', 'false')), 'salt', a.salt)
                AS recipient,
            a.issued_on, a.expires, a.narrative, a.evidence, a.extensions, a.acceptance, a.revoked_at, a.revocation_reason,
            a.created_at, a.updated_at, {} AS state",
        state("a")
    )
}

/// The state by which a change of an award is judged, as one text.
fn state(award: &str) -> String {
    format!("json_array({award}.issued_on, {award}.expires, {award}.recipient_type, {award}.recipient_identity)")
}

pub(crate) const RELATED: &str = "JOIN badge_classes k ON k.id = a.class_id
     JOIN badge_issuers i ON i.id = a.issuer_id
     JOIN badge_users c ON c.user_id = a.created_by";

/// The awards of the issuers of whose staff the user is, who is a value or a column.
fn of_staff(user: &str) -> String {
    format!(
        "SELECT {}, own.role FROM badge_staff own
         JOIN badge_assertions a ON a.issuer_id = own.issuer_id
         {RELATED} WHERE own.user_id = {user}",
        columns()
    )
}

/// The award of that entity id, if the caller is of the staff of its issuer.
pub(crate) fn lookup(entity_id: &str) -> Lookup {
    Lookup::new(format!("{} AND a.entity_id = ?1", of_staff("caller.user_id")), (entity_id,))
}

/// The awards of these entity ids, in no order.
pub(crate) async fn these(db: &Db, user: UserId, entity_ids: &[String]) -> db::Result<Vec<AssertionRow>> {
    let sql = format!("{} AND a.entity_id IN (SELECT value FROM json_each(?2))", of_staff("?1"));
    db.fetch_all(&sql, (user, Json(entity_ids))).await
}

/// Which of the recipients, counted from 0, have the badge already and have not turned it down. Called in the transaction that awards it, so that two who
/// award at the same time cannot both find nobody.
pub(crate) async fn holders(
    db: &Db,
    class: BadgeClassId,
    recipients: &[(&str, &str)],
    now: Timestamp,
) -> db::Result<Vec<usize>> {
    #[derive(Deserialize)]
    struct Row {
        place: usize,
    }
    let rows: Vec<Row> = db
        .fetch_all(
            "SELECT n.key AS place FROM json_each(?2) n
             WHERE EXISTS (
                 SELECT 1 FROM badge_assertions a
                 WHERE a.class_id = ?1 AND a.revoked_at IS NULL AND (a.expires IS NULL OR a.expires > ?3)
                   AND a.acceptance <> 'Rejected' AND a.recipient_type = n.value ->> 0 AND a.recipient_identity = n.value ->> 1
             ) ORDER BY n.key",
            (class, Json(recipients), now),
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.place).collect())
}

/// Makes the awards, in their order. Each gets the next place in the issuer's status lists.
pub(crate) async fn insert(
    db: &Db,
    issuer: IssuerId,
    class: BadgeClassId,
    user: UserId,
    assertions: &[AssertionFields],
) -> db::Result<()> {
    #[derive(Deserialize)]
    struct Row {
        first_index: i64,
    }
    let count = i64::try_from(assertions.len()).unwrap_or(i64::MAX);
    let row: Row = db
        .fetch_one(
            "UPDATE badge_issuers SET next_status_index = next_status_index + ?2 WHERE id = ?1
             RETURNING next_status_index - ?2 AS first_index",
            (issuer, count),
        )
        .await?;
    db.execute(
        "INSERT INTO badge_assertions
             (class_id, issuer_id, created_by, entity_id, recipient_type, recipient_identity, recipient_hashed, salt, issued_on,
              expires, narrative, evidence, extensions, status_index, created_at, updated_at)
         SELECT ?1, ?2, ?3, value ->> 'entity_id', value ->> 'recipient_type', value ->> 'recipient_identity',
                value ->> 'recipient_hashed', value ->> 'salt', value ->> 'issued_on', value ->> 'expires',
                value ->> 'narrative', value -> 'evidence', value -> 'extensions', ?5 + key, ?6, ?6
         FROM json_each(?4) ORDER BY key",
        (class, issuer, user, Json(assertions), row.first_index, Moment::of_writing()),
    )
    .await
}

/// Users of the tenant by their verified addresses.
#[derive(Deserialize)]
pub(crate) struct Addressee {
    pub(crate) user_id: UserId,
    pub(crate) address: String,
}

pub(crate) async fn addressees(db: &Db, tenant: AccountId, addresses: &[&str]) -> db::Result<Vec<Addressee>> {
    db.fetch_all(
        "SELECT DISTINCT c.user_id, lower(c.address) AS address
         FROM json_each(?2) a
         CROSS JOIN communication_channels c ON c.address = a.value AND c.type = 'email'
             AND c.workflow_state <> 'retired' AND c.workflow_state = 'active'
         CROSS JOIN users u ON u.id = c.user_id AND u.root_account_id = ?1 AND u.workflow_state <> 'deleted'",
        (tenant, Json(addresses)),
    )
    .await
}

/// What an award keeps when it is changed.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) recipient: bool,
    /// The place in the issuer's status lists. In a new one, credentials that were given out before are good no more.
    pub(crate) place: bool,
}

/// Changes what is named of an award, for an owner or editor of its issuer. With another recipient it is nobody's yet. One that does
/// not keep its place is changed in a transaction. Nothing where it is not any more what was known, where it is revoked, or where
/// the user has not that role any more.
pub(crate) async fn update(
    db: &Db,
    user: UserId,
    known: &AssertionRow,
    changes: Changes,
    kept: Kept,
) -> db::Result<Option<AssertionRow>> {
    let required =
        ["recipient_type", "recipient_identity", "recipient_hashed", "salt", "issued_on", "evidence", "extensions"];
    let assignments = Changes::assignments(2, &required, &["expires", "narrative"]);
    let write = format!(
        "UPDATE badge_assertions
         SET {assignments}, acceptance = iif(?3, acceptance, 'Unaccepted'), updated_at = ?4,
             status_index = iif(?7, status_index, (SELECT next_status_index FROM badge_issuers WHERE id = issuer_id))
         WHERE id = ?1 AND revoked_at IS NULL AND {} = ?6 AND {}",
        state("badge_assertions"),
        is_edited_by("?5", "badge_assertions.issuer_id")
    );
    let select = format!("{} AND a.id = badge_assertions.id", of_staff("?5"));
    let moment = Moment::of_writing();
    let binds = (known.id, changes, kept.recipient, moment, user, known.state.as_str(), kept.place);
    let changed = db.write_and_read(&write, &select, binds).await?;
    if changed.is_some() && !kept.place {
        // The list with the former place has changed, too.
        db.execute(
            "UPDATE badge_issuers SET next_status_index = next_status_index + 1, status_changes = status_changes + 1
             WHERE id = (SELECT issuer_id FROM badge_assertions WHERE id = ?1)",
            (known.id,),
        )
        .await?;
    }
    Ok(changed)
}

/// An award that has just been revoked.
#[derive(Deserialize)]
pub(crate) struct RevokedAward {
    pub(crate) entity_id: String,
    pub(crate) issuer_id: IssuerId,
    pub(crate) class_name: String,
    pub(crate) reason: String,
    /// The e-mail address of the earner; none where the award was turned down, or nobody is known to have that address.
    pub(crate) address: Option<String>,
}

/// Revokes an award; none where it is so already.
pub(crate) async fn revoke(db: &Db, id: AssertionId, reason: &str, now: Timestamp) -> db::Result<Option<RevokedAward>> {
    db.fetch(
        "UPDATE badge_assertions SET revoked_at = ?3, revocation_reason = ?2, updated_at = ?4
         WHERE id = ?1 AND revoked_at IS NULL
         RETURNING entity_id, issuer_id, (SELECT name FROM badge_classes WHERE id = class_id) AS class_name,
                   revocation_reason AS reason,
                   iif(recipient_type = 'email' AND acceptance <> 'Rejected' AND EXISTS (
                           SELECT 1 FROM communication_channels
                           WHERE address = recipient_identity AND type = 'email' AND workflow_state <> 'retired'),
                       recipient_identity, NULL) AS address",
        (id, reason, now, Moment::of_writing()),
    )
    .await
}
