//! The records that everybody may read: issuers, classes and awards as their documents show them.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::IssuerId;
use shared::needs::nested_list;
use shared::{Db, Result};

use crate::model::imports::ImportRow;
use crate::model::public::{CollectedBadge, ListedBadge, PublicAssertion, PublicClass, PublicCollection, PublicIssuer};
use crate::store::imports::{PENDING, imports};
use crate::store::kept::is_kept;

/// The columns of a [`PublicIssuer`], of the issuer `i`, as JSON.
pub(crate) const ISSUER: &str = "json_object('id', i.id, 'root_account_id', i.root_account_id, 'entity_id', i.entity_id, 'name', i.name, 'email', i.email,
     'description', i.description, 'url', i.url, 'image', i.image, 'extensions', json(i.extensions),
     'next_status_index', i.next_status_index, 'status_changes', i.status_changes)";

const CLASS: &str =
    "json_object('entity_id', k.entity_id, 'name', k.name, 'description', k.description, 'image', k.image,
     'image_alt_text', k.image_alt_text, 'achievement_type', k.achievement_type, 'criteria_url', k.criteria_url,
     'criteria_narrative', k.criteria_narrative, 'alignments', json(k.alignments), 'tags', json(k.tags),
     'extensions', json(k.extensions), 'issuer', json(";

pub(crate) async fn issuer(db: &Db, entity_id: &str) -> db::Result<Option<PublicIssuer>> {
    db.fetch(
        "SELECT id, root_account_id, entity_id, name, email, description, url, image, extensions, next_status_index,
                status_changes
         FROM badge_issuers WHERE entity_id = ?1",
        (entity_id,),
    )
    .await
}

fn classes() -> String {
    format!(
        "SELECT k.entity_id, k.name, k.description, k.image, k.image_alt_text, k.achievement_type, k.criteria_url,
                k.criteria_narrative, k.alignments, k.tags, k.extensions, {ISSUER} AS issuer
         FROM badge_classes k JOIN badge_issuers i ON i.id = k.issuer_id"
    )
}

pub(crate) async fn class(db: &Db, entity_id: &str) -> db::Result<Option<PublicClass>> {
    db.fetch(&format!("{} WHERE k.entity_id = ?1", classes()), (entity_id,)).await
}

/// The newest classes of an issuer that are in use.
pub(crate) async fn classes_of(db: &Db, issuer: IssuerId) -> db::Result<Vec<ListedBadge>> {
    db.fetch_all(&newest_classes("?1"), (issuer,)).await
}

fn newest_classes(issuer: &str) -> String {
    format!(
        "SELECT entity_id, name FROM badge_classes
         WHERE issuer_id = {issuer} AND archived_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 500"
    )
}

/// The same of the issuer of that entity id; none where there is no such issuer.
pub(crate) async fn classes_of_named(db: &Db, issuer: &str) -> Result<Option<Vec<ListedBadge>>> {
    #[derive(Deserialize)]
    struct Row {
        classes: Json<Vec<ListedBadge>>,
    }
    let classes = nested_list::<ListedBadge>(&newest_classes("i.id"))?;
    let sql = format!("SELECT {classes} AS classes FROM badge_issuers i WHERE i.entity_id = ?1");
    let row: Option<Row> = db.fetch(&sql, (issuer,)).await?;
    Ok(row.map(|row| row.classes.0))
}

/// The classes of these entity ids, in no order.
pub(crate) async fn these_classes(db: &Db, ids: &[String]) -> db::Result<Vec<PublicClass>> {
    let sql = format!("{} WHERE k.entity_id IN (SELECT value FROM json_each(?1))", classes());
    db.fetch_all(&sql, (Json(ids),)).await
}

/// The statement of awards `a`, with the columns of a [`PublicAssertion`].
pub(crate) fn assertions() -> String {
    format!(
        "SELECT a.entity_id, json_object('type', a.recipient_type, 'identity', a.recipient_identity,
                    'hashed', json(iif(a.recipient_hashed, 'true', 'false')), 'salt', a.salt) AS recipient,
                a.issued_on, a.expires, a.narrative, a.evidence, a.extensions, a.revoked_at, a.revocation_reason,
                a.status_index, {CLASS}{ISSUER})) AS class
         FROM badge_assertions a
         JOIN badge_classes k ON k.id = a.class_id
         JOIN badge_issuers i ON i.id = a.issuer_id"
    )
}

