//! The model's answer as events while it is written: `delta` with a piece of the text, at the end `done` with the
//! conversation, or `error` with what the answer 503 would say.

use std::fmt::Write;
use std::rc::Rc;

use bytes::Bytes;
use futures::stream::{self, Stream};
use http::HeaderName;
use serde_json::{Value, json};
use shared::after_response::after_response;
use shared::{Context, Reply, Result, background, limits_hit};

use crate::access::TalkRecords;
use crate::language_model::Events;
use crate::limits::Reserved;
use crate::model::conversations::Talk;
use crate::model::failure::Failure;
use crate::model::prompt;
use crate::model::reply_text::{GivesSecretAway, ReplyText};
use crate::model::text;
use crate::turn::{self, Lease, Turn};

/// By this header nginx passes events on at once.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Streams the answer to a message whose turn it is.
pub(crate) async fn answer(cx: Context, found: Rc<TalkRecords>, turn: Turn) -> Result<Reply> {
    match turn.hold(&cx, open(&cx, &found, &turn)).await {
        Ok((events, reserved)) => {
            let text = ReplyText::new(prompt::secrets(&found.experience));
            let unread = Unread(Some((cx.clone(), turn.lease.clone())));
            let writing = Writing { cx, found, turn, events, reserved, text, unread };
            Ok(self::events(stream::unfold(Some(writing), |writing| async { Some(writing?.next().await) })))
        }
        Err(error) => {
            turn.lease.let_go(&cx).await;
            Err(error)
        }
    }
}

/// A conversation in which the message has its answer already: all that is left to say is `done`.
pub(crate) fn answered(talk: &Talk) -> Reply {
    let done = event("done", &json!(talk));
    events(stream::once(async move { Ok(done) }))
}

fn events(events: impl Stream<Item = Result<Bytes>> + 'static) -> Reply {
    Reply::stream("text/event-stream; charset=utf-8", None, events).header(UNBUFFERED, "no")
}

async fn open(cx: &Context, found: &TalkRecords, turn: &Turn) -> Result<(Events, Reserved)> {
    let question = turn.question(&found.experience).await?;
    let model = turn::model(cx).await?;
    let reserved = turn::reserve(cx, found.classroom.course.root_account, &model, &question).await?;
    match model.ask_streaming(&question).await {
        Ok(events) => Ok((events, reserved)),
        Err(failure) => {
            reserved.fail(cx, None, failure.kind()).await?;
            Err(failure.answer(cx))
        }
    }
}

/// An answer that is being written.
struct Writing {
    cx: Context,
    found: Rc<TalkRecords>,
    turn: Turn,
    events: Events,
    reserved: Reserved,
    text: ReplyText,
    unread: Unread,
}

/// An answer that nobody may be left to read: where it is dropped, because the client has gone away, the next message need not
/// wait for the lease to end.
struct Unread(Option<(Context, Lease)>);

impl Unread {
    /// From now on the answer is written to its end, whoever reads it.
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        if let Some((cx, lease)) = self.0.take() {
            after_response(async move {
                lease.let_go(&cx).await;
                Ok(())
            });
        }
    }
}

impl Writing {
    /// The next event, and what is left to write.
    async fn next(mut self) -> (Result<Bytes>, Option<Self>) {
        loop {
            let Self { cx, turn, events, text, .. } = &mut self;
            let written = turn.hold(cx, async { Ok(events.next().await.map(|json| json.map(|json| text.push(json)))) });
            let ready = match written.await {
                Ok(Ok(Some(Ok(ready)))) => ready,
                Ok(Ok(Some(Err(GivesSecretAway)))) => return (Ok(self.fail(Failure::InvalidResponse).await), None),
                Ok(Ok(None)) => return (Ok(self.finish().await), None),
                Ok(Err(failure)) => return (Ok(self.fail(failure).await), None),
                Err(error) => return (Ok(failed(&self.cx, &error)), None),
            };
            if !ready.is_empty() {
                return (Ok(event("delta", &json!({"text": ready}))), Some(self));
            }
        }
    }

    /// Stores the answer. One in another shape is asked for again as a whole.
    async fn finish(self) -> Bytes {
        let Self { cx, found, turn, events, reserved, text, unread } = self;
        unread.disarm();
        let reply = events.into_reply();
        let (sent, secrets) = text.end();
        let talk = async {
            match turn::tutored(&reply, &secrets) {
                Some(said) => {
                    let rest = text::for_display(&said.reply).strip_prefix(sent.as_str()).map(str::to_owned);
                    let spent = reserved.spent(reply.tokens);
                    Ok((turn.store(&cx, &found.experience, said, &spent).await?, rest.unwrap_or_default()))
                }
                None => {
                    reserved.fail(&cx, reply.tokens, Failure::InvalidResponse.kind()).await?;
                    Ok((turn.finish(&cx, &found).await?, String::new()))
                }
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
        let Self { cx, turn, reserved, unread, .. } = self;
        unread.disarm();
        turn.lease.let_go(&cx).await;
        background::log_if_failed(reserved.fail(&cx, None, failure.kind()).await);
        failed(&cx, &failure.answer(&cx))
    }
}

/// The event that says what the answer would say, had it not begun.
fn failed(cx: &Context, error: &shared::Error) -> Bytes {
    error.limit().into_iter().for_each(limits_hit::note);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_two_lines() {
        assert_eq!(event("delta", &json!({"text": "a\nb"})), "event: delta\ndata: {\"text\":\"a\\nb\"}\n\n");
    }
}
