//! Assignments: as they are answered, and how lists of them are filtered and ordered.

use ::submissions::grading::{GradingType, Scale};
use ::submissions::submission_types::SubmissionType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::{CourseAccess, Right};
use shared::db::Json;
use shared::ids::{AssignmentId, CourseId, QuizId};
use shared::{JsonSchema, Timestamp};

use crate::model::locks::Lock;

/// A piece of work for the students of a course.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Assignment {
    pub(crate) id: AssignmentId,
    pub(crate) course_id: CourseId,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) grading_type: GradingType,
    pub(crate) submission_types: Json<Vec<SubmissionType>>,
    pub(crate) assignment_group_id: Option<i64>,
    /// The number of times that a student may hand something in; -1: without end.
    pub(crate) allowed_attempts: i64,
    /// By what tools know it.
    pub(crate) lti_context_id: Option<String>,
    pub(crate) position: i64,
    pub(crate) published: bool,
    /// True if somebody has handed something in.
    pub(crate) has_submitted_submissions: bool,
    pub(crate) workflow_state: String,
    /// True if students see grades when somebody posts them, and not as soon as they are given.
    pub(crate) post_manually: bool,
    /// True if graders do not see whose work it is until its grade is posted.
    pub(crate) anonymous_grading: bool,
    /// True if students see no grade: grades are posted by hand, and nobody has posted any yet.
    pub(crate) muted: bool,
    /// True if there are overrides of its dates.
    pub(crate) has_overrides: bool,
    /// True if it holds the grades of a quiz that is for those students alone for whom there are overrides.
    pub(crate) only_visible_to_overrides: bool,
    /// True if it stands for a new quiz.
    pub(crate) is_quiz_lti_assignment: bool,
    /// The classic quiz whose grades it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quiz_id: Option<QuizId>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl Assignment {
    /// The way in which it is graded.
    pub(crate) fn scale(&self) -> Scale {
        Scale { grading_type: self.grading_type, points_possible: self.points_possible }
    }

    /// True if it holds the grades of a quiz, classic or new: what is handed in are attempts at the quiz.
    pub(crate) fn is_of_quiz(&self) -> bool {
        self.quiz_id.is_some() || self.is_quiz_lti_assignment
    }
}

/// An assignment as it is answered.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct AssignmentView {
    #[serde(flatten)]
    assignment: Assignment,
    /// True if it can be taken back: not any more when students have handed something in, or begun to.
    unpublishable: bool,
    html_url: String,
    /// True if the caller cannot hand anything in now by its dates; false to staff.
    locked_for_user: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_info: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_explanation: Option<String>,
    #[serde(flatten)]
    unkept: UnkeptSettings,
}

/// The settings that clients read and no assignment has: each is what says so.
#[derive(Clone, Default, Serialize, JsonSchema)]
struct UnkeptSettings {
    omit_from_final_grade: bool,
    peer_reviews: bool,
    group_category_id: Option<i64>,
    grading_standard_id: Option<i64>,
    integration_id: Option<String>,
    integration_data: IntegrationData,
}

/// The data of other systems: none.
#[derive(Clone, Default, Serialize, JsonSchema)]
struct IntegrationData {}

impl AssignmentView {
    /// The assignment as it is for the caller of that course.
    pub(crate) fn new(assignment: Assignment, course: &CourseAccess, base_url: &str, now: Timestamp) -> Self {
        let lock = match course.can(Right::ReadAsStaff) {
            true => None,
            false => Lock::of_assignment(assignment.id, (assignment.unlock_at, assignment.lock_at), now),
        };
        Self {
            html_url: format!("{base_url}/courses/{}/assignments/{}", assignment.course_id, assignment.id),
            unpublishable: !assignment.has_submitted_submissions,
            locked_for_user: lock.is_some(),
            lock_info: lock.as_ref().map(|lock| lock.info.clone()),
            lock_explanation: lock.map(|lock| lock.explanation),
            unkept: UnkeptSettings::default(),
            assignment,
        }
    }
}

/// The assignments of a list.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct AssignmentFilter {
    /// Part of the name.
    pub(crate) search_term: Option<String>,
    /// Only these.
    pub(crate) assignment_ids: Vec<AssignmentId>,
    /// Only those that stand like this.
    pub(crate) bucket: Option<Bucket>,
    /// By position unless given.
    pub(crate) order_by: AssignmentOrder,
    /// `submission`, to staff `all_dates` and `overrides`, and to graders `needs_grading_count`; others are passed over.
    pub(crate) include: Vec<String>,
}

/// The records that are answered beside an assignment.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct AssignmentInclude {
    /// `submission`, to staff `all_dates` and `overrides`, and to graders `needs_grading_count`; others are passed over.
    pub(crate) include: Vec<String>,
}

/// True if `include[]` asks for the caller's own submission.
pub(crate) fn asks_for_submission(include: &[String]) -> bool {
    include.iter().any(|word| word == "submission")
}

/// Assignments by when they are due and by what was handed in. What concerns a student is of the caller, or of the one student
/// whom the caller watches over.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bucket {
    /// Due before now.
    Past,
    /// Due before now, and the student has handed in nothing and still could.
    Overdue,
    /// Due at no time.
    Undated,
    /// With work that waits to be graded; empty for those who do not grade.
    Ungraded,
    /// The student has handed in nothing.
    Unsubmitted,
    /// Due within a week.
    Upcoming,
    /// Not due before now.
    Future,
}

/// The order of a list of assignments.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AssignmentOrder {
    #[default]
    Position,
    Name,
    /// Those without a date come last.
    DueAt,
}

/// The part of an assignment or a quiz that students are told.
#[derive(Clone, PartialEq)]
pub(crate) struct Announced {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) published: bool,
}

impl Announced {
    /// True if students are told of it: of what was not published before, or is not as it was.
    pub(crate) fn is_news_after(&self, before: Option<&Self>) -> bool {
        self.published && before.filter(|before| before.published).is_none_or(|before| before != self)
    }

    /// True if there is another difference than that of the due dates.
    pub(crate) fn differs_beside_due_date(&self, other: &Self) -> bool {
        Self { due_at: other.due_at, ..self.clone() } != *other
    }
}

/// An assignment that will soon be due.
#[derive(Deserialize)]
pub(crate) struct AnnouncedAssignment {
    pub(crate) id: AssignmentId,
    pub(crate) course_id: CourseId,
    pub(crate) name: String,
    pub(crate) due_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_due_date_alone_is_no_other_change() {
        let essay = Announced {
            title: "Essay".to_owned(),
            description: None,
            points_possible: Some(10.0),
            due_at: None,
            unlock_at: None,
            lock_at: None,
            published: true,
        };
        let later = Announced { due_at: Timestamp::parse("2026-03-04T05:06:07Z"), ..essay.clone() };
        assert!(!essay.differs_beside_due_date(&later));
        assert!(essay.differs_beside_due_date(&Announced { points_possible: None, ..later.clone() }));
        let hidden = Announced { published: false, ..essay.clone() };
        assert!(later.is_news_after(Some(&essay)) && essay.is_news_after(Some(&hidden)) && essay.is_news_after(None));
        assert!(
            !essay.is_news_after(Some(&essay)) && !hidden.is_news_after(Some(&essay)) && !hidden.is_news_after(None)
        );
    }
}
