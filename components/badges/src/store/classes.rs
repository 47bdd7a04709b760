//! Classes of badges.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::{self, Changes, Json};
use shared::ids::{BadgeClassId, IssuerId, UserId};
use shared::needs::Lookup;
use shared::{Db, JsonSchema, Timestamp};

use crate::model::classes::Alignment;
use crate::model::entity::Moment;
use crate::model::role::Role;
use crate::store::issuers::is_edited_by;

/// A class, as a member of the issuer's staff reads it.
#[derive(Deserialize, Clone)]
pub(crate) struct ClassRow {
    pub(crate) id: BadgeClassId,
    pub(crate) entity_id: String,
    pub(crate) issuer_id: IssuerId,
    pub(crate) issuer: String,
    pub(crate) created_by: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) image_alt_text: Option<String>,
    pub(crate) achievement_type: Option<String>,
    pub(crate) criteria_url: Option<String>,
    pub(crate) criteria_narrative: Option<String>,
    pub(crate) alignments: Json<Vec<Alignment>>,
    pub(crate) tags: Json<Vec<String>>,
    pub(crate) expires: Option<Json<Lifetime>>,
    pub(crate) extensions: Json<Value>,
    pub(crate) archived_at: Option<Moment>,
    pub(crate) archival_note: Option<String>,
    pub(crate) created_at: Moment,
    pub(crate) role: Role,
}

/// The time for which an award is good.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Lifetime {
    pub(crate) amount: i64,
    pub(crate) duration: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Duration {
    Days,
    Weeks,
    Months,
    Years,
}

impl Duration {
    /// The longest time for which an award is good.
    pub(crate) fn in_a_hundred_years(self) -> i64 {
        match self {
            Self::Days => 36_500,
            Self::Weeks => 5200,
            Self::Months => 1200,
            Self::Years => 100,
        }
    }
}

/// An issuer has so many classes at most, those that are put away among them.
const MAX_OF_ISSUER: i64 = 2000;

/// The classes with a member of the staff of their issuer, `own`.
const OF_STAFF: &str =
    "SELECT k.id, k.entity_id, k.issuer_id, i.entity_id AS issuer, c.entity_id AS created_by, k.name, k.description,
            k.image_alt_text, k.achievement_type, k.criteria_url, k.criteria_narrative, k.alignments, k.tags, k.expires,
            k.extensions, k.archived_at, k.archival_note, k.created_at, k.updated_at, own.role
     FROM badge_staff own
     JOIN badge_issuers i ON i.id = own.issuer_id
     JOIN badge_classes k ON k.issuer_id = i.id
     JOIN badge_users c ON c.user_id = k.created_by";

/// The class of that entity id, if the caller is of the staff of its issuer.
pub(crate) fn lookup(entity_id: &str) -> Lookup {
    Lookup::new(format!("{OF_STAFF} WHERE own.user_id = caller.user_id AND k.entity_id = ?1"), (entity_id,))
}

/// Which classes a list shows: of all the caller's issuers, or of one; with those that are put away or without them.
pub(crate) fn listed(user: UserId, issuer: Option<IssuerId>, archived: bool) -> (String, Vec<db::Value>) {
    let mut sql = format!("{OF_STAFF} WHERE own.user_id = ?1");
    let mut values = vec![db::Value::Integer(user.0)];
    if let Some(issuer) = issuer {
        values.push(db::Value::Integer(issuer.0));
        sql.push_str(" AND k.issuer_id = ?2");
    }
    if !archived {
        sql.push_str(" AND k.archived_at IS NULL");
    }
    (sql, values)
}

/// The newest class of the issuer that has that name and is not put away.
pub(crate) async fn named(db: &Db, user: UserId, issuer: IssuerId, name: &str) -> db::Result<Option<ClassRow>> {
    let sql = format!(
        "{OF_STAFF} WHERE own.user_id = ?1 AND k.issuer_id = ?2 AND k.name = ?3 AND k.archived_at IS NULL
         ORDER BY k.created_at DESC, k.id DESC LIMIT 1"
    );
    db.fetch(&sql, (user, issuer, name)).await
}

/// Classes that changed behind that moment, or that there are.
pub(crate) fn changed(user: UserId, since: Option<String>) -> (String, Vec<db::Value>) {
    let mut sql = format!("{OF_STAFF} WHERE own.user_id = ?1");
    let mut values = vec![db::Value::Integer(user.0)];
    if let Some(since) = since {
        values.push(db::Value::Text(since));
        sql.push_str(" AND k.updated_at > ?2");
    }
    (sql, values)
}

/// The columns of a class beside its name.
const SAID: [&str; 10] = [
    "description",
    "image",
    "image_alt_text",
    "achievement_type",
    "criteria_url",
    "criteria_narrative",
    "alignments",
    "tags",
    "expires",
    "extensions",
];

fn into_classes() -> String {
    let said = SAID.join(", ");
    format!("INSERT INTO badge_classes (issuer_id, created_by, entity_id, created_at, updated_at, name, {said})")
}

