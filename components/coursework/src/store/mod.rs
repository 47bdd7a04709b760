//! The SQL of the area, by resource.

pub(crate) mod assignments;
pub(crate) mod attempts;
pub(crate) mod new_quizzes;
pub(crate) mod question_banks;
pub(crate) mod questions;
pub(crate) mod quiz_submissions;
pub(crate) mod quizzes;
pub(crate) mod submissions;
pub(crate) mod uploads;

use serde::Serialize;
use serde_json::Value;

/// A word of a fixed list as it is stored.
fn word(word: impl Serialize) -> Option<String> {
    match serde_json::to_value(word) {
        Ok(Value::String(word)) => Some(word),
        _ => None,
    }
}
