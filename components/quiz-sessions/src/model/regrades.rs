//! Regrades: what is asked for, what is kept of it, and how it is shown.

use questions::key::KeyForm;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{ItemId, QuizRegradeId, QuizSessionId, UserId};
use shared::{JsonSchema, Patch, Timestamp};

/// What becomes of the attempts that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RegradeOption {
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
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CurrentAndPreviousCorrect => "current_and_previous_correct",
            Self::CurrentCorrectOnly => "current_correct_only",
            Self::FullCredit => "full_credit",
            Self::NoRegrade => "no_regrade",
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RegradeForm {
    /// A question of the quiz itself, none of a bank.
    pub(crate) item_id: ItemId,
    pub(crate) option: RegradeOption,
    /// What is right from now on: its shape depends on the type. What is right now stays if it is left out.
    #[serde(default)]
    scoring_data: Patch<Value>,
    /// One of those of the type.
    #[serde(default)]
    scoring_algorithm: Patch<String>,
}

impl RegradeForm {
    /// The key of the form.
    pub(crate) fn into_key(self) -> KeyForm {
        KeyForm { scoring_data: self.scoring_data, scoring_algorithm: self.scoring_algorithm }
    }
}

/// A regrade as it is stored.
#[derive(Deserialize)]
pub(crate) struct RegradeRow {
    id: QuizRegradeId,
    item_id: String,
    user_id: UserId,
    option: RegradeOption,
    previous_scoring_algorithm: String,
    previous_scoring_data: Json,
    scoring_algorithm: String,
    scoring_data: Json,
    attempt_count: i64,
    regraded_count: i64,
    changed_count: i64,
    points_change: f64,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
}

/// Whether attempts are still due.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RegradeState {
    Running,
    Completed,
}

/// A correction of what is right in a question of a new quiz, and what became of the attempts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Regrade {
    id: QuizRegradeId,
    /// The item of the quiz.
    item_id: String,
    /// Who has asked for it.
    user_id: UserId,
    option: RegradeOption,
    workflow_state: RegradeState,
    /// In percent.
    completion: i64,
    /// The attempts that are handed in. Those that ran when it began are counted when they are.
    attempt_count: i64,
    regraded_count: i64,
    /// The attempts that have other points for the question than before.
    changed_count: i64,
    /// The points for the question that all attempts together have more than before.
    points_change: f64,
    /// What was right before: its shape depends on the type.
    previous_scoring_data: Value,
    previous_scoring_algorithm: String,
    /// What is right from then on: its shape depends on the type.
    scoring_data: Value,
    scoring_algorithm: String,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
}

impl From<RegradeRow> for Regrade {
    fn from(row: RegradeRow) -> Self {
        let is_completed = row.completed_at.is_some();
        let percent = row.regraded_count.saturating_mul(100).checked_div(row.attempt_count).unwrap_or_default();
        Self {
            id: row.id,
            item_id: row.item_id,
            user_id: row.user_id,
            option: row.option,
            workflow_state: if is_completed { RegradeState::Completed } else { RegradeState::Running },
            completion: if is_completed { 100 } else { percent.clamp(0, 99) },
            attempt_count: row.attempt_count,
            regraded_count: row.regraded_count,
            changed_count: row.changed_count,
            points_change: crate::model::scores::rounded(row.points_change),
            previous_scoring_data: row.previous_scoring_data.0,
            previous_scoring_algorithm: row.previous_scoring_algorithm,
            scoring_data: row.scoring_data.0,
            scoring_algorithm: row.scoring_algorithm,
            created_at: row.created_at,
            completed_at: row.completed_at,
        }
    }
}

/// What a regrade has done to an attempt.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct RegradedAttempt {
    session_id: QuizSessionId,
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
