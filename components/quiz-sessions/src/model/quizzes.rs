//! A quiz as somebody is about to take it: what was drawn before, what is allowed, and what stands in it.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::{AssignmentId, QuizSessionId};
use shared::{Error, Result, Timestamp};
use submissions::quiz_settings::QuizSettings;
use submissions::rules::closed;

use crate::model::drawing::SourceItem;
use crate::model::sessions::most_attempts;

/// The most attempts that are kept of a student, however many a quiz allows, and the most bytes of their responses.
const MAX_ATTEMPTS: i64 = 250;
const MAX_ATTEMPT_BYTES: i64 = 8 * 1024 * 1024;

/// A quiz whose sessions are listed, for the user who calls.
#[derive(Deserialize)]
pub(crate) struct QuizOfSessions {
    pub(crate) id: AssignmentId,
    pub(crate) title: String,
    pub(crate) published: bool,
    /// The user's session and preview that run, of which the time is limited.
    pub(crate) timed: Json<Vec<TimedSession>>,
}

/// A session that runs until a moment.
#[derive(Deserialize)]
pub(crate) struct TimedSession {
    pub(crate) id: QuizSessionId,
    pub(crate) end_at: Timestamp,
}

/// A quiz, for the user who calls.
#[derive(Deserialize)]
pub(crate) struct QuizToTake {
    pub(crate) id: AssignmentId,
    pub(crate) published: bool,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) quiz_settings: Json<QuizSettings>,
    /// The session that runs.
    pub(crate) taking: Option<QuizSessionId>,
    /// The preview that runs.
    pub(crate) previewing: Option<QuizSessionId>,
    pub(crate) attempts_made: i64,
    pub(crate) latest_attempt: i64,
    pub(crate) latest_attempt_at: Option<Timestamp>,
    pub(crate) attempt_bytes: i64,
    pub(crate) extra_time: i64,
    pub(crate) extra_attempts: i64,
    pub(crate) has_fewer_choices: bool,
    pub(crate) items: Json<Vec<SourceItem>>,
}

impl QuizToTake {
    /// 409 where the quiz is closed, or the student has no attempt left or must wait for it.
    pub(crate) fn require_attempt(&self, now: Timestamp) -> Result<()> {
        if let Some(reason) = closed("quiz", self.published, (self.unlock_at, self.lock_at), now) {
            return Err(Error::conflict(reason));
        }
        let settings = &self.quiz_settings.0;
        let most = most_attempts(settings, self.extra_attempts).map_or(MAX_ATTEMPTS, |most| most.min(MAX_ATTEMPTS));
        if self.attempts_made >= most || self.attempt_bytes > MAX_ATTEMPT_BYTES {
            return Err(Error::conflict("no attempts are left"));
        }
        match self.waits_until().filter(|until| now < *until) {
            Some(until) => Err(Error::conflict(format!("the next attempt may begin at {until}"))),
            None => Ok(()),
        }
    }

    /// When the waiting time after the last attempt is over, if the quiz has one.
    fn waits_until(&self) -> Option<Timestamp> {
        let attempts = self.quiz_settings.0.multiple_attempts.as_ref()?;
        let waits = attempts.multiple_attempts_enabled && attempts.cooling_period;
        let seconds = attempts.cooling_period_seconds.filter(|_| waits)?;
        Some(self.latest_attempt_at?.plus_seconds(seconds))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(fields: Value) -> Option<String> {
        let mut quiz = json!({
            "id": 1, "published": true, "unlock_at": null, "lock_at": null, "quiz_settings": {}, "taking": null,
            "previewing": null, "attempts_made": 0, "latest_attempt": 0, "latest_attempt_at": null, "attempt_bytes": 0,
            "extra_time": 0, "extra_attempts": 0, "has_fewer_choices": false, "items": [],
        });
        for (name, value) in fields.as_object().unwrap() {
            quiz[name] = value.clone();
        }
        let quiz: QuizToTake = serde_json::from_value(quiz).unwrap();
        let now = Timestamp::parse("2026-01-01T12:00:00Z").unwrap();
        quiz.require_attempt(now).err().map(|error| error.to_string())
    }

    fn refused(fields: Value, reason: &str) -> bool {
        refusal(fields).is_some_and(|refusal| refusal.contains(reason))
    }

    #[test]
    fn a_quiz_is_taken_in_its_time() {
        assert_eq!(refusal(json!({})), None);
        assert!(refused(json!({"published": false}), "not published"));
        assert!(refused(json!({"unlock_at": "2026-01-01T12:00:01Z"}), "is locked until"));
        assert!(refused(json!({"lock_at": "2026-01-01T12:00:00Z"}), "was locked"));
        assert_eq!(refusal(json!({"unlock_at": "2026-01-01T12:00:00Z", "lock_at": "2026-01-01T12:00:01Z"})), None);
    }

    #[test]
    fn attempts_are_as_many_as_are_allowed_with_the_extra_ones() {
        let once = json!({"multiple_attempts": {"multiple_attempts_enabled": false}});
        assert_eq!(refusal(json!({"quiz_settings": once})), None);
        assert!(refused(json!({"quiz_settings": once, "attempts_made": 1}), "no attempts are left"));
        assert_eq!(refusal(json!({"quiz_settings": once, "attempts_made": 1, "extra_attempts": 1})), None);
        assert_eq!(refusal(json!({"attempts_made": 249})), None);
        assert!(refused(json!({"attempts_made": 250}), "no attempts are left"));
        assert!(refused(json!({"attempt_bytes": 9_000_000}), "no attempts are left"));
    }

    #[test]
    fn the_next_attempt_waits_where_the_quiz_says_so() {
        let quiz = |cooling: bool, at: &str| {
            let attempts =
                json!({"multiple_attempts_enabled": true, "cooling_period": cooling, "cooling_period_seconds": 60});
            json!({"quiz_settings": {"multiple_attempts": attempts}, "attempts_made": 1, "latest_attempt_at": at})
        };
        assert!(refused(quiz(true, "2026-01-01T11:59:01Z"), "may begin at 2026-01-01T12:00:01Z"));
        assert_eq!(refusal(quiz(true, "2026-01-01T11:59:00Z")), None);
        assert_eq!(refusal(quiz(false, "2026-01-01T11:59:59Z")), None);
    }
}
