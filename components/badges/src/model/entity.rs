//! The things that all records of the area have in common: entity ids, moments with milliseconds, and the envelope of answers.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, ETAG};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use shared::db::{self, Bind, BuiltJson, BuiltList};
use shared::error::{Violation, Violations};
use shared::params::{coerce, json_bytes};
use shared::{Context, Created, Error, Form, JsonSchema, Reply, Result, Timestamp, clock};
use url::Url;
use uuid::Uuid;

/// The most bytes of the extensions of a record, as JSON.
const MAX_EXTENSIONS_BYTES: usize = 32 * 1024;
const MAX_EXTENSION_NAME_CHARS: usize = 100;

/// A new entity id: a random UUID in 22 characters.
pub(crate) fn new_id() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Uuid::new_v4().as_bytes())
}

/// A record that a path names.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EntityPath {
    pub(crate) id: String,
}

/// Text in base64 of either alphabet, with padding or without.
pub(crate) fn from_base64(text: &str) -> Option<String> {
    let plain = text.trim_end_matches('=').replace('+', "-").replace('/', "_");
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(plain).ok()?).ok()
}

/// The base of the addresses that are signed or name a key: they must be the same for ever, whoever asks.
pub(crate) async fn lasting_base(cx: &Context) -> Result<String> {
    cx.base_url().await
}

/// 304 to a client that has what that tag names.
pub(crate) fn unchanged(tag: &str, cached: &str) -> Reply {
    Reply::empty(StatusCode::NOT_MODIFIED)
        .header(ETAG, tag)
        .header(CACHE_CONTROL, cached)
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

/// A moment, written with its milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl Moment {
    /// The present one, for what is written now. Changes are told in the order of their moments: one that was begun before others
    /// and is written behind them must not have an earlier moment, or whoever has read those never hears of it.
    pub(crate) fn of_writing() -> Self {
        Self(clock::now())
    }

    /// As it is stored: the microseconds keep the order of what is made in the same second.
    pub(crate) fn stored(self) -> String {
        self.0.with_microseconds()
    }
}

impl Bind for Moment {
    fn value(self) -> db::Value {
        db::Value::Text(self.stored())
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.with_milliseconds())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Timestamp::deserialize(deserializer).map(Self)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Moment {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Timestamp::schema_name()
    }

    fn inline_schema() -> bool {
        Timestamp::inline_schema()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Timestamp::json_schema(generator)
    }
}

#[derive(Serialize, JsonSchema)]
struct Status {
    success: bool,
    description: &'static str,
}

/// The envelope: records stand in a list even where there is only one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Answer")]
pub(crate) struct Envelope<T> {
    pub(crate) result: Vec<T>,
    #[serde(flatten)]
    rest: Rest,
}

/// What stands beside the records.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Rest {
    status: Status,
    timestamp: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
}

/// The place at which a feed of changes goes on.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pagination {
    pub(crate) has_next: bool,
    pub(crate) next_results: Option<String>,
    pub(crate) has_previous: bool,
    pub(crate) previous_results: Option<String>,
}

impl Rest {
    pub(crate) fn of(cx: &Context) -> Self {
        Self { status: Status { success: true, description: "ok" }, timestamp: Moment(cx.now), pagination: None }
    }

    /// The same, dated before the present moment.
    pub(crate) fn earlier(self, seconds: i64) -> Self {
        Self { timestamp: Moment(self.timestamp.0.plus_seconds(-seconds)), ..self }
    }

    pub(crate) fn with(self, pagination: Pagination) -> Self {
        Self { pagination: Some(pagination), ..self }
    }
}

/// The records of a part of a list, in a form that the envelope takes.
pub(crate) trait Records<T> {
    /// 200 with the records.
    fn beside(self, rest: Rest) -> Result<Reply<Envelope<BuiltJson<T>>>>;
}

impl<T> Records<T> for Vec<BuiltJson<T>> {
    fn beside(self, rest: Rest) -> Result<Reply<Envelope<BuiltJson<T>>>> {
        Ok(Reply::ok(Envelope { result: self, rest }))
    }
}

impl<T> Records<T> for BuiltList<T> {
    fn beside(self, rest: Rest) -> Result<Reply<Envelope<BuiltJson<T>>>> {
        Reply::built_in(self, "result", &rest)
    }
}

impl<T: Serialize> Envelope<T> {
    pub(crate) fn of(cx: &Context, result: Vec<T>) -> Self {
        Self { result, rest: Rest::of(cx) }
    }

    pub(crate) fn described(cx: &Context, description: &'static str, result: Vec<T>) -> Self {
        Self { result, rest: Rest { status: Status { success: true, description }, ..Rest::of(cx) } }
    }

    /// 200 with one record.
    pub(crate) fn one(cx: &Context, record: T) -> Reply<Self> {
        Reply::ok(Self::of(cx, vec![record]))
    }

    /// 201 with one record.
    pub(crate) fn created(cx: &Context, record: T) -> Created<Self> {
        Reply::created(Self::of(cx, vec![record]))
    }
}

