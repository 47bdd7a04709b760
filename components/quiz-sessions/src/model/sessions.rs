//! Sessions as they are stored.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AccountId, AssignmentId, CourseId, QuizSessionId, UserId};
use shared::{JsonSchema, Timestamp};
use submissions::quiz_settings::{OneAtATime, QuizSettings};

use crate::model::drawing::DrawnItem;

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
    /// 1 more with each grading by a person.
    pub(crate) grading_version: i64,
    /// Points beside those of the answers.
    pub(crate) fudge_points: f64,
    /// Who has graded last.
    pub(crate) grader_id: Option<UserId>,
    pub(crate) graded_at: Option<Timestamp>,
    pub(crate) results_seen_at: Option<Timestamp>,
    pub(crate) title: String,
    pub(crate) instructions: Option<String>,
    pub(crate) quiz_settings: Json<QuizSettings>,
    pub(crate) attempts_made: i64,
    /// True if the student takes the quiz now, in this session or in another.
    pub(crate) is_quiz_taken: bool,
    pub(crate) extra_attempts: i64,
    pub(crate) answered_count: i64,
    /// True if students see the grade.
    pub(crate) is_posted: bool,
    pub(crate) anonymous_grading: bool,
}

/// A session whose time is over, and that nobody has handed in.
#[derive(Deserialize)]
pub(crate) struct OverdueSession {
    pub(crate) id: QuizSessionId,
    pub(crate) is_preview: bool,
}

/// The sessions that a reader wants to see.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct SessionsOf {
    /// Only those of this user.
    pub(crate) user_id: Option<UserId>,
}

/// True if the time of a session that ends then is over, and nothing is on its way any more.
pub(crate) fn is_over(end_at: Timestamp, now: Timestamp) -> bool {
    end_at.plus_seconds(GRACE) <= now
}

impl SessionRow {
    /// Whose it is, as far as the reader may know: the staff not while the grade of anonymous work is not posted.
    pub(crate) fn user_seen_by(&self, reader: UserId) -> Option<UserId> {
        let is_anonymous = self.anonymous_grading && !self.is_posted;
        Some(self.user_id).filter(|user| !is_anonymous || self.is_preview || *user == reader)
    }

    pub(crate) fn is_taking(&self) -> bool {
        self.state == State::Taking
    }

    /// `graded`, or `pending_review` while somebody must read an answer; `None` while it runs.
    pub(crate) fn workflow_state(&self) -> Option<&'static str> {
        self.is_scored.map(|is_scored| if is_scored { "graded" } else { "pending_review" })
    }

    /// True if its time is over, and nothing is on its way any more.
    pub(crate) fn is_overdue(&self, now: Timestamp) -> bool {
        self.is_taking() && self.end_at.is_some_and(|end| is_over(end, now))
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

    /// True if the student has made the last attempt that is allowed, and makes none now.
    pub(crate) fn has_none_left(&self) -> bool {
        !self.is_quiz_taken && self.quiz_settings.0.are_all_made(self.attempts_made, self.extra_attempts)
    }
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
}