pub(crate) async fn assertion(db: &Db, entity_id: &str) -> db::Result<Option<PublicAssertion>> {
    db.fetch(&format!("{} WHERE a.entity_id = ?1", assertions()), (entity_id,)).await
}

/// The awards of an issuer that were revoked.
#[derive(Deserialize)]
pub(crate) struct Revoked {
    pub(crate) entity_id: String,
    pub(crate) revocation_reason: Option<String>,
}

pub(crate) async fn revoked(db: &Db, issuer: IssuerId) -> db::Result<Vec<Revoked>> {
    db.fetch_all(
        "SELECT entity_id, revocation_reason FROM badge_assertions
         WHERE issuer_id = ?1 AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, id DESC LIMIT 10000",
        (issuer,),
    )
    .await
}

/// The places in the issuer's status lists, from the first up to before the last, whose awards are good.
pub(crate) async fn good_places(db: &Db, issuer: IssuerId, first: i64, last: i64) -> db::Result<Vec<i64>> {
    #[derive(Deserialize)]
    struct Row {
        status_index: i64,
    }
    let rows: Vec<Row> = db
        .fetch_all(
            "SELECT status_index FROM badge_assertions
             WHERE issuer_id = ?1 AND status_index >= ?2 AND status_index < ?3 AND revoked_at IS NULL",
            (issuer, first, last),
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.status_index).collect())
}

/// A published collection, with what of it is in its owner's backpack.
pub(crate) async fn collection(db: &Db, share_hash: &str) -> Result<Option<PublicCollection>> {
    let badges = nested_list::<CollectedBadge>(&format!(
        "SELECT ifnull(a.entity_id, m.entity_id) AS entity_id,
                iif(m.id IS NULL, k.name, iif(json_type(m.badge, '$.name') = 'text', m.badge ->> 'name', NULL)) AS name,
                a.id IS NOT NULL OR m.image IS NOT NULL AS has_image, m.open_badge_id AS source
         FROM badge_collection_entries e
         LEFT JOIN badge_assertions a ON a.id = e.assertion_id AND a.revoked_at IS NULL AND {}
         LEFT JOIN badge_classes k ON k.id = a.class_id
         LEFT JOIN badge_imports m ON m.id = e.import_id AND NOT {PENDING}
         WHERE e.collection_id = g.id AND (a.id IS NOT NULL OR m.id IS NOT NULL) ORDER BY e.position",
        is_kept("g.user_id", "u.root_account_id")
    ))?;
    let sql = format!(
        "SELECT g.name, g.description, {badges} AS badges
         FROM badge_collections g JOIN users u ON u.id = g.user_id WHERE g.share_hash = ?1"
    );
    Ok(db.fetch(&sql, (share_hash,)).await?)
}

/// The awards and the imports of these entity ids, in no order.
#[derive(Deserialize)]
pub(crate) struct Badges {
    pub(crate) assertions: Json<Vec<PublicAssertion>>,
    pub(crate) imports: Json<Vec<ImportRow>>,
}

pub(crate) async fn these_badges(db: &Db, ids: &[String]) -> Result<Badges> {
    let these = |table: &str| format!("{table}.entity_id IN (SELECT value FROM json_each(?1))");
    let assertions = nested_list::<PublicAssertion>(&format!("{} WHERE {}", assertions(), these("a")))?;
    let imports = nested_list::<ImportRow>(&format!("{} WHERE {}", imports(), these("m")))?;
    let sql = format!("SELECT {assertions} AS assertions, {imports} AS imports");
    Ok(db.fetch_one(&sql, (Json(ids),)).await?)
}
