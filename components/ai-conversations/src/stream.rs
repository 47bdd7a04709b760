//! The model's answer as events while it is written: `delta` with a piece of the text, at the end `done` with the
//! conversation, or `error` with what the answer 503 would say.

use std::fmt::Write;

use bytes::Bytes;
use futures::stream;
use serde_json::{Value, json};
use shared::{Context, Reply, Result};

use crate::access::Found;
use crate::failure::Failure;
use crate::limits::Reserved;
use crate::model::Events;
use crate::text::{self, Secrets};
use crate::turn::{self, Turn};

/// So much of the text is held back until more has come, so that what must not be read is known before it is sent.
const HELD_BACK: usize = 160;

/// Streams the answer to a message whose turn it is.
pub(crate) async fn answer(cx: Context, found: Found, turn: Turn) -> Result<Reply> {
    match turn.hold(&cx, open(&cx, &found, &turn)).await {
        Ok((events, reserved)) => {
            let secrets = turn::secrets(&found.experience);
            let writing = Writing { cx, found, turn, events, reserved, secrets, sent: String::new() };
            let events = stream::unfold(Some(writing), |writing| async { Some(writing?.next().await) });
            Ok(Reply::stream("text/event-stream; charset=utf-8", None, events))
        }
        Err(error) => {
            turn.let_go(&cx).await?;
            Err(error)
        }
    }
}

async fn open(cx: &Context, found: &Found, turn: &Turn) -> Result<(Events, Reserved)> {
    let question = turn.question(cx, &found.experience).await?;
    let model = turn::model(cx).await?;
    let reserved = turn::reserve(cx, found.classroom.course.root_account, &model, &question).await?;
    let events = model.ask_streaming(&question).await.map_err(|failure| failure.answer(cx))?;
    Ok((events, reserved))
}

/// An answer that is being written.
struct Writing {
    cx: Context,
    found: Found,
    turn: Turn,
    events: Events,
    reserved: Reserved,
    secrets: Secrets,
    /// What the client has of the text.
    sent: String,
}

impl Writing {
    /// The next event, and what is left to write.
    async fn next(mut self) -> (Result<Bytes>, Option<Self>) {
        loop {
            let Self { cx, turn, events, .. } = &mut self;
            let written = turn.hold(cx, async { Ok(events.next().await.map(|text| text.map(partial_reply))) }).await;
            let reply = match written {
                Ok(Ok(Some(reply))) => reply,
                Ok(Ok(None)) => return (Ok(self.finish().await), None),
                Ok(Err(failure)) => return (Ok(self.fail(failure).await), None),
                Err(error) => return (Ok(failed(&self.cx, &error)), None),
            };
            let so_far = text::for_display(&reply);
            let until = so_far.char_indices().rev().nth(HELD_BACK).map_or(0, |(at, _)| at);
            let ready = so_far.get(..until).unwrap_or_default();
            let Some(delta) = ready.strip_prefix(self.sent.as_str()).filter(|delta| !delta.is_empty()) else {
                continue;
            };
            if self.secrets.are_in(&reply) {
                return (Ok(self.fail(Failure::InvalidResponse).await), None);
            }
            let event = event("delta", &json!({"text": delta}));
            self.sent = ready.to_owned();
            return (Ok(event), Some(self));
        }
    }

    /// Stores the answer. One in another shape is asked for again as a whole.
    async fn finish(self) -> Bytes {
        let Self { cx, found, turn, events, reserved, secrets, sent } = self;
        let reply = events.into_reply();
        let talk = async {
            reserved.settle(&cx, reply.tokens).await?;
            match turn::tutored(&reply, &secrets) {
                Some(said) => {
                    let rest = text::for_display(&said.reply).strip_prefix(sent.as_str()).map(str::to_owned);
                    Ok((turn.store(&cx, &found.experience, said).await?, rest.unwrap_or_default()))
                }
                None => Ok((turn.finish(&cx, &found).await?, String::new())),
            }
        };
        match talk.await {
            Ok((talk, rest)) => {
                let rest = if rest.is_empty() { Bytes::new() } else { event("delta", &json!({"text": rest})) };
                [rest, event("done", &json!(talk))].concat().into()
            }
            Err(error) => failed(&cx, &error),
        }
    }

    async fn fail(self, failure: Failure) -> Bytes {
        let error = match self.turn.let_go(&self.cx).await {
            Ok(()) => failure.answer(&self.cx),
            Err(error) => error,
        };
        failed(&self.cx, &error)
    }
}

/// The event that says what the answer would say, had it not begun.
fn failed(cx: &Context, error: &shared::Error) -> Bytes {
    let body = match error.kind() {
        shared::error::Kind::Own { body, .. } => body.clone(),
        _ => Failure::NoResponse.body(cx.request_id()),
    };
    event("error", &body)
}

fn event(name: &str, data: &Value) -> Bytes {
    let mut event = String::new();
    // Writing to a string cannot fail.
    let _ = write!(event, "event: {name}\ndata: {data}\n\n");
    event.into()
}

/// The value of `reply` in a JSON object of which only the beginning is there.
fn partial_reply(text: &str) -> String {
    let value = text.split_once("\"reply\"").and_then(|(_, rest)| rest.split_once('"'));
    let Some((_colon, value)) = value else {
        return String::new();
    };
    let mut end = 0;
    let mut escaped = false;
    for (at, character) in value.char_indices() {
        match character {
            '"' if !escaped => break,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
        end = at.saturating_add(character.len_utf8());
    }
    // At the end there may be half an escape, which has twelve characters at most.
    let value = value.get(..end).unwrap_or_default();
    let mut cuts = value.char_indices().rev().map(|(at, _)| at);
    let candidates = std::iter::once(value.len()).chain(cuts.by_ref().take(12));
    let decoded = candidates
        .filter_map(|at| serde_json::from_str(&format!("\"{}\"", value.get(..at)?.replace('\n', "\\n"))).ok())
        .next();
    decoded.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_however_far_it_has_come() {
        let whole = r#"{"reply": "Gr\u00fc\u00df \"dich\" \\ \ud83d\ude00!", "covered_objectives": [1]}"#;
        let reply = "Grüß \"dich\" \\ 😀!";
        let mut longest = 0;
        for beginning in (0..=whole.len()).filter_map(|end| whole.get(..end)) {
            let partial = partial_reply(beginning);
            assert!(reply.starts_with(&partial), "{partial} of {beginning}");
            assert!(partial.len() >= longest);
            longest = partial.len();
        }
        assert_eq!(longest, reply.len());
    }

    #[test]
    fn an_event_is_two_lines() {
        assert_eq!(event("delta", &json!({"text": "a\nb"})), "event: delta\ndata: {\"text\":\"a\\nb\"}\n\n");
    }
}
