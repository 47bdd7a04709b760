//! Courses, as far as this area answers them.

use serde::{Deserialize, Serialize};
use shared::ids::{AccountId, CourseId, EnrollmentTermId};
use shared::{JsonSchema, Timestamp};

/// A course in short: all of it has the endpoint of the course.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseSummary {
    id: CourseId,
    name: String,
    course_code: String,
    uuid: String,
    account_id: AccountId,
    root_account_id: AccountId,
    enrollment_term_id: Option<EnrollmentTermId>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    time_zone: Option<String>,
    default_view: String,
    is_public: bool,
    workflow_state: String,
    created_at: Timestamp,
}