/// The parameters as a `T`; a parameter that does not fit is told by its own name.
pub(crate) fn decode<T: DeserializeOwned>(body: Form<T>) -> Result<T> {
    read(Value::Object(body.into_params()?))
}

/// A value as a `T`, which is an object, as [`decode`] reads it.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    if !value.is_object() {
        let message = "must be an object".into();
        return Err(Error::violations(vec![Violation { field: None, code: "invalid", message }]));
    }
    coerce::from_value(value).map_err(|error| {
        let error = error.to_string();
        match error.split_once(' ') {
            Some((field, message)) => Error::invalid(field, "invalid", message),
            None => Error::bad_request(error),
        }
    })
}

/// The rules of fields, in the words that clients of the area know.
pub(crate) trait FieldRules {
    /// Adds that the field breaks a rule: a whole sentence.
    fn refuse(&mut self, field: &str, message: impl Into<String>);

    /// The text of a field that must be there, without tags and of no more than so many characters.
    fn text(&mut self, field: &str, text: Option<&str>, max_chars: usize) -> String;

    /// The same of a field that may be left out or be empty.
    fn optional_text(&mut self, field: &str, text: Option<&str>, max_chars: usize) -> Option<String>;

    /// An address of the web that may be left out.
    fn optional_url(&mut self, field: &str, url: Option<&str>, max_chars: usize) -> Option<String>;

    /// An object whose members are objects, each under a name that only an extension has.
    fn extensions(&mut self, extensions: Option<Value>) -> Option<Value>;

    /// Refuses what is longer than so many bytes as JSON.
    fn require_size(&mut self, field: &str, value: &impl Serialize, max_bytes: usize);

    /// True if the text has no more than so many characters; told where it has.
    fn require_length(&mut self, field: &str, text: &str, max_chars: usize) -> bool;
}

impl FieldRules for Violations {
    fn refuse(&mut self, field: &str, message: impl Into<String>) {
        self.add(Violation::new(field, "invalid", message));
    }

    fn text(&mut self, field: &str, text: Option<&str>, max_chars: usize) -> String {
        let told = self.count();
        let text = self.optional_text(field, text, max_chars);
        if text.is_none() && self.count() == told {
            self.refuse(field, "This field is required.");
        }
        text.unwrap_or_default()
    }

    fn optional_text(&mut self, field: &str, text: Option<&str>, max_chars: usize) -> Option<String> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        // Nothing else looks at a text before its length is known to be in bounds.
        if !self.require_length(field, text, max_chars) {
            return None;
        }
        // In what is read as parameters there is none; a body that is read by hand may have one.
        if text.contains('\0') {
            self.refuse(field, "Null characters are not allowed.");
            return None;
        }
        let text = without_tags(text);
        (!text.is_empty()).then_some(text)
    }

    fn optional_url(&mut self, field: &str, url: Option<&str>, max_chars: usize) -> Option<String> {
        let url = url.map(str::trim).filter(|url| !url.is_empty())?;
        if self.require_length(field, url, max_chars) && !is_url(url) {
            self.refuse(field, "Enter a valid URL.");
        }
        Some(url.to_owned())
    }

    fn extensions(&mut self, extensions: Option<Value>) -> Option<Value> {
        let extensions = extensions.filter(|extensions| !extensions.is_null())?;
        let is_map = extensions.as_object().is_some_and(|map| map.values().all(Value::is_object));
        if !is_map {
            self.refuse("extensions", "Enter an object whose members are objects.");
        } else if extensions.as_object().is_some_and(|map| !map.keys().all(|name| is_extension_name(name))) {
            self.refuse("extensions", "Names of extensions begin with \"extensions:\", as \"extensions:applyLink\".");
        }
        self.require_size("extensions", &extensions, MAX_EXTENSIONS_BYTES);
        Some(extensions)
    }

    fn require_size(&mut self, field: &str, value: &impl Serialize, max_bytes: usize) {
        if json_bytes(value) > max_bytes {
            self.refuse(field, format!("Ensure this field has no more than {max_bytes} bytes as JSON."));
        }
    }

    fn require_length(&mut self, field: &str, text: &str, max_chars: usize) -> bool {
        // A text with more characters than this need not be counted to its end.
        let fits = text.chars().nth(max_chars).is_none();
        if !fits {
            self.refuse(field, format!("Ensure this field has no more than {max_chars} characters."));
        }
        fits
    }
}

/// True if a browser can go there: an address of the web with a host, without a user name or password.
pub(crate) fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest.filter(|rest| !rest.starts_with(['/', '?', '#', ':'])) else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // Characters that a lax reader would repair are refused, so that no two readers take an address differently.
    let is_strict = !text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    let names_a_host = Url::parse(text).is_ok_and(|url| url.host().is_some() && url.port() != Some(0));
    is_strict && !authority.contains(['@', '%']) && names_a_host
}

