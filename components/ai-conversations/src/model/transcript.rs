//! A conversation as a page shows it to those who manage the experience.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;

use crate::model::conversations::{Message, Progress};
use crate::model::prompt;

/// A conversation, and whose it is.
#[derive(Deserialize)]
pub(crate) struct Transcript {
    /// The name of whoever talks.
    pub(crate) student: String,
    /// `active` or `ended`.
    pub(crate) workflow_state: String,
    pub(crate) updated_at: Timestamp,
    messages: Json<Vec<Message>>,
    pub(crate) progress: Option<Json<Progress>>,
}

impl Transcript {
    /// What both sides have said. The greeting that stands before the tutor's first words is nobody's.
    pub(crate) fn said(&self) -> &[Message] {
        match self.messages.0.as_slice() {
            [first, rest @ ..] if first.is_by_user() && first.text == prompt::SEED => rest,
            all => all,
        }
    }
}
