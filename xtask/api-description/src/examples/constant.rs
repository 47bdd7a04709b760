//! Recordings without what differs from one time to the next, or what nobody is to see: ids, times, tokens, signatures,
//! keys.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde_json::{Number, Value};

/// The stand-in for what nobody is to see.
const SECRET: &str = "EXAMPLE";
/// The moment in which all examples happen.
const DAY: &str = "2026-03-04";
const TIME: &str = "05:06:07";
/// The same in seconds since 1970.
const UNIX_TIME: i64 = 1_772_600_767;
/// Seconds since 1970 from which a number counts as a time.
const MIN_UNIX_TIME: i64 = 1_500_000_000;
/// Members whose text is a secret have one of these words in their name …
const SECRET_WORDS: [&str; 7] = ["api_key", "password", "secret", "signature", "ticket", "token", "verifier"];
/// … unless it ends so.
const PLAIN_ENDS: [&str; 4] = ["_type", "_endpoint", "_supported", "_url"];
/// Members with a duration that was measured.
const DURATIONS: [&str; 3] = ["duration", "latency", "milliseconds"];
/// Elements that a list of an example has at most.
const MAX_ELEMENTS: usize = 2;
/// Characters that a text of an example has at most.
const MAX_CHARS: usize = 240;

/// An expression of this file.
#[expect(clippy::expect_used, reason = "the expressions stand below, and a test makes all of them")]
fn regex(expression: &str) -> Regex {
    Regex::new(expression).expect("an expression")
}

macro_rules! regexes {
    ($($name:ident = $expression:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($expression));)*
        #[cfg(test)]
        fn all_regexes() -> Vec<&'static Regex> { vec![$(&*$name),*] }
    };
}

regexes! {
    LOOPBACK = r"https?://(127\.0\.0\.1|localhost):\d+";
    TOKEN = r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?";
    SIGNING_SECRET = r"whsec_[A-Za-z0-9+/=]+";
    QUERY_SECRET =
        r#"([?&](?:access_token|ticket|signature|sig|token|verifier|code|state|X-Amz-[A-Za-z]+)=)[^&\s"<>#\\]+"#;
    BOOKMARK = r#"(bookmark(?::|%3A))[^&\s"<>#\\]+"#;
    BASE64 = r"(;base64,)[A-Za-z0-9+/=_-]{16,}";
    UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    UNIQUE_SUFFIX = r"-[0-9a-f]{32}";
    HEXADECIMAL = r"[0-9a-f]{32,}";
    MOMENT = r"20[2-4]\d-\d\d-\d\dT\d\d:\d\d:\d\d";
    DATE = r"^20[2-4]\d-\d\d-\d\d$";
    FRACTION = r"(05:06:07)\.\d+";
    OPAQUE = r"[A-Za-z0-9_+-]{20,}";
}

/// What was replaced so far: the same value has the same stand-in everywhere in an example.
pub(super) struct Constants<'a> {
    base_url: &'a str,
    ids: BTreeMap<i64, i64>,
    opaque: BTreeMap<String, usize>,
}

impl<'a> Constants<'a> {
    pub(super) fn new(base_url: &'a str) -> Self {
        Self { base_url, ids: BTreeMap::new(), opaque: BTreeMap::new() }
    }

    /// A path, whose numbers are ids.
    pub(super) fn path(&mut self, path: &str) -> String {
        let text = self.plain(path);
        self.numbered(&text)
    }

