//! Awards of other services that users keep.

use serde::Deserialize;
use serde_json::Value;
use shared::db::{self, Json};
use shared::ids::UserId;
use shared::{Db, Timestamp};

use crate::model::entity::Moment;
use crate::model::imports::ImportRow;
use crate::model::recipients::OwnAddress;

/// An import `m` waits for its user to confirm the address to which it was awarded.
pub(crate) const PENDING: &str = "(m.pending AND NOT EXISTS (
               SELECT 1 FROM communication_channels
               WHERE user_id = m.user_id AND type = 'email' AND workflow_state = 'active' AND lower(address) = m.recipient_identity))";

/// The statement of imports `m`, with the columns of an [`ImportRow`].
pub(crate) fn imports() -> String {
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

/// The address to which an import went, as its user spells it.
pub(crate) async fn address_of(db: &Db, id: i64) -> db::Result<OwnAddress> {
    db.fetch_one(
        "SELECT m.recipient_identity AS address, ifnull(c.address, m.recipient_identity) AS spelling, NOT m.pending AS verified
         FROM badge_imports m
         LEFT JOIN communication_channels c
             ON c.user_id = m.user_id AND c.type = 'email' AND c.address = m.recipient_identity
         WHERE m.id = ?1",
        (id,),
    )
    .await
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

pub(crate) async fn accept(db: &Db, id: i64) -> db::Result<()> {
    db.execute("UPDATE badge_imports SET acceptance = 'Accepted' WHERE id = ?1", (id,)).await
}

pub(crate) async fn delete(db: &Db, id: i64) -> db::Result<()> {
    db.execute("DELETE FROM badge_imports WHERE id = ?1", (id,)).await
}
