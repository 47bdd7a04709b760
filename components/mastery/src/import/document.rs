//! A document while it comes in: which lists it has, and where in it their records stand, so that they can be read again
//! from the blob store, a piece at a time and in the order in which they refer to one another.

use std::collections::BTreeMap;

use actson::feeder::JsonFeeder;
use actson::parser::ParserError;
use actson::{JsonEvent, JsonParser};
use bytes::Bytes;
use serde_json::value::RawValue;

/// The most bytes of a record.
const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// A piece has no more records than these, and no more bytes than these before its last record.
const MAX_PIECE_RECORDS: usize = 500;
const MAX_PIECE_BYTES: usize = 1024 * 1024;
/// The most members of the document, and the most bytes of the name of one.
const MAX_MEMBERS: usize = 100;
const MAX_NAME_BYTES: usize = 100;

/// The parts of a document.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) members: BTreeMap<String, Member>,
}

/// A member of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Member {
    List(List),
    /// An object: where it stands.
    Object(Span),
    /// Text, a number, true, false or null.
    Scalar,
}

/// A list of the document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) pieces: Vec<Piece>,
    /// The number of elements that it has.
    length: usize,
    /// The place of the first element that is no object.
    pub(crate) stray: Option<usize>,
}

/// Records that stand one behind the other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The place of the first one in its list.
    pub(crate) first: usize,
    pub(crate) span: Span,
    records: usize,
}

/// The place of something in the document, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Reads a document chunk by chunk, and keeps no more of it than where its parts are.
pub(crate) struct Scanner {
    parser: JsonParser<Chunk>,
    /// The first bytes of a character whose others are still to come.
    begun_character: Vec<u8>,
    contents: Contents,
    /// The member that is being read: its name, and what is known of it.
    name: String,
    member: Member,
    /// The number of lists and objects that are open.
    depth: usize,
    /// The beginning of the record, or the object, that is being read.
    start: usize,
    /// The place to which it was read when something was last understood.
    understood: usize,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            parser: JsonParser::new(Chunk::default()),
            begun_character: Vec::new(),
            contents: Contents::default(),
            name: String::new(),
            member: Member::Scalar,
            depth: 0,
            start: 0,
            understood: 0,
        }
    }
}

/// Why a document cannot be read, in words.
type Fault = String;

impl Scanner {
    /// Reads on.
    pub(crate) fn read(&mut self, chunk: &Bytes) -> Result<(), Fault> {
        self.check_characters(chunk)?;
        self.parser.feeder = Chunk { bytes: chunk.clone(), at: 0, is_last: false };
        self.events()?;
        // Bytes that are not understood yet are in memory.
        if self.parser.parsed_bytes().saturating_sub(self.understood) > MAX_RECORD_BYTES {
            return Err(format!("a value is longer than {MAX_RECORD_BYTES} bytes"));
        }
        Ok(())
    }

    /// The parts of the document, when all of it was read.
    pub(crate) fn finish(mut self) -> Result<Contents, Fault> {
        self.parser.feeder.is_last = true;
        self.events()?;
        if !self.begun_character.is_empty() {
            return Err("it is not UTF-8".to_owned());
        }
        Ok(self.contents)
    }

    fn check_characters(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let mut bytes = std::mem::take(&mut self.begun_character);
        let text = if bytes.is_empty() {
            chunk
        } else {
            bytes.extend_from_slice(chunk);
            &bytes
        };
        match std::str::from_utf8(text) {
            Ok(_) => Ok(()),
            Err(error) if error.error_len().is_none() => {
                self.begun_character = text.get(error.valid_up_to()..).unwrap_or_default().to_vec();
                Ok(())
            }
            Err(_) => Err("it is not UTF-8".to_owned()),
        }
    }

    fn events(&mut self) -> Result<(), Fault> {
        loop {
            match self.parser.next_event() {
                Ok(Some(JsonEvent::NeedMoreInput) | None) => return Ok(()),
                Ok(Some(event)) => self.event(event)?,
                Err(ParserError::NoMoreInput) => return Err("it ends too early".to_owned()),
                Err(_) => return Err(format!("it is no JSON at byte {}", self.parser.parsed_bytes())),
            }
            self.understood = self.parser.parsed_bytes();
        }
    }