/// The class that a write has made or changed, as the user `?2` reads it.
fn written() -> String {
    format!("{OF_STAFF} WHERE own.user_id = ?2 AND k.id = badge_classes.id")
}

/// Makes a class, for an owner or editor of the issuer. Nothing where the user has not that role any more, or the issuer has
/// too many classes.
pub(crate) async fn insert(
    db: &Db,
    issuer: IssuerId,
    user: UserId,
    entity_id: &str,
    new: Changes,
) -> db::Result<Option<ClassRow>> {
    let said = SAID.map(|column| match column {
        "extensions" => "ifnull(?4 ->> 'extensions', '{}')".to_owned(),
        column => format!("?4 ->> '{column}'"),
    });
    let write = format!(
        "{} SELECT ?1, ?2, ?3, ?5, ?5, ?4 ->> 'name', {}
         WHERE (SELECT count(*) FROM badge_classes WHERE issuer_id = ?1) < ?6 AND {}",
        into_classes(),
        said.join(", "),
        is_edited_by("?2", "?1")
    );
    db.write_and_read(&write, &written(), (issuer, user, entity_id, new, Moment::of_writing(), MAX_OF_ISSUER)).await
}

/// Copies a class as it is, under another name, for an owner or editor of its issuer. Nothing as in [`insert`]. The image is
/// shared: what is stored under a name is never changed.
pub(crate) async fn duplicate(
    db: &Db,
    id: BadgeClassId,
    user: UserId,
    entity_id: &str,
    name: &str,
) -> db::Result<Option<ClassRow>> {
    let write = format!(
        "{} SELECT issuer_id, ?2, ?3, ?5, ?5, ?4, {} FROM badge_classes k
         WHERE id = ?1 AND (SELECT count(*) FROM badge_classes WHERE issuer_id = k.issuer_id) < ?6 AND {}",
        into_classes(),
        SAID.join(", "),
        is_edited_by("?2", "k.issuer_id")
    );
    db.write_and_read(&write, &written(), (id, user, entity_id, name, Moment::of_writing(), MAX_OF_ISSUER)).await
}

/// Changes what is named, for an owner or editor of the issuer; nothing where the user has not that role any more. The awards
/// of the class change with it: their images and documents show what the class says.
pub(crate) async fn update(db: &Db, id: BadgeClassId, user: UserId, changes: Changes) -> db::Result<Option<ClassRow>> {
    let required = ["name", "description", "image", "alignments", "tags", "extensions"];
    let nullable = ["image_alt_text", "achievement_type", "criteria_url", "criteria_narrative", "expires"];
    let assignments = Changes::assignments(3, &required, &nullable);
    let edited = is_edited_by("?2", "badge_classes.issuer_id");
    let write = format!("UPDATE badge_classes SET {assignments}, updated_at = ?4 WHERE id = ?1 AND {edited}");
    db.write_and_read(&write, &written(), (id, user, changes, Moment::of_writing())).await
}

/// A class of which nothing was ever awarded is deleted; one whose awards are all over is deleted with them if `hard`, or
/// else put away. False where an award lives, or the user is no owner or editor of the issuer any more.
pub(crate) async fn remove(
    db: &Db,
    id: BadgeClassId,
    user: UserId,
    hard: bool,
    note: Option<&str>,
    now: Timestamp,
) -> db::Result<bool> {
    let edited = is_edited_by("?2", "badge_classes.issuer_id");
    if hard {
        let sql = format!(
            "DELETE FROM badge_classes WHERE id = ?1 AND {edited} AND NOT EXISTS (
                 SELECT 1 FROM badge_assertions
                 WHERE class_id = ?1 AND revoked_at IS NULL AND (expires IS NULL OR expires > ?3)
             ) RETURNING id"
        );
        return db.affects(&sql, (id, user, now)).await;
    }
    let unused = format!(
        "DELETE FROM badge_classes WHERE id = ?1 AND {edited}
         AND NOT EXISTS (SELECT 1 FROM badge_assertions WHERE class_id = ?1) RETURNING id"
    );
    if db.affects(&unused, (id, user)).await? {
        return Ok(true);
    }
    let archive = format!(
        "UPDATE badge_classes SET archived_at = ifnull(archived_at, ?3), archival_note = ?4, updated_at = ?3
         WHERE id = ?1 AND {edited} RETURNING id"
    );
    db.affects(&archive, (id, user, Moment::of_writing(), note)).await
}

/// Takes a class out again, for an owner or editor of the issuer; nothing where the user has not that role any more.
pub(crate) async fn reactivate(db: &Db, id: BadgeClassId, user: UserId) -> db::Result<Option<ClassRow>> {
    let write = format!(
        "UPDATE badge_classes SET archived_at = NULL, archival_note = NULL, updated_at = ?3 WHERE id = ?1 AND {}",
        is_edited_by("?2", "badge_classes.issuer_id")
    );
    db.write_and_read(&write, &written(), (id, user, Moment::of_writing())).await
}
