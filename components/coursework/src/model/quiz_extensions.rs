//! What a student has of a classic quiz beyond what it allows everybody.

use serde::{Deserialize, Serialize};
use shared::ids::{QuizId, UserId};
use shared::{Error, JsonSchema, Result, Timestamp};

const MAX_EXTRA_ATTEMPTS: i64 = 1000;
/// A week, in minutes.
const MAX_EXTRA_TIME: i64 = 7 * 24 * 60;
/// A day, in minutes.
const MAX_EXTENSION: i64 = 24 * 60;

/// An extension as it is answered.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuizExtension {
    quiz_id: QuizId,
    user_id: UserId,
    extra_attempts: Option<i64>,
    /// In minutes, of each attempt that begins from now on.
    extra_time: Option<i64>,
    /// True if the student may take the quiz although it is locked for others.
    manually_unlocked: Option<bool>,
    /// When the time of the attempt is over that runs, or was the last. Null where graders do not see whose attempts they are.
    end_at: Option<Timestamp>,
}

/// An extension that is asked for. What it does not name stays as it is.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ExtensionForm {
    pub(crate) user_id: UserId,
    /// The attempts beyond those that the quiz allows: 0 to 1000.
    #[serde(default)]
    extra_attempts: Option<i64>,
    /// The minutes beyond the quiz's time limit, of each attempt that begins from now on: 0 to 10080.
    #[serde(default)]
    extra_time: Option<i64>,
    /// True if the student may take the quiz although it is locked for others.
    #[serde(default)]
    manually_unlocked: Option<bool>,
    /// The minutes from now until the end of the attempt that runs: 1 to 1440.
    #[serde(default)]
    extend_from_now: Option<i64>,
    /// The minutes by which the end of the attempt that runs is put off: 1 to 1440.
    #[serde(default)]
    extend_from_end_at: Option<i64>,
}

impl ExtensionForm {
    pub(crate) fn require_valid(&self) -> Result<()> {
        for (field, given, range) in [
            ("extra_attempts", self.extra_attempts, 0..=MAX_EXTRA_ATTEMPTS),
            ("extra_time", self.extra_time, 0..=MAX_EXTRA_TIME),
            ("extend_from_now", self.extend_from_now, 1..=MAX_EXTENSION),
            ("extend_from_end_at", self.extend_from_end_at, 1..=MAX_EXTENSION),
        ] {
            if given.is_some_and(|given| !range.contains(&given)) {
                let message = format!("must be between {} and {}", range.start(), range.end());
                return Err(Error::invalid(field, "inclusion", message));
            }
        }
        match self.extend_from_now.and(self.extend_from_end_at) {
            Some(_) => Err(Error::invalid("extend_from_now", "invalid", "excludes extend_from_end_at")),
            None => Ok(()),
        }
    }

    /// True if the end of an attempt that runs changes.
    pub(crate) fn moves_end(&self) -> bool {
        self.extend_from_now.is_some() || self.extend_from_end_at.is_some()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn is_valid(more: Value) -> bool {
        let mut form = json!({ "user_id": 1 });
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<ExtensionForm>(form).unwrap().require_valid().is_ok()
    }

    #[test]
    fn extensions_have_bounds() {
        for good in [
            json!({ "extra_attempts": 0, "extra_time": 10_080, "manually_unlocked": true }),
            json!({ "extra_attempts": 1000, "extend_from_now": 1440 }),
            json!({ "extend_from_end_at": 1 }),
        ] {
            assert!(is_valid(good.clone()), "{good}");
        }
        for bad in [
            json!({ "extra_attempts": 1001 }),
            json!({ "extra_attempts": -1 }),
            json!({ "extra_time": 10_081 }),
            json!({ "extend_from_now": 0 }),
            json!({ "extend_from_end_at": 1441 }),
            json!({ "extend_from_now": 5, "extend_from_end_at": 5 }),
        ] {
            assert!(!is_valid(bad.clone()), "{bad}");
        }
    }
}
