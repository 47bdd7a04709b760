//! Votes on the model's answers, as those see them who manage the experience.

use serde::{Deserialize, Serialize};
use shared::ids::AiConversationId;
use shared::{JsonSchema, Timestamp};
use uuid::Uuid;

/// A vote, who gave it, and on what.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FeedbackRecord {
    pub(crate) id: Uuid,
    /// `liked` or `disliked`.
    pub(crate) vote: String,
    /// What was wrong with the answer, in the words of the user.
    pub(crate) feedback_message: Option<String>,
    pub(crate) created_at: Timestamp,
    /// The id of the user, as text.
    pub(crate) user_id: String,
    pub(crate) user_name: String,
    pub(crate) conversation_id: AiConversationId,
    /// The answer that was voted on, and its text.
    pub(crate) message_id: Uuid,
    pub(crate) message_text: String,
}

/// How many votes of each kind there are.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FeedbackCounts {
    pub(crate) liked: i64,
    pub(crate) disliked: i64,
}
