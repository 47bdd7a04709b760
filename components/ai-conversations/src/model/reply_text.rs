//! The text of a reply while the JSON that it stands in is being written: what of it may be sent already.
//!
//! Each character is looked at once, however small the pieces are in which it comes.

use crate::model::text::{Display, Secrets, Watch};

/// So much of the text is held back until more has come, so that what must not be read is known before it is sent.
const HELD_BACK: usize = 160;
const KEY: &str = "\"reply\"";

/// The text gives away what a student must not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GivesSecretAway;

/// The text of a reply, piece by piece.
pub(crate) struct ReplyText {
    secrets: Secrets,
    value: ReplyValue,
    display: Display,
    watch: Watch,
    /// The part that has come and was not sent yet.
    unsent: String,
    /// The number of characters.
    unsent_chars: usize,
    sent: String,
}

impl ReplyText {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            value: ReplyValue::default(),
            display: Display::default(),
            watch: Watch::default(),
            unsent: String::new(),
            unsent_chars: 0,
            sent: String::new(),
        }
    }

    /// Takes the next piece of JSON, and answers what may be sent of the text, which may be nothing.
    pub(crate) fn push(&mut self, json: &str) -> Result<String, GivesSecretAway> {
        let mut text = String::new();
        for character in json.chars() {
            self.value.push(character, &mut text);
        }
        if self.watch.push(&self.secrets, &text) {
            return Err(GivesSecretAway);
        }
        let mut shown = String::new();
        self.display.push(&text, &mut shown);
        self.unsent_chars = self.unsent_chars.saturating_add(shown.chars().count());
        self.unsent.push_str(&shown);
        let count = self.unsent_chars.saturating_sub(HELD_BACK);
        let end = self.unsent.char_indices().nth(count).map_or(self.unsent.len(), |(at, _)| at);
        let ready: String = self.unsent.drain(..end).collect();
        self.unsent_chars = self.unsent_chars.min(HELD_BACK);
        self.sent.push_str(&ready);
        Ok(ready)
    }

    /// The text that was sent, and the one by which the whole is to be judged.
    pub(crate) fn end(self) -> (String, Secrets) {
        (self.sent, self.secrets)
    }
}

/// The value of `reply` in a JSON object, character by character.
#[derive(Debug, Default)]
struct ReplyValue {
    state: State,
    /// The first half of a character that is written as two.
    half: Option<u16>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// So many characters of the key were read.
    Key(usize),
    /// Between the key and the quotation mark that opens the value.
    Colon,
    Text,
    /// Behind a backslash.
    Escape,
    /// In the four digits of an escape: how many there were, and their value.
    Digits(u8, u16),
    /// The value has ended, or is no text.
    End,
}

impl Default for State {
    fn default() -> Self {
        Self::Key(0)
    }
}

impl ReplyValue {
    fn push(&mut self, character: char, text: &mut String) {
        self.state = match self.state {
            State::Key(read) if KEY.chars().nth(read) == Some(character) => match read.saturating_add(1) {
                all if all == KEY.len() => State::Colon,
                more => State::Key(more),
            },
            State::Key(_) => State::Key(usize::from(character == '"')),
            State::Colon if character == '"' => State::Text,
            State::Colon => State::Colon,
            State::Text => match character {
                '\\' => State::Escape,
                // Half a character with nothing behind it is none.
                '"' => State::End,
                _ if self.half.is_some() => State::End,
                character => {
                    text.push(character);
                    State::Text
                }
            },
            State::Escape if character == 'u' => State::Digits(0, 0),
            State::Escape => self.escaped(character, text),
            State::Digits(count, value) => self.digit(count, value, character, text),
            State::End => State::End,
        };
    }

    fn escaped(&self, character: char, text: &mut String) -> State {
        let character = match character {
            '"' | '\\' | '/' => character,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            _ => return State::End,
        };
        if self.half.is_some() {
            return State::End;
        }
        text.push(character);
        State::Text
    }

