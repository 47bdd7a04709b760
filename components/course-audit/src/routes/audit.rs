//! Events of a course or of the courses of an account. See `docs/contract/course-audit.md`.

use serde::Serialize;
use shared::pagination::BuiltPage;
use shared::period::Period;
use shared::prefetch::PrefetchedBuiltList;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::events::{CourseEvent, Linked};
use crate::store::events::{EventsOfAccount, EventsOfCourse};
use crate::store::needs::{NeededAccount, NeededCourse};

endpoints![list_course_events, list_account_course_events];

/// Events, the newest first, with the records that they are about.
#[derive(Serialize, JsonSchema)]
struct CourseEvents {
    links: Templates,
    events: Vec<CourseEvent>,
    linked: Linked,
}

/// What stands beside the events.
#[derive(Serialize)]
struct Links {
    links: Templates,
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

/// Lists what happened to a course.
#[endpoint(GET "/api/v1/audit/course/courses/:course_id")]
async fn list_course_events(
    cx: Context,
    _course: NeededCourse,
    _: Query<Period>,
    events: PrefetchedBuiltList<EventsOfCourse>,
) -> Result<Reply<CourseEvents>> {
    answer(&cx, events.page_and_beside(&cx.cursor_page().await?)?).await
}

/// Lists what happened to the courses of an account.
#[endpoint(GET "/api/v1/audit/course/accounts/:account_id")]
async fn list_account_course_events(
    cx: Context,
    _account: NeededAccount,
    _: Query<Period>,
    events: PrefetchedBuiltList<EventsOfAccount>,
) -> Result<Reply<CourseEvents>> {
    answer(&cx, events.page_and_beside(&cx.cursor_page().await?)?).await
}

async fn answer(cx: &Context, (events, linked): (BuiltPage<CourseEvent>, String)) -> Result<Reply<CourseEvents>> {
    let base = cx.base_url().await?;
    let links = Templates { course: format!("{base}/api/v1/courses/{{events.course}}"), user: None, sis_batch: None };
    Reply::built_page_beside(events, "events", ("linked", &linked), &Links { links })
}
