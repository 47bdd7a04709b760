//! Conversations of users with an AI experience: started, read, ended. Spec: "AI conversations".

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::db::Json;
use shared::ids::AiConversationId;
use shared::{Context, Created, JsonSchema, Path, Reply, Result, Timestamp, clock, endpoint, endpoints};
use uuid::Uuid;

use crate::access::{self, ConversationPath, ConversationsPath};
use crate::language_model::Said;
use crate::limits::{self, Action};
use crate::model::{prompt, text};
use crate::store::conversations as store;
use crate::turn;

endpoints![get_current_conversation, start_conversation, get_conversation, end_conversation];

/// A conversation as the one sees it who talks.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Talk {
    pub(crate) id: AiConversationId,
    /// Oldest first.
    pub(crate) messages: Json<Vec<Message>>,
    /// How far the student has come; null when the model has not told yet.
    pub(crate) progress: Option<Json<Progress>>,
}

/// What one side said.
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

/// How many of the objectives a student has reached.
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

/// Reads the caller's active conversation.
#[endpoint(
    GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations",
    students(200, "reads the caller's own: none"),
)]
async fn get_current_conversation(cx: Context, Path(at): Path<ConversationsPath>) -> Result<Reply<Value>> {
    let (_, experience) = access::experience(&cx, &at.course_id, at.ai_experience_id).await?;
    let talk = store::active(&cx.db, experience.id, cx.caller()?.user).await?;
    Ok(Reply::ok(talk.map_or_else(|| json!({}), |talk| json!(talk.shown()))))
}

/// Starts a conversation, and ends the one before it.
///
/// The model opens the conversation. One that was active before is ended, whether or not the model answers.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations",
    students(201, "students talk"),
)]
async fn start_conversation(cx: Context, Path(at): Path<ConversationsPath>) -> Result<Created<Talk>> {
    let (classroom, experience) = access::experience(&cx, &at.course_id, at.ai_experience_id).await?;
    let user = cx.caller()?.user;
    if store::has_most(&cx.db, experience.id, user).await? {
        return Err(limits::full("there are as many conversations with this experience as one may have"));
    }
    limits::count(&cx, Action::Start).await?;
    store::end_active(&cx.db, experience.id, user, cx.now).await?;
    let seed = Said { by_user: true, text: prompt::SEED.to_owned() };
    let said = turn::ask(&cx, classroom.course.root_account, &experience, vec![seed]).await?;
    let progress = Progress::of(&experience.learning_objectives.0, None, &said.covered_objectives);
    let talk = store::start(&cx.db, experience.id, user, &said.reply, progress, clock::now()).await?;
    Ok(Reply::created(talk.shown()))
}

/// Reads the conversation of a student.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id")]
async fn get_conversation(cx: Context, Path(at): Path<ConversationPath>) -> Result<Reply<Record>> {
    let found = at.find(&cx).await?;
    found.classroom.must_manage()?;
    let mut record = store::record(&cx.db, found.conversation.id, cx.caller()?.user).await?;
    show_messages(&mut record.messages.0);
    Ok(Reply::ok(record))
}

/// Ends a conversation.
#[endpoint(DELETE "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id")]
async fn end_conversation(cx: Context, Path(at): Path<ConversationPath>) -> Result<Reply<Value>> {
    let found = at.find(&cx).await?;
    store::end(&cx.db, found.conversation.id, cx.now).await?;
    Ok(Reply::ok(json!({"message": "Conversation ended successfully"})))
}

impl Talk {
    /// As it goes out: what the model wrote opens no tag on a page.
    pub(crate) fn shown(mut self) -> Self {
        show_messages(&mut self.messages.0);
        self
    }
}

pub(crate) fn show_messages(messages: &mut [Message]) {
    for message in messages.iter_mut().filter(|message| message.role == "Assistant") {
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

    /// Whether nothing is left.
    pub(crate) fn is_complete(&self) -> bool {
        self.total > 0 && self.current == self.total
    }
}

impl Objective {
    fn is_covered(&self) -> bool {
        self.status == "covered"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_stays_covered() {
        let objectives = ["a", "b", "c"].map(str::to_owned);
        let first = Progress::of(&objectives, None, &[1, 9]);
        assert_eq!((first.current, first.total, first.percentage), (1, 3, 33));
        let second = Progress::of(&objectives, Some(&first), &[3]);
        assert_eq!((second.current, second.percentage), (2, 67));
        assert!(!second.is_complete());
        assert!(Progress::of(&objectives, Some(&second), &[2]).is_complete());
        assert!(!Progress::of(&[], None, &[]).is_complete());
    }
}