    fn digit(&mut self, count: u8, value: u16, character: char, text: &mut String) -> State {
        let Some(digit) = character.to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
            return State::End;
        };
        let value = value.wrapping_mul(16).wrapping_add(digit);
        if count < 3 {
            return State::Digits(count.saturating_add(1), value);
        }
        let units = match self.half.take() {
            None if (0xD800..0xDC00).contains(&value) => {
                self.half = Some(value);
                return State::Text;
            }
            None => vec![value],
            Some(half) => vec![half, value],
        };
        match String::from_utf16(&units) {
            Ok(characters) => {
                text.push_str(&characters);
                State::Text
            }
            Err(_half) => State::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    fn value_of(json: &str) -> String {
        let (mut value, mut text) = (ReplyValue::default(), String::new());
        json.chars().for_each(|character| value.push(character, &mut text));
        text
    }

    #[test]
    fn a_reply_is_read_however_far_it_has_come() {
        let whole = r#"{"reply": "Gr\u00fc\u00df \"dich\" \\ \ud83d\ude00!", "covered_objectives": [1]}"#;
        let reply = "Grüß \"dich\" \\ 😀!";
        let mut longest = 0;
        for beginning in (0..=whole.len()).filter_map(|end| whole.get(..end)) {
            let partial = value_of(beginning);
            assert!(reply.starts_with(&partial), "{partial} of {beginning}");
            assert!(partial.len() >= longest);
            longest = partial.len();
        }
        assert_eq!(longest, reply.len());
    }

    #[test]
    fn what_is_no_text_ends_it() {
        for (json, text) in [
            (r#"{"a": 1, "replyy": "x", "reply" : "y"}"#, "y"),
            (r#"""reply":"x""#, "x"),
            (r#"{"reply": "a\x"}"#, "a"),
            (r#"{"reply": "a\ud83dx"}"#, "a"),
            (r#"{"reply": "a\ude00"}"#, "a"),
            (r#"{"reply": "a\ud83d\n"}"#, "a"),
            ("{\"reply\": \"a\nb\tc\"}", "a\nb\tc"),
            ("", ""),
        ] {
            assert_eq!(value_of(json), text, "{json}");
        }
    }

    #[test]
    fn what_is_sent_is_the_text_without_its_end() {
        let text = "A text with <b>marks</b>, long enough. ".repeat(20);
        let json = json!({"reply": text, "covered_objectives": []}).to_string();
        let expected = crate::model::text::for_display(&text);
        for size in [1, 7, 100, json.len()] {
            let mut reply = ReplyText::new(Secrets::new(&[], "", &[]));
            let characters: Vec<_> = json.chars().collect();
            let pieces = characters.chunks(size).map(|piece| piece.iter().collect::<String>());
            let sent: String = pieces.map(|piece| reply.push(&piece).unwrap()).collect();
            assert!(expected.starts_with(&sent) && expected.len() - sent.len() == HELD_BACK, "{sent}");
            assert_eq!(reply.end().0, sent);
        }
    }

    #[test]
    fn a_secret_is_known_before_it_is_sent() {
        let mut reply = ReplyText::new(Secrets::new(&[], "Never mention the second town.", &[]));
        let json = json!({"reply": format!("{}Never mention the second town!", "x ".repeat(100))}).to_string();
        let mut sent = String::new();
        let refused = json.chars().find_map(|character| match reply.push(&character.to_string()) {
            Ok(ready) => {
                sent.push_str(&ready);
                None
            }
            Err(refused) => Some(refused),
        });
        assert_eq!(refused, Some(GivesSecretAway));
        assert!(!sent.contains("Never"), "{sent}");
    }

    #[test]
    fn a_long_reply_in_small_pieces_is_no_more_work_than_a_short_one_for_each_piece() {
        let instructions = (0..5_000).map(|number| format!("word{number} ")).collect::<String>();
        let guidance = (0..500).map(|number| format!("never say the number {number} to him. ")).collect::<String>();
        let mut reply = ReplyText::new(Secrets::new(&[&instructions], &guidance, &[]));
        let begin = Instant::now();
        reply.push("{\"reply\": \"").unwrap();
        let mut sent = 0;
        for _ in 0..200_000 {
            sent += reply.push("word7 ").unwrap().len();
        }
        assert_eq!(sent, 200_000 * 6 - HELD_BACK);
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    }
}
