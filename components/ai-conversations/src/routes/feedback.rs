//! Votes on the model's answers. See `docs/contract/ai-conversations.md`.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::ids::{AiConversationId, AiExperienceId, UserId};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints, params};
use uuid::{Builder, Uuid};

use crate::access::{self, not_found};
use crate::model::feedback::{FeedbackCounts, FeedbackRecord};
use crate::model::text;
use crate::store::feedback as store;
use crate::store::needs::{NeededConversation, NeededExperience};

pub(crate) const MAX_MESSAGE_CHARS: usize = 4000;

endpoints![list_message_feedback, give_message_feedback, withdraw_message_feedback];

#[derive(Deserialize, JsonSchema)]
struct MessagePath {
    /// The id of the message, a UUID.
    message_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct FeedbackPath {
    message_id: String,
    /// The id of the vote, a UUID.
    feedback_id: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct VoteForm {
    /// `liked` or `disliked`.
    pub(crate) vote: Option<String>,
    /// The fault of it.
    pub(crate) feedback_message: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Feedbacks {
    feedback: Feedback,
}

/// A vote.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Feedback {
    id: Uuid,
    vote: String,
    /// The user as the model's side knows them.
    user_id: Uuid,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FeedbackQuery {
    /// `liked` or `disliked`: only such votes.
    vote: Option<String>,
}

/// A page of votes, and how many there are in all.
#[derive(Serialize, JsonSchema)]
struct ExperienceFeedback {
    feedback: Vec<FeedbackRecord>,
    counts: FeedbackCounts,
}

/// Lists the votes on the answers of an AI experience, the newest first, with what users wrote about them.
#[endpoint(
    GET "/api/v1/courses/:course_id/ai_experiences/:id/feedback",
    answers(422, "The vote is neither `liked` nor `disliked`."),
)]
async fn list_message_feedback(
    cx: Context,
    experience: NeededExperience,
    counts: Prefetched<FeedbackCounts>,
    query: Query<FeedbackQuery>,
) -> Result<Reply<ExperienceFeedback>> {
    let (classroom, experience) = access::experience(experience)?;
    classroom.require_manage()?;
    let vote = query.decode()?.vote.map(kind).transpose()?;
    let limit = classroom.course.section_limit();
    let page = store::page(&cx.db, &cx.page().await?, experience.id, vote.as_deref(), limit).await?;
    let counts = counts.record()?;
    let shown = page.map(|vote| FeedbackRecord { message_text: text::for_display(&vote.message_text), ..vote });
    Ok(Reply::page_in(shown, |feedback| ExperienceFeedback { feedback, counts }))
}

/// Likes or dislikes an answer of the model.
///
/// A second vote on the same message takes the place of the first.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/messages/:message_id/feedback",
    answers(422, "The vote is neither `liked` nor `disliked`."),
)]
async fn give_message_feedback(
    cx: Context,
    Path(at): Path<MessagePath>,
    conversation: NeededConversation,
    body: Form<VoteForm>,
) -> Result<Reply<Feedbacks>> {
    let found = access::conversation(conversation)?;
    let place = (found.experience.id, found.conversation.id);
    Ok(Reply::ok(Feedbacks { feedback: give(&cx, place, &at.message_id, body.decode()?).await? }))
}

/// Stores a vote on a message of that conversation, over the API or on a page.
pub(crate) async fn give(
    cx: &Context,
    place: (AiExperienceId, AiConversationId),
    message: &str,
    form: VoteForm,
) -> Result<Feedback> {
    let user = cx.caller()?.user;
    let vote = kind(form.vote.unwrap_or_default())?;
    let words = form.feedback_message.filter(|words| !words.trim().is_empty());
    if let Some(words) = &words {
        params::not_too_long("feedback_message", words, MAX_MESSAGE_CHARS)?;
    }
    let id = store::vote(&cx.db, place, message, user, &vote, words, cx.now).await?;
    Ok(Feedback { id: id.ok_or_else(not_found)?, vote, user_id: uuid_of(user) })
}

/// Takes a vote back.
#[endpoint(
    DELETE "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/messages/:message_id/feedback/:feedback_id",
)]
async fn withdraw_message_feedback(
    cx: Context,
    Path(at): Path<FeedbackPath>,
    conversation: NeededConversation,
) -> Result<Reply<Value>> {
    let found = access::conversation(conversation)?;
    let user = cx.caller()?.user;
    match store::withdraw(&cx.db, found.conversation.id, &at.message_id, &at.feedback_id, user).await? {
        true => Ok(Reply::ok(json!({"success": true}))),
        false => Err(not_found()),
    }
}

/// The kind of a vote; 422 where it is none.
fn kind(vote: String) -> Result<String> {
    if matches!(vote.as_str(), "liked" | "disliked") {
        return Ok(vote);
    }
    Err(Error::own(StatusCode::UNPROCESSABLE_ENTITY, json!({"error": "vote must be liked or disliked"})))
}

/// A UUID that is always the same for a user.
fn uuid_of(user: UserId) -> Uuid {
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(Sha256::digest(format!("user/{user}"))) {
        *byte = hashed;
    }
    Builder::from_random_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_one_uuid() {
        assert_eq!(uuid_of(UserId(1)), uuid_of(UserId(1)));
        assert_ne!(uuid_of(UserId(1)), uuid_of(UserId(2)));
        assert_eq!(uuid_of(UserId(1)).get_version_num(), 4);
    }
}
