//! A quiz as somebody is about to take it: what was drawn before, what is allowed, and what stands in it.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::{AssignmentId, QuizSessionId};
use shared::{Error, Result, Timestamp};
use submissions::attempts::Progress;
use submissions::quiz_settings::QuizSettings;
use submissions::rules::closed;

use crate::model::drawing::SourceItem;

/// A quiz whose sessions are listed.
#[derive(Deserialize)]
pub(crate) struct QuizOfSessions {
    pub(crate) id: AssignmentId,
    pub(crate) title: String,
    pub(crate) published: bool,
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
        self.progress().require_attempt(&self.quiz_settings.0, now)
    }

    fn progress(&self) -> Progress {
        Progress {
            count: self.attempts_made,
            latest_at: self.latest_attempt_at,
            bytes: self.attempt_bytes,
            extra_attempts: self.extra_attempts,
            is_taken: self.taking.is_some(),
        }
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
}
