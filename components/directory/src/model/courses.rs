//! Courses: as they are answered with their parts, and how lists of them are ordered.

use serde::{Deserialize, Serialize};
use shared::db::{Bind, Json, Value};
use shared::ids::{AccountId, CourseId, EnrollmentTermId, SectionId, UserId};
use shared::{JsonSchema, Timestamp};

use crate::model::enrollments::{Role, State};
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
    #[serde(skip_deserializing)]
    calendar: Calendar,
    /// Who reads a course that is not public are its members, so it is false.
    #[serde(skip_deserializing)]
    is_public_to_auth_users: bool,
    /// A syllabus is read by who reads the course, so it is false.
    #[serde(skip_deserializing)]
    public_syllabus: bool,
    /// The same.
    #[serde(skip_deserializing)]
    public_syllabus_to_auth: bool,
    /// Storage is limited by the operator alone, so it is null.
    #[serde(skip_deserializing)]
    storage_quota_mb: Option<i64>,
    /// There are no final grades, so it is false.
    #[serde(skip_deserializing)]
    hide_final_grades: bool,
    /// There are no final grades, so it is false.
    #[serde(skip_deserializing)]
    apply_assignment_group_weights: bool,
    /// There are no final grades, so it is null.
    #[serde(skip_deserializing)]
    grading_standard_id: Option<i64>,
    /// There are no final grades, so it is null.
    #[serde(skip_deserializing)]
    grade_passback_setting: Option<String>,
    /// The dates of a course close nothing, so it is false.
    #[serde(skip_deserializing)]
    restrict_enrollments_to_course_dates: bool,
    /// It is not kept, so it is null.
    #[serde(skip_deserializing)]
    course_format: Option<String>,
    /// There are no blueprint courses, so it is false.
    #[serde(skip_deserializing)]
    blueprint: bool,
    /// Courses have an SIS id alone, so it is null.
    #[serde(skip_deserializing)]
    integration_id: Option<String>,
}

/// The feed of a calendar.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Calendar {
    /// There are no calendars, so it is null.
    ics: Option<String>,
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
    /// The address of the teacher in the course.
    #[serde(skip_deserializing)]
    html_url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseEnrollment {
    /// `teacher`, `student`, …
    r#type: String,
    pub(crate) role: String,
    pub(crate) enrollment_state: String,
    pub(crate) user_id: UserId,
}

/// Which courses of a user are listed, and what is shown of them.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct UserFilter {
    /// Only those in which the user takes part as one of these.
    pub(crate) enrollment_type: AnyOf<Role>,
    /// The same.
    pub(crate) enrollment_role: AnyOf<Role>,
    /// Only those in which the enrollment of the user is in this state.
    pub(crate) enrollment_state: Option<EnrollmentState>,
    /// Only those in one of these states.
    pub(crate) state: AnyOf<CourseState>,
    /// `account`, `concluded`, `sections`, `syllabus_body`, `teachers`, `term`, `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

/// Which of the user's enrollments count.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EnrollmentState {
    Active,
    InvitedOrPending,
    Completed,
}

impl UserFilter {
    /// The states of the user's enrollments that count.
    pub(crate) fn enrollment_states(&self) -> Vec<State> {
        match self.enrollment_state {
            Some(EnrollmentState::Active) => vec![State::Active],
            Some(EnrollmentState::InvitedOrPending) => vec![State::Invited],
            Some(EnrollmentState::Completed) => vec![State::Completed],
            None => vec![State::Active, State::Invited],
        }
    }
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

    /// The record with the addresses of what is shown with it.
    pub(crate) fn with_addresses(mut self, base_url: &str) -> Self {
        for teacher in self.teachers.iter_mut().flat_map(|teachers| &mut teachers.0) {
            teacher.html_url = format!("{base_url}/courses/{}/users/{}", self.id, teacher.id);
        }
        self
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