    fn event(&mut self, event: JsonEvent) -> Result<(), Fault> {
        let at = self.parser.parsed_bytes();
        let opens = matches!(event, JsonEvent::StartObject | JsonEvent::StartArray);
        let closes = matches!(event, JsonEvent::EndObject | JsonEvent::EndArray);
        if closes {
            self.depth = self.depth.saturating_sub(1);
        }
        match (self.depth, event) {
            (0, JsonEvent::StartObject | JsonEvent::EndObject) => {}
            (0, _) => return Err("it is no object of lists".to_owned()),
            (1, JsonEvent::FieldName) => self.name = self.member_name()?,
            (1, JsonEvent::StartArray) => self.member = Member::List(List::default()),
            (1, JsonEvent::StartObject) => {
                self.start = at.saturating_sub(1);
                self.member = Member::Object(Span { start: self.start, end: at });
            }
            (1, JsonEvent::EndArray) => self.end_member(),
            (1, JsonEvent::EndObject) => {
                self.member = Member::Object(Span { start: self.start, end: at });
                self.end_member();
            }
            (1, _) => {
                self.member = Member::Scalar;
                self.end_member();
            }
            (2, _) => self.element(event, at)?,
            _ => {}
        }
        if opens {
            self.depth = self.depth.saturating_add(1);
        }
        Ok(())
    }

    /// Something in a list of the document.
    fn element(&mut self, event: JsonEvent, at: usize) -> Result<(), Fault> {
        let Member::List(list) = &mut self.member else { return Ok(()) };
        match event {
            JsonEvent::StartObject => self.start = at.saturating_sub(1),
            JsonEvent::EndObject => {
                let span = Span { start: self.start, end: at };
                if span.length() > MAX_RECORD_BYTES {
                    return Err(format!("{}[{}] is longer than {MAX_RECORD_BYTES} bytes", self.name, list.length));
                }
                list.add(span);
            }
            JsonEvent::EndArray => {}
            _ => {
                list.stray.get_or_insert(list.length);
                // Of a list in the list the end is not counted.
                list.length = list.length.saturating_add(1);
            }
        }
        Ok(())
    }

    fn member_name(&self) -> Result<String, Fault> {
        let name = self.parser.current_str().map_err(|_not_text| "it is not UTF-8".to_owned())?;
        if name.len() > MAX_NAME_BYTES || self.contents.members.len() >= MAX_MEMBERS {
            return Err(format!("it has more than {MAX_MEMBERS} members, or one with a longer name than usual"));
        }
        Ok(name.to_owned())
    }

    /// Of two members with the same name the last one counts.
    fn end_member(&mut self) {
        let member = std::mem::replace(&mut self.member, Member::Scalar);
        self.contents.members.insert(std::mem::take(&mut self.name), member);
    }
}

impl List {
    fn add(&mut self, record: Span) {
        match self.pieces.last_mut() {
            Some(piece) if piece.records < MAX_PIECE_RECORDS && piece.span.length() < MAX_PIECE_BYTES => {
                piece.span.end = record.end;
                piece.records = piece.records.saturating_add(1);
            }
            _ => self.pieces.push(Piece { first: self.length, span: record, records: 1 }),
        }
        self.length = self.length.saturating_add(1);
    }
}

impl Span {
    pub(crate) fn length(self) -> usize {
        self.end.saturating_sub(self.start)
    }
}

/// The records of a piece, each as it stands there.
pub(crate) fn records<T>(piece: &[u8], read: impl Fn(usize, &str) -> T) -> Result<Vec<T>, Fault> {
    let mut list = Vec::with_capacity(piece.len().saturating_add(2));
    list.push(b'[');
    list.extend_from_slice(piece);
    list.push(b']');
    let records: Vec<&RawValue> = serde_json::from_slice(&list).map_err(|error| error.to_string())?;
    Ok(records.into_iter().enumerate().map(|(index, record)| read(index, record.get())).collect())
}

/// The input of the parser: a chunk, and whether others follow.
#[derive(Default)]
struct Chunk {
    bytes: Bytes,
    at: usize,
    is_last: bool,
}

impl JsonFeeder for Chunk {
    fn has_input(&self) -> bool {
        self.at < self.bytes.len()
    }

    fn is_done(&self) -> bool {
        self.is_last && !self.has_input()
    }

    fn next_input(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at = self.at.saturating_add(usize::from(byte.is_some()));
        byte
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn scan(text: &[u8], chunk: usize) -> Result<Contents, String> {
        let mut scanner = Scanner::default();
        for chunk in text.chunks(chunk) {
            scanner.read(&Bytes::copy_from_slice(chunk))?;
        }
        scanner.finish()
    }

    /// The lists of objects, put together again from their pieces.
    fn lists(text: &[u8], contents: &Contents) -> Value {
        let mut lists = serde_json::Map::new();
        for (name, member) in &contents.members {
            let Member::List(list) = member else { continue };
            let mut all = Vec::new();
            for piece in &list.pieces {
                assert_eq!(piece.first, all.len());
                let bytes = &text[piece.span.start..piece.span.end];
                all.extend(records(bytes, |_, text| serde_json::from_str::<Value>(text).unwrap()).unwrap());
            }
            lists.insert(name.clone(), Value::Array(all));
        }
        Value::Object(lists)
    }

    #[test]
    fn lists_are_found_however_the_document_is_cut() {
        let document = json!({
            "schools": [{"id": "1", "name": "]}, \"{["}, {"id": "2", "more": [{"a": []}, [1, [2]]]}],
            "teachers": [], "items": [{}],
        });
        for text in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
            for chunk in [1, 2, 3, 7, 1000] {
                let contents = scan(text.as_bytes(), chunk).unwrap();
                assert_eq!(lists(text.as_bytes(), &contents), document);
            }
        }
    }