    /// A body, by the names of its members and the forms of its texts.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        self.member("", value)
    }

    fn member(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                members.iter().map(|(name, member)| (self.text(name), self.member(name, member))).collect()
            }
            Value::Array(elements) => elements.iter().map(|element| self.member(name, element)).collect(),
            Value::Number(number) => self.number(name, number),
            Value::String(text) => Value::String(self.named_text(name, text)),
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    fn named_text(&mut self, name: &str, text: &str) -> String {
        match text.parse() {
            Ok(id) if is_id(name) => self.id(id).to_string(),
            _ if !text.is_empty() && is_secret(name, text) => hidden(text),
            _ => self.text(text),
        }
    }

    fn number(&mut self, name: &str, number: &Number) -> Value {
        match number.as_i64() {
            Some(id) if is_id(name) => self.id(id).into(),
            Some(seconds) if seconds > MIN_UNIX_TIME => UNIX_TIME.into(),
            _ if DURATIONS.contains(&name) => 12.into(),
            _ => Value::Number(number.clone()),
        }
    }

    /// The stand-in for an id: ids count from 1, in the order in which an example names them.
    fn id(&mut self, id: i64) -> i64 {
        let next = i64::try_from(self.ids.len()).map_or(i64::MAX, |known| known.saturating_add(1));
        *self.ids.entry(id).or_insert(next)
    }

    fn number_of(&mut self, opaque: &str) -> usize {
        let next = self.opaque.len() + 1;
        *self.opaque.entry(opaque.to_owned()).or_insert(next)
    }

    /// A text without what differs; in one with addresses, numbers between slashes are ids.
    pub(super) fn text(&mut self, text: &str) -> String {
        let text = self.plain(text);
        let has_path = ["/api/", "/files/", "/courses/", "http://127"].iter().any(|part| text.contains(part));
        if has_path { self.numbered(&text) } else { text }
    }

    fn plain(&mut self, text: &str) -> String {
        let base = self.base_url;
        let text = LOOPBACK.replace_all(text, |found: &Captures<'_>| {
            let port = if whole(found) == base { 3000 } else { 8081 };
            format!("http://127.0.0.1:{port}")
        });
        let text = TOKEN.replace_all(&text, SECRET);
        let text = SIGNING_SECRET.replace_all(&text, "whsec_EXAMPLE");
        let text = QUERY_SECRET.replace_all(&text, "${1}EXAMPLE");
        let text = BOOKMARK.replace_all(&text, "${1}EXAMPLE");
        let text = BASE64.replace_all(&text, "${1}EXAMPLE");
        let text = UUID.replace_all(&text, |found: &Captures<'_>| {
            format!("00000000-0000-4000-8000-{:0>12}", self.number_of(whole(found)))
        });
        let text = UNIQUE_SUFFIX.replace_all(&text, "");
        let text = HEXADECIMAL.replace_all(&text, |found: &Captures<'_>| {
            format!("{:0>1$}", self.number_of(whole(found)), whole(found).len())
        });
        let text = MOMENT.replace_all(&text, format!("{DAY}T{TIME}"));
        let text = DATE.replace_all(&text, DAY);
        let text = FRACTION.replace_all(&text, "${1}.000");
        let text = OPAQUE.replace_all(&text, |found: &Captures<'_>| match whole(found) {
            opaque if is_opaque(opaque) => {
                format!("{SECRET}{:0>1$}", self.number_of(opaque), opaque.len() - SECRET.len())
            }
            plain => plain.to_owned(),
        });
        text.into_owned()
    }

    /// A text with paths, whose numbers are ids.
    fn numbered(&mut self, text: &str) -> String {
        let segments = text.split('/').map(|segment| {
            let end = segment.find(|c: char| !c.is_ascii_digit()).unwrap_or(segment.len());
            let (digits, rest) = segment.split_at(end);
            match digits.parse() {
                Ok(id) if rest.is_empty() || rest.starts_with(['?', '#', '"', '>', ' ']) => {
                    format!("{}{rest}", self.id(id))
                }
                _ => segment.to_owned(),
            }
        });
        segments.collect::<Vec<_>>().join("/")
    }
}

fn whole<'t>(found: &Captures<'t>) -> &'t str {
    found.get(0).map_or("", |whole| whole.as_str())
}

fn is_id(name: &str) -> bool {
    let name = name.trim_end_matches("[]");
    ["id", "ids", "Id"].contains(&name) || ["_id", "_ids", "Id", "Ids"].iter().any(|end| name.ends_with(end))
}

fn is_secret(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_plain = PLAIN_ENDS.iter().any(|end| name.ends_with(end)) || is_id(&name);
    // The code of an error is a word, one that opens something has capitals or digits.
    let is_code = name == "code" && text.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let is_assertion = ["assertion", "client_assertion"].contains(&name.as_str());
    is_code || is_assertion || (!is_plain && SECRET_WORDS.iter().any(|word| name.contains(word)))
}

/// A secret's stand-in, which keeps what says of which kind it is.
fn hidden(text: &str) -> String {
    if text.starts_with("whsec_") { "whsec_EXAMPLE".to_owned() } else { SECRET.to_owned() }
}

/// True if a word was made at random: it has capitals, small letters and digits.
fn is_opaque(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.bytes().any(|byte| kind(&byte));
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    is_mixed && !word.starts_with(SECRET)
}

/// A body of a size that people read: short lists and texts.
pub(super) fn cut(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), cut(member))).collect(),
        Value::Array(elements) => elements.iter().take(MAX_ELEMENTS).map(cut).collect(),
        Value::String(text) if text.chars().count() > MAX_CHARS => {
            Value::String(text.chars().take(MAX_CHARS).chain(['…']).collect())
        }
        _ => value.clone(),
    }
}

