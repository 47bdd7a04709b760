//! The SQL of the area.

use serde::Deserialize;
use serde_json::Value;
use shared::db::Json;
use shared::ids::{AccountId, CourseId, UserId};
use shared::needs::nested_list;
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

/// The records that events name: each once.
#[derive(Deserialize)]
pub(crate) struct Named {
    pub(crate) page_views: Json<Vec<PageViewRow>>,
    pub(crate) courses: Json<Vec<LinkedCourse>>,
    pub(crate) users: Json<Vec<LinkedUser>>,
}

/// What events of a tenant name.
///
/// Older events name requests that were not kept. The data that an institution has of a user are for its own
/// administrators: for others, such as the site's, they are left out.
pub(crate) async fn named(db: &Db, root_account: AccountId, events: &[Row]) -> Result<Named> {
    let requests: Vec<_> = events.iter().filter_map(|event| event.request_id.as_deref()).collect();
    let courses: Vec<_> = events.iter().flat_map(|event| [Some(event.course_id), event.partner_course_id]).collect();
    let users: Vec<_> = events.iter().flat_map(|event| [event.user_id, event.real_user_id]).collect();
    let sql = format!(
        "SELECT {} AS page_views, {} AS courses, {} AS users",
        nested_list::<PageViewRow>(
            "SELECT v.*, k.name AS app_name FROM page_views v LEFT JOIN developer_keys k ON k.id = v.developer_key_id
             WHERE v.id IN (SELECT value FROM json_each(?2)) AND v.root_account_id = ?1 ORDER BY v.created_at, v.id"
        )?,
        nested_list::<LinkedCourse>("SELECT * FROM courses WHERE id IN (SELECT value FROM json_each(?3)) ORDER BY id")?,
        nested_list::<LinkedUser>(
            "SELECT u.*, p.sis_user_id, p.integration_id, p.unique_id AS login_id
             FROM users u
             LEFT JOIN pseudonyms p ON p.id = (
                 SELECT min(id) FROM pseudonyms
                 WHERE user_id = u.id AND root_account_id = ?1 AND workflow_state = 'active')
             WHERE u.id IN (SELECT value FROM json_each(?4)) ORDER BY u.id"
        )?,
    );
    Ok(db.fetch_one(&sql, (root_account, Json(requests), Json(courses), Json(users))).await?)
}
