//! Courses: rows and views.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AccountId, CourseId, EnrollmentTermId, UserId};
use shared::{JsonSchema, Timestamp};

use crate::model::filters::AnyOf;

/// A course: what is taught and learned together.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Course {
    pub(crate) id: CourseId,
    pub(crate) account_id: AccountId,
    pub(crate) root_account_id: AccountId,
    pub(crate) name: String,
    pub(crate) course_code: String,
    pub(crate) sis_course_id: Option<String>,
    pub(crate) uuid: String,
    pub(crate) start_at: Option<Timestamp>,
    pub(crate) end_at: Option<Timestamp>,
    /// True if everybody of the tenant may read it once it is available.
    pub(crate) is_public: bool,
    pub(crate) public_description: Option<String>,
    /// Only where `include[]=syllabus_body` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) syllabus_body: Option<Option<String>>,
    pub(crate) license: Option<String>,
    pub(crate) default_view: String,
    pub(crate) time_zone: Option<String>,
    /// `unpublished`, `available`, `completed` or `deleted`.
    pub(crate) workflow_state: String,
    pub(crate) created_at: Timestamp,
    /// Null of a course that an import has given no term.
    pub(crate) enrollment_term_id: Option<EnrollmentTermId>,
    /// Those of the caller, or of the user whose courses are listed.
    pub(crate) enrollments: Json<Vec<CourseEnrollment>>,
    /// Only where `include[]=total_students` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_students: Option<i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseEnrollment {
    /// `teacher`, `student`, …
    r#type: String,
    pub(crate) role: String,
    pub(crate) enrollment_state: String,
    pub(crate) user_id: UserId,
}

/// The things that are shown with a course.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Include {
    /// `syllabus_body`, `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

impl Course {
    /// The record with its syllabus, or without.
    pub(crate) fn shown(self, with_syllabus: bool) -> Self {
        Self { syllabus_body: with_syllabus.then(|| self.syllabus_body.flatten()), ..self }
    }
}

/// The state of a course.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CourseState {
    /// `created` and `claimed` are its older names.
    #[serde(alias = "created", alias = "claimed")]
    Unpublished,
    Available,
    Completed,
    Deleted,
}
