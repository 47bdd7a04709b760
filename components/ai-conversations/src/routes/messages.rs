//! Messages to an AI experience, and its answers. See `docs/contract/ai-conversations.md`.

use std::rc::Rc;

use http::StatusCode;
use http::header::ACCEPT;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, background, endpoint, endpoints};

use crate::access::{self, TalkRecords};
use crate::limits::{self, Action};
use crate::model::conversations::Talk;
use crate::model::problem::MAX_MESSAGE_CHARS;
use crate::store::needs::NeededConversation;
use crate::store::{conversations, messages as store};
use crate::turn::{self, Begun, stream};

const MAX_KEY_BYTES: usize = 255;
const IDEMPOTENCY_KEY: &str = "idempotency-key";
const EVENT_STREAM: &str = "text/event-stream";

endpoints![send_message];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct MessageForm {
    /// Up to 4,000 characters.
    message: Value,
}

/// Sends a message and answers the conversation with the model's reply, or streams it as events.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/messages",
    throttled("messages of one user, and the month's tokens of the institution"),
    sends(&["application/json", "text/event-stream"]),
    answers(409, "The conversation has ended, or waits for an answer."),
    answers(422, "The message is refused."),
    answers(503, "The model is away, or none is set up."),
)]
async fn send_message(cx: Context, conversation: NeededConversation, body: Form<MessageForm>) -> Result<Reply> {
    let found = Rc::new(access::conversation(conversation)?);
    match begin(&cx, &found, &text(body.decode()?.message), cx.header(IDEMPOTENCY_KEY)).await? {
        Begun::Answered if wants_events(&cx) => Ok(stream::answered(&talk(&cx, &found).await?)),
        Begun::Answered => answer(&talk(&cx, &found).await?),
        Begun::Turn(turn) if wants_events(&cx) => stream::answer(cx, found, turn).await,
        Begun::Turn(turn) => answer(&turn.finish(&cx, &found).await?),
    }
}

/// Stores a message when it is its turn, over the API or on a page. `key` is the name that the client gave it.
pub(crate) async fn begin(cx: &Context, found: &TalkRecords, text: &str, key: Option<&str>) -> Result<Begun> {
    found.classroom.require_talking()?;
    require_fitting(text)?;
    let key = valid_key(key)?;
    // A message that was answered before is not asked again, and does not count.
    if let Some(key) = key
        && store::is_answered(&cx.db, found.conversation.id, key).await?
    {
        return Ok(Begun::Answered);
    }
    limits::count(cx, Action::Message).await?;
    let begun = turn::begin(cx, found, text, key).await;
    if !matches!(begun, Ok(Begun::Turn(_))) {
        background::log_if_failed(limits::give_back(cx, Action::Message).await);
    }
    begun
}

/// The conversation as it goes out.
async fn talk(cx: &Context, found: &TalkRecords) -> Result<Talk> {
    Ok(conversations::talk(&cx.db, found.conversation.id, cx.caller()?.user).await?.shown())
}

fn answer(talk: &Talk) -> Result<Reply> {
    Ok(Reply::bytes("application/json; charset=utf-8", serde_json::to_vec(talk).map_err(Error::internal)?))
}

/// True if the caller would have the answer while it is written.
pub(crate) fn wants_events(cx: &Context) -> bool {
    cx.header(ACCEPT).is_some_and(|accept| accept.contains(EVENT_STREAM))
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn require_fitting(text: &str) -> Result<()> {
    let refused = |status, words: &str| Err(Error::own(status, json!({"error": words})));
    if text.trim().is_empty() {
        return refused(StatusCode::BAD_REQUEST, "message is required");
    }
    if text.chars().count() > MAX_MESSAGE_CHARS {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "message must be 4000 characters or fewer");
    }
    Ok(())
}

fn valid_key(key: Option<&str>) -> Result<Option<&str>> {
    let key = key.map(str::trim).filter(|key| !key.is_empty());
    if key.is_some_and(|key| key.len() > MAX_KEY_BYTES || key.contains('\n')) {
        return Err(Error::bad_request(format!(
            "Idempotency-Key must be {MAX_KEY_BYTES} characters or fewer, on one line"
        )));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_neither_blank_nor_too_long() {
        assert!(require_fitting(&text(json!("é".repeat(MAX_MESSAGE_CHARS)))).is_ok());
        assert_eq!(text(json!(42)), "42");
        for value in [Value::Null, json!(""), json!(" \n"), json!([]), json!("a".repeat(MAX_MESSAGE_CHARS + 1))] {
            assert!(require_fitting(&text(value)).is_err());
        }
    }
}
