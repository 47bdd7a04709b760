//! Events: rows and views. The courses and users that they name are built by the statement as they are answered.

use serde::{Deserialize, Serialize};
use shared::ids::{self, AccountId, UserId};
use shared::{JsonSchema, Timestamp};

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedCourse {
    pub(crate) id: String,
    pub(crate) account_id: String,
    pub(crate) name: String,
    pub(crate) course_code: String,
    pub(crate) sis_course_id: Option<String>,
    pub(crate) start_at: Option<Timestamp>,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedUser {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
    pub(crate) login_id: Option<String>,
}

/// A request as it is stored.
#[derive(Deserialize)]
pub(crate) struct PageViewRow {
    pub(crate) id: String,
    user_id: UserId,
    real_user_id: Option<UserId>,
    root_account_id: AccountId,
    http_method: String,
    path: String,
    remote_ip: Option<String>,
    user_agent: Option<String>,
    credential: String,
    app_name: Option<String>,
    pub(crate) created_at: Timestamp,
}

/// A request that changed a course, or two of them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LinkedPageView {
    /// The id of the request, as `X-Request-Context-Id` had it.
    pub(crate) id: String,
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
    links: PageViewLinks,
}

/// The records that a request names.
#[derive(Serialize, JsonSchema)]
struct PageViewLinks {
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    user: UserId,
    /// The administrator who acted as the user.
    real_user: Option<String>,
    /// The institution.
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    account: AccountId,
}

impl PageViewRow {
    /// The request as it is shown by the service of that address.
    pub(crate) fn shown(self, base_url: &str) -> LinkedPageView {
        LinkedPageView {
            url: format!("{base_url}{}", self.path),
            id: self.id,
            http_method: self.http_method,
            remote_ip: self.remote_ip,
            user_agent: self.user_agent,
            credential: self.credential,
            app_name: self.app_name,
            created_at: self.created_at,
            links: PageViewLinks {
                user: self.user_id,
                real_user: self.real_user_id.map(|user| user.to_string()),
                account: self.root_account_id,
            },
        }
    }
}