/// The part of a text that looks like a secret, or like an address that carries a right.
#[cfg(test)]
pub(super) fn secret_in(text: &str) -> Option<String> {
    let is_stand_in = |word: &str| {
        let word = word.replace("%3A", ":");
        word.rsplit(['=', '_', ':']).next().is_some_and(|end| end.starts_with(SECRET))
    };
    let looks = [&*TOKEN, &*SIGNING_SECRET, &*QUERY_SECRET, &*BOOKMARK];
    let found = looks.iter().flat_map(|look| look.find_iter(text)).find(|found| !is_stand_in(found.as_str()));
    let found = found.or_else(|| OPAQUE.find_iter(text).find(|found| is_opaque(found.as_str())));
    let bearer = text.split("Bearer ").nth(1).filter(|rest| !rest.starts_with(SECRET));
    found.map(|found| found.as_str().to_owned()).or_else(|| bearer.map(|rest| rest.chars().take(20).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOKEN_OF_A_USER: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

    fn constant(value: &Value) -> Value {
        Constants::new("http://127.0.0.1:41234").value(value)
    }

    #[test]
    fn the_expressions_are_expressions() {
        assert!(all_regexes().iter().all(|regex| !regex.is_match("")));
    }

    #[test]
    fn ids_count_from_one_and_stay_the_same_within_an_example() {
        let mut constants = Constants::new("http://127.0.0.1:41234");
        assert_eq!(constants.path("/api/v1/courses/4711/quizzes/88"), "/api/v1/courses/1/quizzes/2");
        let body = json!({
            "id": 88, "course_id": "4711", "user_ids": [5, 88], "points": 88, "name": "Quiz 88",
            "url": "http://127.0.0.1:41234/api/v1/courses/4711?page=2",
        });
        let expected = json!({
            "id": 2, "course_id": "1", "user_ids": [3, 2], "points": 88, "name": "Quiz 88",
            "url": "http://127.0.0.1:3000/api/v1/courses/1?page=2",
        });
        assert_eq!(constants.value(&body), expected);
    }

    #[test]
    fn times_are_one_moment_in_the_form_that_they_had() {
        let body = json!({
            "created_at": "2026-11-23T01:02:03Z", "issuedOn": "2026-11-23T01:02:03.456Z", "day": "2026-11-23",
            "created": 1_790_000_000, "title": "since 2026-11-23T01:02:03Z",
        });
        let expected = json!({
            "created_at": "2026-03-04T05:06:07Z", "issuedOn": "2026-03-04T05:06:07.000Z", "day": "2026-03-04",
            "created": UNIX_TIME, "title": "since 2026-03-04T05:06:07Z",
        });
        assert_eq!(constant(&body), expected);
    }

    #[test]
    fn secrets_are_hidden_by_their_names_and_by_their_forms() {
        let body = json!({
            "access_token": TOKEN_OF_A_USER, "token_type": "Bearer", "course_code": "BOT-1", "code": "ABCD-1234",
            "SigningSecret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "note": format!("sent with {TOKEN_OF_A_USER}."),
            "pseudonym": { "password": "correct horse" }, "entityId": "aB3dEfGhIjKlMnOpQrStUv",
            "url": "http://127.0.0.1:5/files/9/download?verifier=Abc123def&download=1",
            "image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==",
            "next": "/api/v1/x?page=bookmark:WzEsMl0&per_page=2",
            "uuid": "6f1ed002-ab59-4f4b-9d3a-0123456789ab", "login": "ada-0123456789abcdef0123456789abcdef@school.test",
        });
        let hidden = constant(&body);
        let expected = json!({
            "access_token": "EXAMPLE", "token_type": "Bearer", "course_code": "BOT-1", "code": "EXAMPLE",
            "SigningSecret": "whsec_EXAMPLE", "note": "sent with EXAMPLE.",
            "pseudonym": { "password": "EXAMPLE" }, "entityId": "EXAMPLE000000000000001",
            "url": "http://127.0.0.1:8081/files/1/download?verifier=EXAMPLE&download=1",
            "image": "data:image/png;base64,EXAMPLE", "next": "/api/v1/x?page=bookmark:EXAMPLE&per_page=2",
            "uuid": "00000000-0000-4000-8000-000000000002", "login": "ada@school.test",
        });
        assert_eq!(hidden, expected);
        assert!(secret_in(&body.to_string()).is_some());
        assert_eq!(secret_in(&hidden.to_string()), None);
    }

    #[test]
    fn what_looks_like_a_secret_is_found() {
        for secret in [
            TOKEN_OF_A_USER,
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "/files/1/download?verifier=abc",
            "https://bucket.test/x?X-Amz-Signature=0a1b2c",
            "Authorization: Bearer abc",
            "aB3dEfGhIjKlMnOpQrStUvWxYz0123456789",
        ] {
            assert!(secret_in(secret).is_some(), "{secret}");
        }
        for plain in ["a_long_name_of_a_parameter", "00000000-0000-4000-8000-000000000002", "whsec_EXAMPLE", "Leaf?"] {
            assert_eq!(secret_in(plain), None, "{plain}");
        }
    }

    #[test]
    fn lists_and_texts_are_cut() {
        let cut = cut(&json!({ "a": [1, 2, 3], "b": "x".repeat(500) }));
        assert_eq!(cut["a"], json!([1, 2]));
        assert_eq!(cut["b"].as_str().unwrap().chars().count(), MAX_CHARS + 1);
    }
}
