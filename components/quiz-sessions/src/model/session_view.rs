//! Sessions as they are answered.

use serde::Serialize;
use shared::ids::{QuizSessionId, UserId};
use shared::{JsonSchema, Timestamp};
use submissions::quiz_settings::CalculatorType;

use crate::model::items::SessionItem;
use crate::model::results::VisibleResults;
use crate::model::sessions::{SessionRow, State};

/// A student's way through a new quiz.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Session {
    id: QuizSessionId,
    /// 1 is the student's first.
    attempt: i64,
    /// Left out to the staff while the work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<UserId>,
    state: State,
    /// True if somebody of the staff looks at what students see: it counts nowhere.
    is_preview: bool,
    started_at: Timestamp,
    /// Null: there is no limit.
    end_at: Option<Timestamp>,
    /// The seconds until then; null without a limit, and when it is handed in.
    time_left: Option<i64>,
    submitted_at: Option<Timestamp>,
    /// `graded`, or `pending_review` while somebody must read an answer; null while it runs.
    workflow_state: Option<&'static str>,
    /// Null while it runs, and where it is hidden.
    score: Option<f64>,
    title: String,
    /// Rich content.
    instructions: Option<String>,
    /// Of all questions that were drawn.
    points_possible: f64,
    settings: SessionSettings,
    /// The question that is looked at: 1 is the first.
    position: i64,
    /// The number of questions.
    item_count: i64,
    answered_count: i64,
    /// Null: without end.
    attempts_left: Option<i64>,
    /// In the student's order. Left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<SessionItem>>,
}

/// The settings that somebody who takes the quiz must know.
#[derive(Serialize, JsonSchema)]
struct SessionSettings {
    calculator_type: CalculatorType,
    one_at_a_time: bool,
    allow_backtracking: bool,
}

impl Session {
    /// The session as it is answered to the reader, who is of the staff or its student, with these items.
    pub(crate) fn new(
        row: SessionRow,
        items: Option<Vec<SessionItem>>,
        (reader, is_of_staff): (UserId, bool),
        now: Timestamp,
    ) -> Self {
        // Who has been given more attempts may be known to who has given them.
        let extra_attempts = row.user_seen_by(reader).map_or(0, |_| row.extra_attempts);
        let most_attempts = row.quiz_settings.0.most_attempts(extra_attempts);
        let left = |end: Timestamp| (end.unix() - now.unix()).max(0);
        let settings = SessionSettings {
            calculator_type: row.quiz_settings.0.calculator_type,
            one_at_a_time: row.is_one_at_a_time(),
            allow_backtracking: !row.only_goes_forward(),
        };
        Self {
            time_left: row.end_at.filter(|_| row.is_taking()).map(left),
            attempts_left: most_attempts.map(|most| (most - row.attempts_made).max(0)),
            id: row.id,
            attempt: row.attempt,
            user_id: row.user_seen_by(reader),
            state: row.state,
            is_preview: row.is_preview,
            started_at: row.started_at,
            end_at: row.end_at,
            submitted_at: row.submitted_at,
            workflow_state: row.workflow_state(),
            score: row
                .score
                .filter(|_| is_of_staff || row.is_posted && VisibleResults::shows_score(&row.quiz_settings.0)),
            title: row.title,
            instructions: row.instructions,
            points_possible: row.points_possible,
            settings,
            position: row.position,
            item_count: row.item_count,
            answered_count: row.answered_count,
            items,
        }
    }
}

/// How far a session has come.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionProgress {
    pub(crate) state: State,
    /// Null: there is no limit.
    pub(crate) end_at: Option<Timestamp>,
    /// The seconds until then; null without a limit.
    pub(crate) time_left: Option<i64>,
    pub(crate) item_count: i64,
    pub(crate) answered_count: i64,
}
