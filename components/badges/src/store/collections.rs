//! Collections of what earners keep.

use serde::Deserialize;
use shared::db::{self, Changes, Json};
use shared::ids::{AccountId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::entity::Moment;
use crate::store::imports::PENDING;
use crate::store::kept::is_kept;

/// The list of a user's collections has no pages.
const MAX_OF_USER: i64 = 200;

#[derive(Deserialize)]
pub(crate) struct CollectionRow {
    pub(crate) id: i64,
    pub(crate) entity_id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) owner: String,
    pub(crate) share_hash: Option<String>,
    pub(crate) created_at: Moment,
    pub(crate) assertions: Json<Vec<String>>,
}

/// The caller's collections. Of what was put into them they have what is in the backpack now.
fn own() -> String {
    let is_kept = is_kept("caller.user_id", "caller.root_account_id");
    format!(
        "SELECT g.id, g.entity_id, g.name, g.description, b.entity_id AS owner, g.share_hash, g.created_at,
            (SELECT json_group_array(entity_id) FROM (
                 SELECT ifnull(a.entity_id, m.entity_id) AS entity_id
                 FROM badge_collection_entries e
                 LEFT JOIN badge_assertions a ON a.id = e.assertion_id AND {is_kept}
                 LEFT JOIN badge_imports m ON m.id = e.import_id AND NOT {PENDING}
                 WHERE e.collection_id = g.id AND (a.id IS NOT NULL OR m.id IS NOT NULL)
                 ORDER BY e.position)) AS assertions
         FROM badge_collections g JOIN badge_users b ON b.user_id = g.user_id WHERE g.user_id = caller.user_id"
    )
}

/// The caller's collection of that entity id.
pub(crate) fn lookup(entity_id: &str) -> Lookup {
    Lookup::new(format!("{} AND g.entity_id = ?1", own()), (entity_id,))
}

impl Record for CollectionRow {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(lookup(&path.id::<String>("collections")?))
    }
}

/// The caller's collections, the newest first.
pub(crate) struct OwnCollections;

impl List for OwnCollections {
    type Row = CollectionRow;
    const PAGES: Pages = Pages::Whole;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(format!("{} ORDER BY g.created_at DESC, g.id DESC", own()), ()))
    }
}

/// Makes a collection; false where the user has too many.
pub(crate) async fn insert(db: &Db, user: UserId, entity_id: &str, new: Changes, now: Timestamp) -> db::Result<bool> {
    db.affects(
        "INSERT INTO badge_collections (user_id, entity_id, name, description, share_hash, created_at)
         SELECT ?1, ?2, ?3 ->> 'name', ifnull(?3 ->> 'description', ''), ?3 ->> 'share_hash', ?4
         WHERE (SELECT count(*) FROM badge_collections WHERE user_id = ?1) < ?5
         RETURNING id",
        (user, entity_id, new, Moment(now), MAX_OF_USER),
    )
    .await
}

/// Changes what is named of a collection of the user's; false where there is none. One that is published keeps its address
/// as long as it is.
pub(crate) async fn update(db: &Db, user: UserId, entity_id: &str, changes: Changes) -> db::Result<bool> {
    let assignments = Changes::assignments(3, &["name", "description"], &[]);
    let sql = format!(
        "UPDATE badge_collections
         SET {assignments}, share_hash = CASE json_type(?3, '$.share_hash')
                 WHEN 'text' THEN ifnull(share_hash, ?3 ->> 'share_hash') WHEN 'null' THEN NULL ELSE share_hash END
         WHERE entity_id = ?2 AND user_id = ?1 RETURNING id"
    );
    db.affects(&sql, (user, entity_id, changes)).await
}

pub(crate) async fn delete(db: &Db, id: i64) -> db::Result<()> {
    db.execute("DELETE FROM badge_collections WHERE id = ?1", (id,)).await
}

/// Puts these awards into the collection, in their order, in place of those in it; false where one of them is none that the
/// user keeps, so that the transaction must not be kept.
pub(crate) async fn fill(
    db: &Db,
    collection: &str,
    user: UserId,
    tenant: AccountId,
    assertions: &[String],
) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Row {
        filled: i64,
    }
    db.execute(
        "DELETE FROM badge_collection_entries WHERE collection_id = (SELECT id FROM badge_collections WHERE entity_id = ?1)",
        (collection,),
    )
    .await?;
    let insert = format!(
        "INSERT INTO badge_collection_entries (collection_id, position, assertion_id, import_id)
         SELECT g.id, n.key, a.id, m.id
         FROM json_each(?4) n
         JOIN badge_collections g ON g.entity_id = ?1
         LEFT JOIN badge_imports m ON m.entity_id = n.value AND m.user_id = ?2 AND NOT {PENDING}
         LEFT JOIN badge_assertions a ON a.entity_id = n.value AND {}
         WHERE a.id IS NOT NULL OR m.id IS NOT NULL",
        is_kept("?2", "?3")
    );
    db.execute(&insert, (collection, user, tenant, Json(assertions))).await?;
    let row: Row = db
        .fetch_one(
            "SELECT count(*) AS filled FROM badge_collection_entries
             WHERE collection_id = (SELECT id FROM badge_collections WHERE entity_id = ?1)",
            (collection,),
        )
        .await?;
    Ok(usize::try_from(row.filled).is_ok_and(|filled| filled == assertions.len()))
}

/// The address of a collection, where it is published.
pub(crate) async fn share_hash(db: &Db, entity_id: &str) -> db::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Row {
        share_hash: String,
    }
    let sql = "SELECT share_hash FROM badge_collections WHERE entity_id = ?1 AND share_hash IS NOT NULL";
    let row: Option<Row> = db.fetch(sql, (entity_id,)).await?;
    Ok(row.map(|row| row.share_hash))
}
