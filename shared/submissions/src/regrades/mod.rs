//! Regrades of quizzes, classic and new: what is right in a question, or what it is worth, is corrected after it was answered.
//!
//! A regrade is a record. The attempts that are handed in are due at once, and those that run when they are handed in; the tick
//! of the area takes some at a time, [in turn](turns), and scores them in its own way. What a regrade is, how far it has come and
//! what it has done stands in [`store`].

pub mod store;
pub mod turns;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{
    AssignmentId, BankEntryId, BankId, QuestionItemId, QuizId, QuizRegradeId, QuizSessionId, QuizSubmissionId, UserId,
};
use shared::{JsonSchema, Timestamp};

/// What becomes of the attempts that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegradeOption {
    /// Points for what was right before, and for what is right now: nobody loses any.
    CurrentAndPreviousCorrect,
    /// Points for what is right now, and no others.
    CurrentCorrectOnly,
    /// All points for everybody, whatever was answered.
    FullCredit,
    /// Nothing: the key is corrected for those who hand in from now on.
    NoRegrade,
}

impl RegradeOption {
    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::CurrentAndPreviousCorrect => "current_and_previous_correct",
            Self::CurrentCorrectOnly => "current_correct_only",
            Self::FullCredit => "full_credit",
            Self::NoRegrade => "no_regrade",
        }
    }

    /// The points that an answer has afterwards; `None`: nobody but a person can tell.
    pub fn points(self, answer: &AnswerPoints) -> Option<f64> {
        match self {
            Self::FullCredit => Some(answer.possible),
            Self::CurrentCorrectOnly => answer.current,
            // More than both keys give was given by an earlier regrade.
            Self::CurrentAndPreviousCorrect => {
                [answer.current, answer.previous, answer.had].into_iter().flatten().reduce(f64::max)
            }
            Self::NoRegrade => answer.had,
        }
    }
}

/// What an answer is worth in each way, of the points that its question is worth now. `None`: no program can tell.
#[derive(Debug, Clone, Copy)]
pub struct AnswerPoints {
    /// By the key that is right now.
    pub current: Option<f64>,
    /// By the key that was right before.
    pub previous: Option<f64>,
    /// What it has: where the question is worth more or less than before, in proportion.
    pub had: Option<f64>,
    /// What the question is worth.
    pub possible: f64,
}

/// The points that an answer has, after its question became worth more or less.
pub fn in_proportion(points: f64, (before, now): (f64, f64)) -> f64 {
    if before > 0.0 && (before - now).abs() > f64::EPSILON { points / before * now } else { points }
}

/// The quiz that is regraded.
#[derive(Debug, Clone, Copy)]
pub enum RegradedQuiz {
    Classic(QuizId),
    /// A new quiz is known by its assignment.
    New(AssignmentId),
}

impl RegradedQuiz {
    /// `quiz_id` and `assignment_id`, of which one is null.
    fn columns(self) -> (Option<QuizId>, Option<AssignmentId>) {
        match self {
            Self::Classic(quiz) => (Some(quiz), None),
            Self::New(assignment) => (None, Some(assignment)),
        }
    }
}

/// What is right in a question.
#[derive(Debug, Clone)]
pub struct StoredKey {
    pub algorithm: String,
    pub data: Json,
}

/// A regrade that begins.
pub struct NewRegrade {
    pub quiz: RegradedQuiz,
    /// As attempts name it.
    pub item: String,
    /// Of a new quiz; `None` there: all that the bank of the item gives.
    pub question: Option<QuestionItemId>,
    /// Where the question stands in a bank.
    pub bank: Option<BankId>,
    pub bank_entry: Option<BankEntryId>,
    pub user: UserId,
    pub option: RegradeOption,
    /// What was right before, and what is from now on.
    pub keys: Option<[StoredKey; 2]>,
    /// What the question was worth before, and what from now on, if that is something else.
    pub points: Option<[f64; 2]>,
}

/// A regrade as it is stored.
#[derive(Deserialize)]
pub struct RegradeRow {
    id: QuizRegradeId,
    item_id: String,
    bank_id: Option<BankId>,
    bank_entry_id: Option<BankEntryId>,
    user_id: UserId,
    option: RegradeOption,
    previous_scoring_algorithm: Option<String>,
    previous_scoring_data: Option<Json>,
    scoring_algorithm: Option<String>,
    scoring_data: Option<Json>,
    previous_points_possible: Option<f64>,
    points_possible: Option<f64>,
    attempt_count: i64,
    regraded_count: i64,
    changed_count: i64,
    by_person_count: i64,
    points_change: f64,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
    has_failed: bool,
}

/// Whether attempts are still due, or the regrade was given up before it had come to all of them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RegradeState {
    Running,
    Completed,
    Failed,
}