/// True if a member of a document can have that name beside the members that documents have by themselves, under whatever
/// names: those of an extension are in a name space of their own.
pub(crate) fn is_extension_name(name: &str) -> bool {
    name.strip_prefix("extensions:").is_some_and(|rest| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        (1..=MAX_EXTENSION_NAME_CHARS).contains(&rest.len()) && rest.chars().all(is_word)
    })
}

/// True if a `<` before that character opens a tag.
fn opens_a_tag(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')
}

/// Text without its tags: these fields are plain text, wherever they are shown.
///
/// Text between a `<` that opens a tag and the next `>` is left out. A `<` that stays is kept apart from what could
/// make it a tag, be it because the tag has no end or because another was taken out between them.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let last_end = text.rfind('>').unwrap_or_default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '<' && at < last_end && chars.peek().is_some_and(|(_, next)| opens_a_tag(*next)) {
            chars.by_ref().find(|(_, c)| *c == '>');
            continue;
        }
        if plain.ends_with('<') && opens_a_tag(c) {
            plain.push(' ');
        }
        plain.push(c);
    }
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_away_and_nothing_else() {
        for (text, expected) in [
            ("a <b>bold</b> move", "a bold move"),
            ("1 < 2 > 0", "1 < 2 > 0"),
            ("<script>x()</script>", "x()"),
            ("a <", "a <"),
            (" <!-- x -->y", "y"),
            ("I <3 you", "I <3 you"),
            ("open <b", "open < b"),
            ("<<b>script>x()<<b>/script>", "< script>x()< /script>"),
            ("<<<b>b>script>", "<< b>script>"),
        ] {
            assert_eq!(without_tags(text), expected);
        }
    }

    fn has_tag(text: &str) -> bool {
        text.split('<').skip(1).any(|rest| rest.starts_with(opens_a_tag))
    }

    proptest::proptest! {
        #[test]
        fn no_text_has_a_tag_when_its_tags_are_taken_away(text in "[<>ab/!? é]{0,64}") {
            let plain = without_tags(&text);
            proptest::prop_assert!(!has_tag(&plain), "{text:?} became {plain:?}");
            proptest::prop_assert_eq!(without_tags(&plain), plain);
        }
    }

    #[test]
    fn a_text_costs_no_more_than_its_length() {
        let seconds = |unit: &str, n: usize| {
            let text = unit.repeat(n);
            let began = std::time::Instant::now();
            std::hint::black_box(without_tags(&text));
            began.elapsed().as_secs_f64()
        };
        for unit in ["<", "<a", "<a ", "<<b>", "< >", "<!"] {
            // Other programs on the machine may make one of them slow, but not all.
            let is_linear = || seconds(unit, 200_000) < seconds(unit, 100_000) * 3.0;
            assert!((0..50).any(|_| is_linear()), "{unit:?} costs more than its length");
        }
    }

    #[test]
    fn what_is_too_long_is_told_and_not_read() {
        let mut violations = Violations::default();
        assert_eq!(violations.optional_text("name", Some(&"<a".repeat(1_000_000)), 8), None);
        assert_eq!(violations.text("name", Some(&"<b>".repeat(3)), 8), "");
        assert_eq!(violations.text("name", Some(" äöüäöüäö "), 8), "äöüäöüäö");
        let messages: Vec<_> = violations.into_vec().into_iter().map(|violation| violation.message).collect();
        assert_eq!(messages, ["Ensure this field has no more than 8 characters."; 2]);
    }

    #[test]
    fn addresses_lead_somewhere() {
        for url in [
            "https://a.test",
            "http://127.0.0.1:80/x?y",
            "https://a.test/@b",
            "https://[::1]:8443",
            "https://bücher.test",
        ] {
            assert!(is_url(url), "{url}");
        }
        for url in [
            "",
            "a.test",
            "https://",
            "https:///x",
            "https:a.test",
            "javascript:x()",
            "ftp://a.test",
            "https://a b",
            "http://a.test:99999",
            "http://a.test:0",
            "http://a.test:x",
            "https://:80",
            "https://user:pw@a.test/",
            "https://@a.test/",
            "https://a%40b.test/",
            "https://a.test\\@b.test",
            "https://a.test/\u{7f}",
            "https://[::1/",
        ] {
            assert!(!is_url(url), "{url}");
        }
    }

    #[test]
    fn extensions_have_names_that_no_document_has() {
        for name in ["extensions:applyLink", "extensions:a.b-c_1"] {
            assert!(is_extension_name(name), "{name}");
        }
        for name in
            ["revoked", "@id", "obi:revoked", "extensions:", "extensions:a b", "extensions", "https://w3id.org/x"]
        {
            assert!(!is_extension_name(name), "{name}");
        }
    }

    #[test]
    fn entity_ids_and_base64_of_either_alphabet() {
        assert_eq!(new_id().len(), 22);
        assert_eq!(from_base64("YT9-YQ==").as_deref(), Some("a?~a"));
        assert_eq!(from_base64("YT9+YQ").as_deref(), Some("a?~a"));
        assert_eq!(from_base64("!"), None);
    }
}
