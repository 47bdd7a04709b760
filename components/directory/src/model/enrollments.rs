//! Enrollments: as they are answered, and how lists of them are filtered and ordered.

use serde::{Deserialize, Serialize};
use shared::ids::{AccountId, CourseId, EnrollmentId, EnrollmentTermId, IdOrAlias, SectionId, UserId};
use shared::{JsonSchema, Patch, Timestamp};

use crate::model::filters::AnyOf;

/// A user's part in a course.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Enrollment {
    pub(crate) id: EnrollmentId,
    pub(crate) root_account_id: AccountId,
    pub(crate) course_id: CourseId,
    pub(crate) course_section_id: SectionId,
    pub(crate) user_id: UserId,
    /// Whom an observer observes.
    pub(crate) associated_user_id: Option<UserId>,
    pub(crate) r#type: Role,
    pub(crate) role: Role,
    pub(crate) enrollment_state: State,
    pub(crate) limit_privileges_to_course_section: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// The address of the user in the course.
    pub(crate) html_url: String,
    /// Told to staff only.
    pub(crate) sis_account_id: Option<String>,
    /// Told to staff only.
    pub(crate) sis_course_id: Option<String>,
    /// Told to staff only.
    pub(crate) sis_section_id: Option<String>,
    /// Told to staff only.
    pub(crate) section_integration_id: Option<String>,
    /// Courses have an SIS id alone, so it is null.
    pub(crate) course_integration_id: Option<String>,
    /// Told to staff only, and of those who were only invited to administrators only.
    pub(crate) sis_user_id: Option<String>,
    /// It is not kept, so it is null.
    pub(crate) last_activity_at: Option<Timestamp>,
    /// It is not kept, so it is null.
    pub(crate) last_attended_at: Option<Timestamp>,
    /// It is not kept, so it is 0.
    pub(crate) total_activity_time: i64,
    /// Only of students.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grades: Option<CourseGrades>,
    pub(crate) user: EnrolledUser,
}

/// A student's grades in a course. There are no totals of courses, so they are null.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseGrades {
    /// The address of the student's grades.
    html_url: String,
    current_score: Option<f64>,
    current_grade: Option<String>,
    final_score: Option<f64>,
    final_grade: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct EnrolledUser {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    /// Told as the SIS id is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) login_id: Option<String>,
}

/// As what a user takes part in a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Role {
    #[serde(rename = "StudentEnrollment", alias = "student")]
    Student,
    #[serde(rename = "TeacherEnrollment", alias = "teacher")]
    Teacher,
    #[serde(rename = "TaEnrollment", alias = "ta")]
    Ta,
    #[serde(rename = "DesignerEnrollment", alias = "designer")]
    Designer,
    #[serde(rename = "ObserverEnrollment", alias = "observer")]
    Observer,
}

/// A role by which enrollments are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum RoleFilter {
    #[serde(rename = "StudentEnrollment", alias = "student")]
    Student,
    #[serde(rename = "TeacherEnrollment", alias = "teacher")]
    Teacher,
    #[serde(rename = "TaEnrollment", alias = "ta")]
    Ta,
    #[serde(rename = "DesignerEnrollment", alias = "designer")]
    Designer,
    #[serde(rename = "ObserverEnrollment", alias = "observer")]
    Observer,
    /// There are no test students, so it finds nobody.
    #[serde(rename = "StudentViewEnrollment", alias = "student_view")]
    StudentView,
}

/// The state of an enrollment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Active,
    /// `creation_pending` is what it is called before a course is offered.
    #[serde(alias = "creation_pending", alias = "pending")]
    Invited,
    Inactive,
    Completed,
    Rejected,
    Deleted,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Student => "StudentEnrollment",
            Self::Teacher => "TeacherEnrollment",
            Self::Ta => "TaEnrollment",
            Self::Designer => "DesignerEnrollment",
            Self::Observer => "ObserverEnrollment",
        }
    }
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Invited => "invited",
            Self::Inactive => "inactive",
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Deleted => "deleted",
        }
    }
}

/// The order of a course's users.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RosterSort {
    /// The name, the family name first.
    Username,
    Email,
    SisId,
}

/// Which enrollments are listed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Filter {
    /// Only those with one of these roles.
    pub(crate) r#type: AnyOf<RoleFilter>,
    /// The same.
    pub(crate) role: AnyOf<RoleFilter>,
    /// `active` and `invited` unless given.
    pub(crate) state: AnyOf<StateFilter>,
    pub(crate) user_id: Option<IdOrAlias<UserId>>,
    /// Those in courses of the term: an id, `sis_term_id:X` or `default`; 404 where there is no such term.
    pub(crate) enrollment_term_id: Patch<IdOrAlias<EnrollmentTermId>>,
    /// The accounts in which the courses stand. Who is not told SIS ids finds nothing by them.
    pub(crate) sis_account_id: AnyOf<String>,
    /// Only those in these courses.
    pub(crate) sis_course_id: AnyOf<String>,
    /// Only those in these sections.
    pub(crate) sis_section_id: AnyOf<String>,
    /// Only those of these users.
    pub(crate) sis_user_id: AnyOf<String>,
}

/// The SIS ids by which enrollments are chosen.
pub(crate) struct SisFilter {
    pub(crate) accounts: AnyOf<String>,
    pub(crate) courses: AnyOf<String>,
    pub(crate) sections: AnyOf<String>,
    pub(crate) users: AnyOf<String>,
}

/// A state, or a word for several.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateFilter {
    Active,
    Invited,
    CreationPending,
    Inactive,
    Completed,
    Rejected,
    Deleted,
    CurrentAndInvited,
    CurrentAndFuture,
    CurrentFutureAndRestricted,
    CurrentAndConcluded,
}

impl Filter {
    /// True if it names a record, of which it is to be known first whether there is one.
    pub(crate) fn names_record(&self) -> bool {
        self.user_id.is_some() || matches!(self.enrollment_term_id, Patch::Value(_))
    }

    /// The roles that are asked for, by either name.
    pub(crate) fn roles(&self) -> AnyOf<RoleFilter> {
        self.r#type.clone().or(self.role.iter().copied())
    }

    /// The SIS ids that are asked for.
    pub(crate) fn sis(&self) -> SisFilter {
        SisFilter {
            accounts: self.sis_account_id.clone(),
            courses: self.sis_course_id.clone(),
            sections: self.sis_section_id.clone(),
            users: self.sis_user_id.clone(),
        }
    }

    /// The states that are asked for.
    pub(crate) fn states(&self) -> Vec<State> {
        let states: Vec<State> = self.state.iter().flat_map(|state| state.states()).copied().collect();
        if states.is_empty() { vec![State::Active, State::Invited] } else { states }
    }
}

impl StateFilter {
    fn states(self) -> &'static [State] {
        match self {
            Self::Active => &[State::Active],
            Self::Invited | Self::CreationPending => &[State::Invited],
            Self::Inactive => &[State::Inactive],
            Self::Completed => &[State::Completed],
            Self::Rejected => &[State::Rejected],
            Self::Deleted => &[State::Deleted],
            Self::CurrentAndInvited | Self::CurrentAndFuture | Self::CurrentFutureAndRestricted => {
                &[State::Active, State::Invited]
            }
            Self::CurrentAndConcluded => &[State::Active, State::Completed],
        }
    }
}