/// A correction of what is right in a question of a quiz, or of what it is worth, and what became of the attempts.
#[derive(Serialize, JsonSchema)]
pub struct Regrade {
    id: QuizRegradeId,
    /// The item of a new quiz, `ITEM-ENTRY` of a question that its bank has given, or the question of a classic quiz.
    item_id: String,
    /// The bank that the question came from; null: it is one of the quiz itself.
    bank_id: Option<BankId>,
    /// Null with a bank: all questions that it gave.
    bank_entry_id: Option<BankEntryId>,
    /// Who has asked for it.
    user_id: UserId,
    option: RegradeOption,
    workflow_state: RegradeState,
    /// In percent.
    completion: i64,
    /// The attempts that are handed in. Those that ran when it began are counted when they are.
    attempt_count: i64,
    regraded_count: i64,
    /// The attempts that have another score than before, or other points for the question.
    changed_count: i64,
    /// The attempts with points for the question that a person has given: they stay.
    by_person_count: i64,
    /// The points for the question that all attempts together have more than before.
    points_change: f64,
    /// What was right before: its shape depends on the type. Null of all questions of a bank.
    previous_scoring_data: Option<Value>,
    previous_scoring_algorithm: Option<String>,
    /// What is right from then on: its shape depends on the type.
    scoring_data: Option<Value>,
    scoring_algorithm: Option<String>,
    /// What the question was worth before; null: the same.
    previous_points_possible: Option<f64>,
    /// What it is worth from then on.
    points_possible: Option<f64>,
    created_at: Timestamp,
    /// When no attempt was due any more.
    completed_at: Option<Timestamp>,
}

impl From<RegradeRow> for Regrade {
    fn from(row: RegradeRow) -> Self {
        let is_completed = row.completed_at.is_some() && !row.has_failed;
        let workflow_state = match is_completed {
            true => RegradeState::Completed,
            false if row.has_failed => RegradeState::Failed,
            false => RegradeState::Running,
        };
        let percent = row.regraded_count.saturating_mul(100).checked_div(row.attempt_count).unwrap_or_default();
        Self {
            id: row.id,
            item_id: row.item_id,
            bank_id: row.bank_id,
            bank_entry_id: row.bank_entry_id,
            user_id: row.user_id,
            option: row.option,
            workflow_state,
            completion: if is_completed { 100 } else { percent.clamp(0, 99) },
            attempt_count: row.attempt_count,
            regraded_count: row.regraded_count,
            changed_count: row.changed_count,
            by_person_count: row.by_person_count,
            points_change: crate::grading::rounded(row.points_change),
            previous_scoring_data: row.previous_scoring_data.map(|data| data.0),
            previous_scoring_algorithm: row.previous_scoring_algorithm,
            scoring_data: row.scoring_data.map(|data| data.0),
            scoring_algorithm: row.scoring_algorithm,
            previous_points_possible: row.previous_points_possible,
            points_possible: row.points_possible,
            created_at: row.created_at,
            completed_at: row.completed_at.filter(|_| !row.has_failed),
        }
    }
}

/// What a regrade has done to an attempt.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct RegradedAttempt {
    /// Of a new quiz.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<QuizSessionId>,
    /// Of a classic quiz. Left out while the work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    quiz_submission_id: Option<QuizSubmissionId>,
    /// Null while the work is graded anonymously.
    user_id: Option<UserId>,
    attempt: i64,
    /// For the question; null: somebody had to judge it, or it was not asked.
    points_before: Option<f64>,
    points_after: Option<f64>,
    /// Of the attempt.
    score_before: Option<f64>,
    score_after: Option<f64>,
    /// True if a person had given the points: they stay.
    is_by_person: bool,
    regraded_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_gives_what_it_says() {
        let answer = AnswerPoints { current: Some(0.0), previous: Some(2.0), had: Some(1.0), possible: 3.0 };
        assert_eq!(RegradeOption::CurrentCorrectOnly.points(&answer), Some(0.0));
        assert_eq!(RegradeOption::CurrentAndPreviousCorrect.points(&answer), Some(2.0));
        assert_eq!(RegradeOption::FullCredit.points(&answer), Some(3.0));
        assert_eq!(RegradeOption::NoRegrade.points(&answer), Some(1.0));
        let credited = AnswerPoints { had: Some(3.0), ..answer };
        assert_eq!(RegradeOption::CurrentAndPreviousCorrect.points(&credited), Some(3.0), "an earlier regrade gave it");
        let unread = AnswerPoints { current: None, previous: None, had: None, possible: 3.0 };
        assert_eq!(RegradeOption::CurrentAndPreviousCorrect.points(&unread), None);
    }

    #[test]
    fn points_follow_what_the_question_is_worth() {
        assert_eq!(in_proportion(1.0, (2.0, 5.0)), 2.5);
        assert_eq!(in_proportion(1.0, (0.0, 5.0)), 1.0);
        assert_eq!(in_proportion(0.1, (0.3, 0.3)), 0.1);
    }
}
