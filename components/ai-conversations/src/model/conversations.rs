//! Conversations with their messages and progress, as they are kept and answered.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::AiConversationId;
use shared::{JsonSchema, Timestamp};
use uuid::Uuid;

use crate::model::text;

/// A conversation as the one sees it who talks.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Talk {
    pub(crate) id: AiConversationId,
    /// Oldest first.
    pub(crate) messages: Json<Vec<Message>>,
    /// The progress of the student; null when the model has not told yet.
    pub(crate) progress: Option<Json<Progress>>,
}

/// The words of one side.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Message {
    pub(crate) id: Uuid,
    /// `User` or `Assistant`.
    pub(crate) role: String,
    pub(crate) text: String,
    /// The caller's own votes on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) feedback: Option<Json<Vec<Vote>>>,
}

/// A vote on an answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Vote {
    pub(crate) id: Uuid,
    /// `liked` or `disliked`.
    pub(crate) vote: String,
}

/// The number of objectives that a student has reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Progress {
    pub(crate) current: usize,
    pub(crate) total: usize,
    pub(crate) percentage: usize,
    pub(crate) objectives: Vec<Objective>,
}

/// An objective, and whether it is `covered`; blank: not yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Objective {
    pub(crate) objective: String,
    pub(crate) status: String,
}

/// A conversation as a teacher sees it.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Record {
    pub(crate) id: AiConversationId,
    /// The id of the student, as text.
    pub(crate) user_id: String,
    pub(crate) llm_conversation_id: Uuid,
    pub(crate) workflow_state: String,
    pub(crate) all_objectives_met: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) messages: Json<Vec<Message>>,
    pub(crate) progress: Option<Json<Progress>>,
}

impl Talk {
    /// As it goes out: what the model wrote opens no tag on a page.
    pub(crate) fn shown(mut self) -> Self {
        show_messages(&mut self.messages.0);
        self
    }
}

impl Message {
    pub(crate) fn is_by_user(&self) -> bool {
        self.role == "User"
    }
}

pub(crate) fn show_messages(messages: &mut [Message]) {
    for message in messages.iter_mut().filter(|message| !message.is_by_user()) {
        message.text = text::for_display(&message.text);
    }
}

impl Progress {
    /// The progress after an answer: an objective that is covered stays so, and `covered` holds the numbers of more.
    pub(crate) fn of(objectives: &[String], before: Option<&Self>, covered: &[usize]) -> Self {
        let was = |objective: &String| {
            before.is_some_and(|before| {
                before.objectives.iter().any(|old| old.objective == *objective && old.is_covered())
            })
        };
        let objectives: Vec<_> = (1..)
            .zip(objectives)
            .map(|(number, objective)| {
                let status = if covered.contains(&number) || was(objective) { "covered" } else { "" };
                Objective { objective: objective.clone(), status: status.to_owned() }
            })
            .collect();
        let (current, total) = (objectives.iter().filter(|one| one.is_covered()).count(), objectives.len());
        let percentage = current.saturating_mul(200).saturating_add(total).checked_div(total.saturating_mul(2));
        Self { current, total, percentage: percentage.unwrap_or_default(), objectives }
    }

    /// True if nothing is left.
    pub(crate) fn is_complete(&self) -> bool {
        self.total > 0 && self.current == self.total
    }
}

impl Objective {
    pub(crate) fn is_covered(&self) -> bool {
        self.status == "covered"
    }
}

/// A conversation, as far as rights and rules look at it.
#[derive(Deserialize)]
pub(crate) struct Conversation {
    pub(crate) id: AiConversationId,
    /// True if it is the caller's own, and active.
    pub(crate) is_own: bool,
}
