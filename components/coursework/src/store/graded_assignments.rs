//! Assignments as far as work for them asks: what concerns their other records is not even looked up.

use std::borrow::Cow;

use ::submissions::student_dates;
use ::submissions::submission_types::SubmissionType;
use serde::Deserialize;
use shared::db::Json;
use shared::ids::AssignmentId;
use shared::needs::OfCourse;
use shared::{Result, Timestamp};

use crate::store::CALLER;

const FOUND: &str = "FROM assignments a WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";

/// An assignment whose work is looked at or graded.
#[derive(Deserialize)]
pub(crate) struct GradedAssignment {
    pub(crate) id: AssignmentId,
    pub(crate) published: bool,
    /// True if graders do not see whose work it is until its grade is posted.
    pub(crate) anonymous_grading: bool,
}

impl OfCourse for GradedAssignment {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(format!("SELECT a.id, a.workflow_state = 'published' AS published, a.anonymous_grading {FOUND}").into())
    }
}

/// An assignment for which something is handed in, with the dates that it has for whoever calls.
#[derive(Deserialize)]
pub(crate) struct OpenAssignment {
    pub(crate) id: AssignmentId,
    pub(crate) published: bool,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    submission_types: Json<Vec<SubmissionType>>,
    /// True if it holds the grades of a quiz, classic or new: what is handed in are attempts at the quiz.
    is_of_quiz: bool,
}

impl OpenAssignment {
    /// True if students hand such work in themselves.
    pub(crate) fn takes(&self, kind: SubmissionType) -> bool {
        !self.is_of_quiz && self.submission_types.0.contains(&kind)
    }
}

impl OfCourse for OpenAssignment {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        let dates = student_dates::ASSIGNMENT;
        Ok(format!(
            "SELECT a.id, a.workflow_state = 'published' AS published, {} AS unlock_at, {} AS lock_at, a.submission_types,
                    EXISTS (SELECT 1 FROM new_quizzes n WHERE n.assignment_id = a.id)
                    OR EXISTS (SELECT 1 FROM quizzes z WHERE z.assignment_id = a.id) AS is_of_quiz {FOUND}",
            dates.unlock_at(CALLER),
            dates.lock_at(CALLER)
        )
        .into())
    }
}
