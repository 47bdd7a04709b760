//! Messages that are sent from the page of a conversation.

use std::rc::Rc;

use http::StatusCode;
use serde::Deserialize;
use shared::ids::AiConversationId;
use shared::params::plain_line_ends;
use shared::prefetch::Prefetched;
use shared::{Context, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::access::TalkRecords;
use crate::model::conversations::Conversation;
use crate::model::own_talk::OwnTalk;
use crate::model::problem::Problem;
use crate::routes::messages;
use crate::routes::talk::markup::{self, View};
use crate::routes::talk::{Opened, lead_to, refused};
use crate::store::needs::NeededExperience;
use crate::turn::{Begun, stream};

endpoints![send_message_on_page];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PageMessageForm {
    /// The conversation that the page has shown.
    conversation: Option<AiConversationId>,
    /// Up to 4,000 characters.
    message: String,
    /// The name of the message: sent again under it, it is the same one.
    key: String,
}

/// Sends a message from the page of a conversation, and leads back to it, or streams the answer as events.
///
/// The events are those of the API. Where the message is refused, the page shows it again with the reason.
#[endpoint(
    POST "/courses/:course_id/ai_experiences/:ai_experience_id/talk/messages",
    signed_in,
    page,
    sends(&["text/html", "text/event-stream"]),
    answers(403, "The caller is no member of the course, or a student of a concluded one."),
    throttled("messages of one user, and the month's tokens of the institution"),
    answers(409, "The conversation has ended, or is too long."),
    answers(422, "The message is too long."),
    answers(503, "The model is away, or none is set up."),
)]
async fn send_message_on_page(
    cx: Context,
    experience: NeededExperience,
    talk: Prefetched<OwnTalk>,
    form: Form<PageMessageForm>,
) -> Result<Reply> {
    let opened = Opened::of(experience, talk)?;
    let PageMessageForm { conversation, message, key } = form.decode()?;
    let message = plain_line_ends(&message);
    let Some(id) = opened.talk.as_ref().map(|talk| talk.id).filter(|id| Some(*id) == conversation) else {
        let view = View { problem: Some(Problem::EndedElsewhere), draft: &message, ..opened.view() };
        return Ok(markup::talk(&cx, &view)?.with_status(StatusCode::CONFLICT));
    };
    let Opened { classroom, experience, .. } = opened;
    let conversation = Conversation { id, is_own: true };
    let found = Rc::new(TalkRecords { classroom, experience, conversation });
    match send(&cx, &found, &message, &key).await {
        Ok(Some(events)) => Ok(events),
        Ok(None) => lead_to(&found.experience).await,
        Err(error) => refused(&cx, &found.classroom, &found.experience, error, &message).await,
    }
}

/// Stores the message and its answer; or stores the message, and answers the events of the answer.
async fn send(cx: &Context, found: &Rc<TalkRecords>, message: &str, key: &str) -> Result<Option<Reply>> {
    match messages::begin(cx, found, message, Some(key)).await? {
        Begun::Answered => Ok(None),
        Begun::Turn(turn) if messages::wants_events(cx) => {
            stream::answer(cx.clone(), Rc::clone(found), turn).await.map(Some)
        }
        Begun::Turn(turn) => turn.finish(cx, found).await.map(|_talk| None),
    }
}
