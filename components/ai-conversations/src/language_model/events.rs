//! Server-sent events of a model: the reply grows with each of them.

use bytes::BytesMut;
use serde_json::Value;
use shared::outbound::Incoming;

use crate::language_model::Reply;
use crate::model::failure::Failure;

type Delta = fn(&Value, &mut Reply) -> Result<(), Failure>;

/// The parts that come from the model.
pub(crate) struct Events {
    body: Incoming,
    lines: Lines,
    delta: Delta,
    reply: Reply,
}

impl Events {
    pub(crate) fn new(body: Incoming, delta: Delta) -> Self {
        Self { body, lines: Lines::default(), delta, reply: Reply::default() }
    }

    /// The part by which the reply has grown; `None` at its end.
    pub(crate) async fn next(&mut self) -> Result<Option<&str>, Failure> {
        let before = self.reply.text.len();
        while self.reply.text.len() == before {
            if let Some(event) = self.lines.next() {
                (self.delta)(&event, &mut self.reply)?;
            } else if let Some(chunk) = self.body.chunk().await? {
                self.lines.push(&chunk);
            } else {
                return Ok(None);
            }
        }
        Ok(Some(self.reply.text.get(before..).unwrap_or_default()))
    }

    /// The reply, when nothing more comes.
    pub(crate) fn into_reply(self) -> Reply {
        self.reply
    }
}

/// Bytes into the data of events. Of what events have, only `data` matters here, and models send it in one line.
#[derive(Default)]
struct Lines {
    bytes: BytesMut,
    /// The number of bytes that are known to hold no end of a line.
    searched: usize,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

impl Iterator for Lines {
    type Item = Value;

    /// The data of the next event that is there as a whole.
    fn next(&mut self) -> Option<Value> {
        loop {
            let unsearched = self.bytes.get(self.searched..).unwrap_or_default();
            let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.bytes.len();
                return None;
            };
            let end = std::mem::take(&mut self.searched).saturating_add(end);
            let line = self.bytes.split_to(end.saturating_add(1));
            // The end of a stream is marked by a word that is no JSON.
            let data = line.strip_prefix(b"data:").and_then(|data| serde_json::from_slice(data.trim_ascii()).ok());
            if data.is_some() {
                return data;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = b": hello\nevent: x\r\ndata: {\"a\": 1}\r\n\ndata:{\"b\":2}\n\ndata: [DONE]\n\n";
        for size in [1, 2, 7, text.len()] {
            let mut lines = Lines::default();
            let mut events = Vec::new();
            for chunk in text.chunks(size) {
                lines.push(chunk);
                events.extend(lines.by_ref());
            }
            assert_eq!(events, [json!({"a": 1}), json!({"b": 2})]);
        }
    }
}
