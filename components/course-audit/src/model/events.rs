//! Events: views. The records that they name are built by the statement as they are answered.

use serde::{Deserialize, Serialize};
use shared::db::BuiltJson;
use shared::{JsonSchema, Timestamp};

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
