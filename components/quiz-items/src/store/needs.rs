//! The quiz or bank that a path names. Whoever may edit its course's assignments may see and edit it: an item holds its answers.

use std::borrow::Cow;

use serde::Deserialize;
use shared::Result;
use shared::ids::{AssignmentId, BankId};
use shared::needs::{NeededInCourse, OfCourse, may};

/// The quiz of the path, whose course's assignments the caller may edit.
pub(crate) type ManagedQuiz = NeededInCourse<Quiz, may::ManageAssignments>;

/// A new quiz, known by its assignment.
#[derive(Deserialize)]
pub(crate) struct Quiz {
    pub(crate) id: AssignmentId,
}

impl OfCourse for Quiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = "SELECT a.id FROM assignments a JOIN new_quizzes q ON q.assignment_id = a.id
            WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";
        Ok(sql.into())
    }
}

/// The bank of the path, whose course's assignments the caller may edit.
pub(crate) type ManagedBank = NeededInCourse<Bank, may::ManageAssignments>;

/// An item bank.
#[derive(Deserialize)]
pub(crate) struct Bank {
    pub(crate) id: BankId,
}

impl OfCourse for Bank {
    const WORDS: &'static [&'static str] = &["banks"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok("SELECT b.id FROM item_banks b WHERE b.id = ?1 AND b.course_id = course.id".into())
    }
}
