//! Events as they are answered. The database builds them, and the records that they name, as the SQL of `store/events.rs` says.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::BuiltJson;
use shared::ids::CourseId;
use shared::{JsonSchema, Timestamp};

/// Something that happened to a course.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CourseEvent {
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

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedCourse {
    id: String,
    account_id: String,
    name: String,
    course_code: String,
    sis_course_id: Option<String>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    workflow_state: String,
    created_at: Timestamp,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedUser {
    id: String,
    name: String,
    sortable_name: String,
    short_name: String,
    sis_user_id: Option<String>,
    integration_id: Option<String>,
    login_id: Option<String>,
}

/// A request that changed a course, or two of them.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedPageView {
    /// The id of the request, as `X-Request-Context-Id` had it.
    id: String,
    /// The address without its query.
    url: String,
    http_method: String,
    /// The address of the client, where proxies tell it.
    remote_ip: Option<String>,
    /// Its first 255 characters.
    user_agent: Option<String>,
    /// `access_token`, or `page`: a page of ours that a log-in or a link had opened.
    credential: String,
    /// The name of the developer key that the token belongs to.
    app_name: Option<String>,
    created_at: Timestamp,
    links: BuiltJson<PageViewLinks>,
}

/// The records that a request names.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PageViewLinks {
    user: String,
    /// The administrator who acted as the user.
    real_user: Option<String>,
    /// The institution.
    account: String,
}

/// Each record once, the oldest first, with its ids as text.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Linked {
    /// The requests that caused the events.
    page_views: BuiltJson<Vec<LinkedPageView>>,
    courses: BuiltJson<Vec<LinkedCourse>>,
    users: BuiltJson<Vec<LinkedUser>>,
}
