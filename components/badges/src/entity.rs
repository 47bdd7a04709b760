//! What all records of the area have in common: entity ids, moments with milliseconds, and the envelope around every answer.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use shared::db::{self, Bind};
use shared::error::{OrNotFound, Violation};
use shared::params::lenient;
use shared::{Body, Context, Error, Reply, Result, Timestamp};
use uuid::Uuid;

/// A new entity id: a random UUID in 22 characters.
pub(crate) fn new_id() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Uuid::new_v4().as_bytes())
}

/// A record that a path names.
#[derive(Debug, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct EntityPath {
    pub(crate) id: String,
}

/// A record that a path names by the address of its public document, in base64.
#[derive(Debug, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct AddressPath {
    pub(crate) address: String,
}

impl AddressPath {
    /// The entity id at the end of the address, which must be one of ours of that kind.
    pub(crate) async fn entity(&self, cx: &Context, kind: &str) -> Result<EntityPath> {
        let prefix = format!("{}/public/{kind}/", cx.base_url().await?);
        let address = from_base64(&self.address).or_not_found()?;
        let id = address.strip_prefix(&prefix).or_not_found()?;
        Ok(EntityPath { id: id.to_owned() })
    }
}

/// Text in base64 of either alphabet, with padding or without.
pub(crate) fn from_base64(text: &str) -> Option<String> {
    let plain = text.trim_end_matches('=').replace('+', "-").replace('/', "_");
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(plain).ok()?).ok()
}

/// A path without parameters.
#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct NoPath {}

/// A moment, written with its milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl Moment {
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

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Status {
    success: bool,
    description: &'static str,
}

/// The envelope: records stand in a list even where there is only one.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Answer<T> {
    status: Status,
    pub(crate) result: Vec<T>,
    timestamp: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
}

/// Where a feed of changes goes on.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pagination {
    pub(crate) has_next: bool,
    pub(crate) next_results: Option<String>,
    pub(crate) has_previous: bool,
    pub(crate) previous_results: Option<String>,
}

impl<T: Serialize> Answer<T> {
    pub(crate) fn of(cx: &Context, result: Vec<T>) -> Self {
        Self::described(cx, "ok", result)
    }

    pub(crate) fn described(cx: &Context, description: &'static str, result: Vec<T>) -> Self {
        let status = Status { success: true, description };
        Self { status, result, timestamp: Moment(cx.now), pagination: None }
    }

    pub(crate) fn with(self, pagination: Pagination) -> Self {
        Self { pagination: Some(pagination), ..self }
    }

    /// 200 with one record.
    pub(crate) fn one(cx: &Context, record: T) -> Reply<Self> {
        Reply::ok(Self::of(cx, vec![record]))
    }

    /// 201 with one record.
    pub(crate) fn created(cx: &Context, record: T) -> Reply<Self> {
        Reply::created(Self::of(cx, vec![record]))
    }
}

/// The parameters as a `T`; a parameter that does not fit is told by its own name.
pub(crate) fn decode<T: DeserializeOwned>(body: Body<T>) -> Result<T> {
    read(Value::Object(body.into_params()))
}

/// A value as a `T`, as [`decode`] reads it.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    lenient::from_value(value).map_err(|error| {
        let error = error.to_string();
        match error.split_once(' ') {
            Some((field, message)) => Error::invalid(field, "invalid", message),
            None => Error::bad_request(error),
        }
    })
}

/// What a form does wrong, gathered so that all of it is told at once.
#[derive(Default)]
pub(crate) struct Problems(Vec<Violation>);

impl Problems {
    pub(crate) fn add(&mut self, field: &str, message: impl Into<String>) {
        self.0.push(Violation { field: Some(field.to_owned()), code: "invalid", message: message.into() });
    }

    /// The text of a field that must be there, without tags and of no more than so many characters.
    pub(crate) fn text(&mut self, field: &str, text: Option<&str>, longest: usize) -> String {
        let text = text.map(plain).unwrap_or_default();
        if text.is_empty() {
            self.add(field, "This field is required.");
        }
        self.not_too_long(field, &text, longest);
        text
    }

    /// The same of a field that may be left out or be empty.
    pub(crate) fn optional_text(&mut self, field: &str, text: Option<&str>, longest: usize) -> Option<String> {
        let text = text.map(plain).filter(|text| !text.is_empty())?;
        self.not_too_long(field, &text, longest);
        Some(text)
    }

    /// An address of the web that may be left out.
    pub(crate) fn optional_url(&mut self, field: &str, url: Option<&str>, longest: usize) -> Option<String> {
        let url = url.map(str::trim).filter(|url| !url.is_empty())?;
        self.not_too_long(field, url, longest);
        if !is_url(url) {
            self.add(field, "Enter a valid URL.");
        }
        Some(url.to_owned())
    }

    /// An object whose members are objects, as extensions are.
    pub(crate) fn extensions(&mut self, extensions: Option<Value>) -> Option<Value> {
        let extensions = extensions.filter(|extensions| !extensions.is_null())?;
        let is_map = extensions.as_object().is_some_and(|map| map.values().all(Value::is_object));
        if !is_map {
            self.add("extensions", "Enter an object whose members are objects.");
        }
        Some(extensions)
    }

    fn not_too_long(&mut self, field: &str, text: &str, longest: usize) {
        if text.chars().count() > longest {
            self.add(field, format!("Ensure this field has no more than {longest} characters."));
        }
    }

    pub(crate) fn none(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::violations(self.0)) }
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.0
    }
}

/// Whether a browser can go there.
pub(crate) fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let has_host = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']));
    has_host && text.parse::<http::Uri>().is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

/// Text without its tags: these fields are plain text, wherever they are shown.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match after.split_once('>').filter(|_| is_tag) {
            Some((_, after)) => rest = after,
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
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
            ("open <b", "open <b"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn addresses_lead_somewhere() {
        for url in ["https://a.test", "http://127.0.0.1:80/x?y"] {
            assert!(is_url(url), "{url}");
        }
        for url in ["", "a.test", "https://", "https:///x", "javascript:x()", "ftp://a.test", "https://a b"] {
            assert!(!is_url(url), "{url}");
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