    #[test]
    fn a_long_list_is_cut_into_pieces() {
        let many: Vec<_> = (0..1201).map(|id| json!({"id": id})).collect();
        let document = json!({ "schools": many });
        let text = document.to_string();
        let contents = scan(text.as_bytes(), 100).unwrap();
        assert_eq!(lists(text.as_bytes(), &contents), document);
        let Some(Member::List(list)) = contents.members.get("schools") else { panic!("no list") };
        assert_eq!(list.pieces.iter().map(|piece| piece.records).collect::<Vec<_>>(), [500, 500, 201]);
    }

    #[test]
    fn large_records_make_small_pieces() {
        let large = "x".repeat(700_000);
        let document = json!({ "schools": [{"id": large}, {"id": large}, {"id": large}, {"id": large}] });
        let contents = scan(document.to_string().as_bytes(), 50_000).unwrap();
        let Some(Member::List(list)) = contents.members.get("schools") else { panic!("no list") };
        assert_eq!(list.pieces.iter().map(|piece| piece.records).collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn what_is_no_object_in_a_list_is_noticed() {
        for (text, place) in [("[{}, 1]", 1), ("[null]", 0), ("[{}, {}, [{}]]", 2), ("[\"a\", {}]", 0)] {
            let text = format!("{{\"schools\": {text}}}");
            let contents = scan(text.as_bytes(), 3).unwrap();
            let Some(Member::List(list)) = contents.members.get("schools") else { panic!("no list") };
            assert_eq!(list.stray, Some(place), "{text}");
        }
    }

    #[test]
    fn the_last_of_two_members_counts() {
        let text = br#"{"a": [{"b": 1}], "c": {"d": [1]}, "e": null, "a": [{"b": 2}]}"#;
        let contents = scan(text, 5).unwrap();
        assert_eq!(lists(text, &contents), json!({"a": [{"b": 2}]}));
        let Some(Member::Object(span)) = contents.members.get("c") else { panic!("no object") };
        assert_eq!(&text[span.start..span.end], br#"{"d": [1]}"#);
        assert_eq!(contents.members.get("e"), Some(&Member::Scalar));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for text in ["", "{", "[1]", "7", "{\"a\": [}", "{\"a\": [{\"b\": 1}", "{\"a\": tru}", "{} {}", "{\"a\" 1}"] {
            assert!(scan(text.as_bytes(), 2).is_err(), "{text}");
        }
        for bytes in [&b"{\"a\": [{\"b\": \"\xff\"}]}"[..], &b"{\"a\": \"\xc3"[..]] {
            assert!(scan(bytes, 1).is_err());
        }
        let umlaut = "{\"a\": [{\"b\": \"äöü€😀\"}]}";
        assert!(scan(umlaut.as_bytes(), 1).is_ok());
    }

    #[test]
    fn nothing_is_kept_in_memory_that_has_no_end() {
        let chunk = 64 * 1024;
        let long_text = format!("{{\"a\": [{{\"b\": \"{}\"}}]}}", "x".repeat(3 * MAX_RECORD_BYTES));
        let long_record = format!("{{\"a\": [{{\"b\": [{}1]}}]}}", "1,".repeat(MAX_RECORD_BYTES));
        let names: Vec<_> = (0..=MAX_MEMBERS).map(|number| format!("\"{number}\": []")).collect();
        let long_name = format!("{{\"{}\": []}}", "x".repeat(200));
        let deep = format!("{{\"a\": {}", "[".repeat(100_000));
        for text in [long_text, long_record, format!("{{{}}}", names.join(",")), long_name, deep] {
            assert!(scan(text.as_bytes(), chunk).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", chunk in 1usize..10) {
            let _judged = scan(text.as_bytes(), chunk);
        }

        #[test]
        fn any_list_of_objects_is_read(texts in proptest::collection::vec(".*", 0..20), chunk in 1usize..50) {
            let records: Vec<_> = texts.iter().map(|text| json!({"id": text, text: [text]})).collect();
            let document = json!({"schools": records});
            let text = document.to_string();
            let contents = scan(text.as_bytes(), chunk).unwrap();
            prop_assert_eq!(lists(text.as_bytes(), &contents), document);
        }
    }
}
