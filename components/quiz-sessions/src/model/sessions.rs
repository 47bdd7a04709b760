//! Sessions: rows and views.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AccountId, AssignmentId, CourseId, QuizSessionId, UserId};
use shared::{JsonSchema, Timestamp};
use submissions::quiz_settings::{CalculatorType, MultipleAttempts, OneAtATime, QuizSettings};

use crate::model::drawing::DrawnItem;
use crate::model::items::SessionItem;

/// For so many seconds after the end of a session answers that were on their way are taken.
pub(crate) const GRACE: i64 = 10;

/// Whether a session runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Taking,
    Submitted,
}

/// A session, with what is needed of its quiz.
#[derive(Clone, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) id: QuizSessionId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
    pub(crate) course_id: CourseId,
    pub(crate) assignment_id: AssignmentId,
    pub(crate) user_id: UserId,
    pub(crate) is_preview: bool,
    pub(crate) attempt: i64,
    pub(crate) state: State,
    pub(crate) seed: i64,
    pub(crate) items: Json<Vec<DrawnItem>>,
    pub(crate) item_count: i64,
    pub(crate) points_possible: f64,
    pub(crate) position: i64,
    pub(crate) has_fewer_choices: bool,
    pub(crate) started_at: Timestamp,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) submitted_at: Option<Timestamp>,
    pub(crate) score: Option<f64>,
    pub(crate) is_scored: Option<bool>,
    pub(crate) results_seen_at: Option<Timestamp>,
    pub(crate) title: String,
    pub(crate) instructions: Option<String>,
    pub(crate) quiz_settings: Json<QuizSettings>,
    pub(crate) attempts_made: i64,
    pub(crate) extra_attempts: i64,
    pub(crate) answered_count: i64,
}

impl SessionRow {
    pub(crate) fn is_taking(&self) -> bool {
        self.state == State::Taking
    }

    /// True if its time is over, and nothing is on its way any more.
    pub(crate) fn is_overdue(&self, now: Timestamp) -> bool {
        self.is_taking() && self.end_at.is_some_and(|end| end.plus_seconds(GRACE) <= now)
    }

    /// The seed of all that is drawn for it.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.cast_unsigned()
    }

    pub(crate) fn item(&self, id: &str) -> Option<&DrawnItem> {
        self.items.0.iter().find(|item| item.id == id)
    }

    /// True if the student sees one question at a time.
    pub(crate) fn is_one_at_a_time(&self) -> bool {
        self.quiz_settings.0.one_at_a_time_type == OneAtATime::Question
    }

    /// True if a question is gone when the student has left it.
    pub(crate) fn only_goes_forward(&self) -> bool {
        self.is_one_at_a_time() && !self.quiz_settings.0.allow_backtracking
    }

    /// The number of attempts that the student may make; `None`: without end.
    pub(crate) fn most_attempts(&self) -> Option<i64> {
        most_attempts(&self.quiz_settings.0, self.extra_attempts)
    }

    /// True if the student has made the last attempt that is allowed.
    pub(crate) fn has_no_attempt_left(&self) -> bool {
        self.most_attempts().is_some_and(|most| self.attempts_made >= most)
    }
}

/// The number of times that somebody may take a quiz; `None`: without end.
pub(crate) fn most_attempts(settings: &QuizSettings, extra_attempts: i64) -> Option<i64> {
    let most = settings.multiple_attempts.as_ref().and_then(MultipleAttempts::most)?;
    Some(most.saturating_add(extra_attempts))
}

/// When a session ends that begins at that moment: when its time is over, or the quiz is locked.
pub(crate) fn end_at(
    settings: &QuizSettings,
    started_at: Timestamp,
    extra_minutes: i64,
    lock_at: Option<Timestamp>,
) -> Option<Timestamp> {
    let limit = settings.session_time_limit_in_seconds.filter(|_| settings.has_time_limit);
    let extra = extra_minutes.saturating_mul(60);
    let time_is_up = limit.map(|seconds| started_at.plus_seconds(seconds.saturating_add(extra)));
    [time_is_up, lock_at].into_iter().flatten().min()
}

/// A student's way through a new quiz.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Session {
    id: QuizSessionId,
    /// 1 is the student's first.
    attempt: i64,
    user_id: UserId,
    state: State,
    /// True if somebody of the staff looks at what students see: it counts nowhere.
    is_preview: bool,
    started_at: Timestamp,
    /// Null: there is no limit.
    end_at: Option<Timestamp>,
    /// The seconds until then; null without a limit, and when it is handed in.
    time_left: Option<i64>,
    submitted_at: Option<Timestamp>,
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
    /// The session as it is answered, with these items.
    pub(crate) fn new(row: SessionRow, items: Option<Vec<SessionItem>>, now: Timestamp) -> Self {
        let left = |end: Timestamp| (end.unix() - now.unix()).max(0);
        let settings = SessionSettings {
            calculator_type: row.quiz_settings.0.calculator_type,
            one_at_a_time: row.is_one_at_a_time(),
            allow_backtracking: !row.only_goes_forward(),
        };
        Self {
            time_left: row.end_at.filter(|_| row.is_taking()).map(left),
            attempts_left: row.most_attempts().map(|most| (most - row.attempts_made).max(0)),
            id: row.id,
            attempt: row.attempt,
            user_id: row.user_id,
            state: row.state,
            is_preview: row.is_preview,
            started_at: row.started_at,
            end_at: row.end_at,
            submitted_at: row.submitted_at,
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
pub(crate) struct Progress {
    pub(crate) state: State,
    /// Null: there is no limit.
    pub(crate) end_at: Option<Timestamp>,
    /// The seconds until then; null without a limit.
    pub(crate) time_left: Option<i64>,
    pub(crate) item_count: i64,
    pub(crate) answered_count: i64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(seconds).unwrap()
    }

    fn settings(fields: serde_json::Value) -> QuizSettings {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn a_session_ends_when_its_time_is_over_or_the_quiz_is_locked() {
        let limited = settings(json!({"has_time_limit": true, "session_time_limit_in_seconds": 600}));
        assert_eq!(end_at(&limited, at(1_000), 0, None), Some(at(1_600)));
        assert_eq!(end_at(&limited, at(1_000), 5, None), Some(at(1_900)));
        assert_eq!(end_at(&limited, at(1_000), 5, Some(at(1_200))), Some(at(1_200)));
        let unlimited = settings(json!({"has_time_limit": false, "session_time_limit_in_seconds": 600}));
        assert_eq!(end_at(&unlimited, at(1_000), 5, None), None);
        assert_eq!(end_at(&unlimited, at(1_000), 5, Some(at(1_200))), Some(at(1_200)));
    }

    #[test]
    fn extra_attempts_come_on_top_of_a_limit() {
        let limited = json!({"multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 2});
        assert_eq!(most_attempts(&settings(json!({"multiple_attempts": limited})), 1), Some(3));
        assert_eq!(most_attempts(&settings(json!({"multiple_attempts": {}})), 1), Some(2));
        assert_eq!(most_attempts(&settings(json!({})), 1), None);
    }
}
