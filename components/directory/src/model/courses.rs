//! Courses: as they are answered with their parts, and how lists of them are ordered.

use serde::{Deserialize, Serialize};
use shared::db::{Bind, Json, Value};
use shared::ids::{AccountId, CourseId, EnrollmentTermId, SectionId, UserId};
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
    /// The default term, unless it has been given another one.
    pub(crate) enrollment_term_id: Option<EnrollmentTermId>,
    /// Those of the caller, or of the user whose courses are listed.
    pub(crate) enrollments: Json<Vec<CourseEnrollment>>,
    /// Only where `include[]=total_students` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_students: Option<i64>,
    /// Only where `include[]=account` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<Json<CourseAccount>>,
    /// Only where `include[]=term` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) term: Option<Json<CourseTerm>>,
    /// The sections of the enrollments that are shown. Only where `include[]=sections` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sections: Option<Json<Vec<CourseSection>>>,
    /// Only where `include[]=teachers` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) teachers: Option<Json<Vec<CourseTeacher>>>,
    /// Only where `include[]=concluded` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) concluded: Option<bool>,
    /// Only where `include[]=post_manually` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) post_manually: Option<bool>,
}

/// The account in which a course stands.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseAccount {
    id: AccountId,
    name: String,
}

/// The term in which a course is taught.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseTerm {
    id: EnrollmentTermId,
    name: String,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    created_at: Timestamp,
    workflow_state: String,
}

/// A section in which somebody is enrolled.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseSection {
    id: SectionId,
    name: String,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    enrollment_role: String,
}

/// Somebody who teaches a course.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseTeacher {
    id: UserId,
    display_name: String,
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
    /// `account`, `concluded`, `post_manually`, `sections`, `syllabus_body`, `teachers`, `term`, `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

/// The parts of courses that are looked for only where they are asked for.
#[derive(Clone, Default)]
pub(crate) struct Parts(Vec<&'static str>);

impl Parts {
    const NAMES: [&'static str; 7] =
        ["account", "concluded", "post_manually", "sections", "teachers", "term", "total_students"];

    /// Those that are named.
    pub(crate) fn named(include: &AnyOf<String>) -> Self {
        Self(Self::NAMES.into_iter().filter(|name| include.names(name)).collect())
    }
}

/// As a list of JSON.
impl Bind for Parts {
    fn value(self) -> Value {
        Json(self.0).value()
    }
}

impl Course {
    /// The record with its syllabus, or without.
    pub(crate) fn shown(self, with_syllabus: bool) -> Self {
        Self { syllabus_body: with_syllabus.then(|| self.syllabus_body.flatten()), ..self }
    }
}

/// The order of an account's courses. Those without an SIS id come first by it.
#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CourseSort {
    CourseName,
    SisCourseId,
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
