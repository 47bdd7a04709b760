//! Events of a course or of the courses of an account. See `docs/contract/course-audit.md`.

use serde::Serialize;
use serde_json::Value;
use shared::db::BuiltJson;
use shared::ids::{AccountId, CourseId};
use shared::needs::HasTenant;
use shared::period::Period;
use shared::{Context, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::events::Linked;
use crate::store::events::{self as store, Log, Row};
use crate::store::needs::{NeededAccount, NeededCourse};

endpoints![list_course_events, list_account_course_events];

/// Events, the newest first, with the records that they are about.
#[derive(Serialize, JsonSchema)]
struct CourseEvents {
    links: Templates,
    events: Vec<CourseEvent>,
    linked: Linked,
}

/// The service where the records that events name can be read.
#[derive(Serialize, JsonSchema)]
struct Templates {
    #[serde(rename = "events.course")]
    course: String,
    #[serde(rename = "events.user")]
    user: Option<String>,
    #[serde(rename = "events.sis_batch")]
    sis_batch: Option<String>,
}

/// Something that happened to a course.
#[derive(Serialize, JsonSchema)]
struct CourseEvent {
    id: String,
    created_at: Timestamp,
    /// `created`, `updated`, `concluded`, `unconcluded`, `published`, `claimed`, `deleted`, `restored`, `copied_from`,
    /// `copied_to`, `reset_from` or `reset_to`.
    event_type: String,
    /// `manual`, `sis` or `api`.
    event_source: String,
    /// Of `created` and `updated`: the old and the new value of each field. `created` has `created_source` as well, which is
    /// `manual`, `sis` or `api`.
    event_data: BuiltJson<Value>,
    links: EventLinks,
}

/// The records that an event names; an empty text for none.
#[derive(Serialize, JsonSchema)]
struct EventLinks {
    course: String,
    /// The request that caused it.
    page_view: String,
    /// The user, or the one whom an administrator acted as.
    user: String,
    /// The administrator who acted as that user; left out where nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_user: Option<String>,
    sis_batch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    copied_from: Option<CourseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copied_to: Option<CourseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset_from: Option<CourseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset_to: Option<CourseId>,
}

/// Lists what happened to a course.
#[endpoint(GET "/api/v1/audit/course/courses/:course_id", bookmarked_pages)]
async fn list_course_events(cx: Context, course: NeededCourse, body: Query<Period>) -> Result<Reply<CourseEvents>> {
    read(&cx, Log::OfCourse(course.id), course.root_account(), body.decode()?).await
}

/// Lists what happened to the courses of an account.
#[endpoint(GET "/api/v1/audit/course/accounts/:account_id", bookmarked_pages)]
async fn list_account_course_events(
    cx: Context,
    account: NeededAccount,
    body: Query<Period>,
) -> Result<Reply<CourseEvents>> {
    read(&cx, Log::OfAccount(account.id), account.root_account(), body.decode()?).await
}

async fn read(cx: &Context, log: Log, root_account: AccountId, period: Period) -> Result<Reply<CourseEvents>> {
    let page = cx.cursor_page().await?;
    let base = cx.base_url().await?;
    let (rows, linked) = store::events(&cx.db, root_account, log, period.bounds(), &base, page).await?;
    let links = Templates { course: format!("{base}/api/v1/courses/{{events.course}}"), user: None, sis_batch: None };
    Ok(Reply::page_in(rows.map(CourseEvent::of), |events| CourseEvents { links, events, linked }))
}

impl CourseEvent {
    fn of(row: Row) -> Self {
        Self {
            links: EventLinks::of(&row),
            id: row.id,
            created_at: row.created_at,
            event_type: row.event_type,
            event_source: row.event_source,
            event_data: row.event_data,
        }
    }
}

impl EventLinks {
    fn of(row: &Row) -> Self {
        let partner = |event_type: &str| row.partner_course_id.filter(|_| row.event_type == event_type);
        Self {
            course: row.course_id.to_string(),
            page_view: row.page_view.clone().unwrap_or_default(),
            user: row.user_id.map(|user| user.to_string()).unwrap_or_default(),
            real_user: row.real_user_id.map(|user| user.to_string()),
            sis_batch: row.sis_batch_id.map(|batch| batch.to_string()).unwrap_or_default(),
            copied_from: partner("copied_from"),
            copied_to: partner("copied_to"),
            reset_from: partner("reset_from"),
            reset_to: partner("reset_to"),
        }
    }
}
