//! Events: rows and views.

use serde::{Deserialize, Serialize};
use shared::ids::{self, AccountId, CourseId, UserId};
use shared::{JsonSchema, Timestamp};

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedCourse {
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    pub(crate) id: CourseId,
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    pub(crate) account_id: AccountId,
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
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
    pub(crate) login_id: Option<String>,
}
