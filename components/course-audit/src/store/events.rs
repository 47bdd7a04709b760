//! The SQL of the area.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::Caller;
use shared::db::{self, Json};
use shared::ids::{AccountId, CourseId, IdOrAlias, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::events::{LinkedCourse, LinkedUser, PageViewRow};

/// The newest first.
pub(crate) const ORDER: Key = Key::descending(&["created_at", "id"]);

/// Sorts behind every time and behind every id.
const LAST: &str = "~";

/// Whose events.
#[derive(Clone, Copy)]
pub(crate) enum Log {
    OfCourse(CourseId),
    /// Those of courses that stood in the account itself when they happened.
    OfAccount(AccountId),
}

/// A course, be it deleted.
#[derive(Deserialize)]
pub(crate) struct Course {
    pub(crate) id: CourseId,
    pub(crate) root_account_id: AccountId,
}

/// An event as it is stored.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) created_at: Timestamp,
    pub(crate) event_type: String,
    pub(crate) event_source: String,
    pub(crate) event_data: Json<Value>,
    pub(crate) course_id: CourseId,
    pub(crate) user_id: Option<UserId>,
    /// The administrator who acted as that user.
    pub(crate) real_user_id: Option<UserId>,
    pub(crate) partner_course_id: Option<CourseId>,
    pub(crate) sis_batch_id: Option<i64>,
    pub(crate) request_id: Option<String>,
}

/// The course that is named. Of several that had the same SIS id, the one that has it now, or else had it last.
pub(crate) async fn course(db: &Db, caller: &Caller, named: &IdOrAlias<CourseId>) -> db::Result<Option<Course>> {
    let (id, prefix, value) = match named {
        IdOrAlias::Own => return Ok(None),
        IdOrAlias::Id(id) => (Some(*id), "id", None),
        IdOrAlias::Other(prefix, value) => (None, prefix.as_str(), Some(value.as_str())),
    };
    db.fetch(
        "SELECT id, root_account_id FROM courses
         WHERE (?4 IS NULL OR root_account_id = ?4)
           AND id = CASE ?2
               WHEN 'id' THEN ?1
               WHEN 'uuid' THEN (SELECT id FROM courses WHERE uuid = ?3)
               WHEN 'sis_course_id' THEN ifnull(
                   (SELECT id FROM courses
                    WHERE sis_course_id = ?3 AND root_account_id = ?5 AND workflow_state <> 'deleted'),
                   (SELECT id FROM courses WHERE sis_course_id = ?3 AND root_account_id = ?5
                    ORDER BY updated_at DESC, id DESC LIMIT 1))
           END",
        (id, prefix, value, caller.tenant(), caller.root_account),
    )
    .await
}

/// The unary `+` keeps the end of the period out of the index: where a page begins is for the page to say.
pub(crate) async fn events(
    db: &Db,
    log: Log,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    page: Page,
) -> Result<Paged<Row>> {
    let (column, id) = match log {
        Log::OfCourse(id) => ("course_id", id.0),
        Log::OfAccount(id) => ("account_id", id.0),
    };
    let sql = format!(
        "SELECT id, created_at, event_type, event_source, event_data, course_id, user_id, real_user_id, partner_course_id,
                sis_batch_id, request_id
         FROM course_events WHERE {column} = ?1 AND created_at >= ?2 AND +created_at <= ?3"
    );
    let start = start.map(Timestamp::with_microseconds).unwrap_or_default();
    let end = end.map_or_else(|| LAST.to_owned(), Timestamp::with_microseconds);
    let page = page.beginning_behind([&end, LAST]);
    page.fetch_keyset(db, &sql, (id, start, end), ORDER).await
}

pub(crate) async fn courses(db: &Db, ids: Vec<Option<CourseId>>) -> db::Result<Vec<LinkedCourse>> {
    db.fetch_all(
        "SELECT id, account_id, name, course_code, sis_course_id, start_at, end_at, workflow_state, created_at
         FROM courses WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id",
        (Json(ids),),
    )
    .await
}

/// The data that an institution has of a user are for its own administrators: for others, such as the site's, they are
/// left out.
pub(crate) async fn users(db: &Db, root_account: AccountId, ids: Vec<Option<UserId>>) -> db::Result<Vec<LinkedUser>> {
    db.fetch_all(
        "SELECT u.id, u.name, u.sortable_name, u.short_name, p.sis_user_id, p.integration_id, p.unique_id AS login_id
         FROM users u
         LEFT JOIN pseudonyms p ON p.id = (
             SELECT min(id) FROM pseudonyms
             WHERE user_id = u.id AND root_account_id = ?2 AND workflow_state = 'active')
         WHERE u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id",
        (Json(ids), root_account),
    )
    .await
}

/// Those of the requests that are kept. Older events name some that were not.
pub(crate) async fn page_views(
    db: &Db,
    root_account: AccountId,
    ids: Vec<Option<&str>>,
) -> db::Result<Vec<PageViewRow>> {
    db.fetch_all(
        "SELECT v.id, v.user_id, v.real_user_id, v.root_account_id, v.http_method, v.path, v.remote_ip, v.user_agent,
                v.credential, k.name AS app_name, v.created_at
         FROM page_views v LEFT JOIN developer_keys k ON k.id = v.developer_key_id
         WHERE v.id IN (SELECT value FROM json_each(?1)) AND v.root_account_id = ?2
         ORDER BY v.created_at, v.id",
        (Json(ids), root_account),
    )
    .await
}
