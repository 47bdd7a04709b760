//! JSON that is written already and that is answered as it is.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use types::coerce::BUILT_JSON;

use super::error::Result;

/// A `T` in the very words in which the database has built it: it goes from the row into the answer without being read, so
/// what the statement selects is what clients see. A handler that needs the words before it answers writes them once with
/// [`BuiltJson::of`]. The type is there for the API description.
///
/// The column is a text of JSON, and must be that: it is not read on its way either.
pub struct BuiltJson<T> {
    json: Box<RawValue>,
    described_as: PhantomData<T>,
}

impl<T: Serialize> BuiltJson<T> {
    /// The value as JSON, for one that is written once and answered later.
    pub fn of(value: &T) -> Result<Self> {
        let json = serde_json::value::to_raw_value(value).map_err(|error| super::Error::Other(error.to_string()))?;
        Ok(Self { json, described_as: PhantomData })
    }
}

impl<T: DeserializeOwned> BuiltJson<T> {
    /// The value, for the few that are looked at after all.
    pub fn read(&self) -> Result<T> {
        super::decode_text(self.json.get())
    }
}

/// The beginning of a text of JSON: `"https://lms.test`. So what many records begin a text with is quoted once, and not for each.
pub fn begun_text(beginning: &str) -> String {
    let mut text = Value::from(beginning).to_string();
    text.pop();
    text
}

/// A row that is one record, in its column `record`.
#[derive(Deserialize)]
#[serde(bound = "")]
pub struct BuiltRow<T> {
    record: BuiltJson<T>,
}

impl<T> BuiltRow<T> {
    /// The record.
    pub fn into_record(self) -> BuiltJson<T> {
        self.record
    }
}

impl<'de, T> Deserialize<'de> for BuiltJson<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let json = deserializer.deserialize_newtype_struct(BUILT_JSON, JsonVisitor)?;
        Ok(Self { json, described_as: PhantomData })
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Box<RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    /// A text of JSON is taken for a part of it.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, text: D) -> std::result::Result<Self::Value, D::Error> {
        Box::<RawValue>::deserialize(text)
    }

    /// The column of a row, or a value that stood in a tree.
    fn visit_str<E: Error>(self, json: &str) -> std::result::Result<Self::Value, E> {
        RawValue::from_string(json.to_owned()).map_err(E::custom)
    }
}

impl<T> Serialize for BuiltJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

types::described_as_wrapped!(BuiltJson);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{json_array, json_object};

    #[derive(Serialize, Deserialize)]
    struct Row {
        id: i64,
        entry: BuiltJson<Value>,
        more: Option<BuiltJson<Value>>,
    }

    #[test]
    fn json_goes_through_in_its_own_words() {
        let json = r#"{"id":7,"entry":{"b":1.50,"a":"\u00e9"},"more":null}"#;
        let row: Row = crate::decode_text(json).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), json);
        assert_eq!(row.entry.read().unwrap(), serde_json::json!({ "b": 1.5, "a": "\u{e9}" }));
    }

    #[test]
    fn a_text_begins_as_json_has_it() {
        assert_eq!(begun_text("https://lms.test"), r#""https://lms.test"#);
        assert_eq!(begun_text(r#"a"\"#), r#""a\"\\"#);
    }

    #[test]
    fn a_column_is_a_text_of_json() {
        let columns = [("id", 7.into()), ("entry", r#"[1, 2]"#.into()), ("more", Value::Null)];
        let row: Row =
            types::coerce::from_entries(columns.map(|(name, value)| (name.to_owned(), value)).into_iter()).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"id":7,"entry":[1, 2],"more":null}"#);
    }

    #[test]
    fn a_row_that_needs_casts_keeps_its_json() {
        let row: Row = crate::decode_text(r#"{"id":"7","entry":{"a":[1]},"more":[]}"#).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"id":7,"entry":{"a":[1]},"more":[]}"#);
    }

    #[test]
    fn the_database_has_it_in_its_text_as_it_stands() {
        let (entry, more) = (r#"ifnull("entry", 'null')"#, r#"ifnull("more", 'null')"#);
        assert_eq!(
            *json_object::<Row>().unwrap(),
            *format!(r#"concat('{{"id":', json_quote("id"), ',"entry":', {entry}, ',"more":', {more}, '}}')"#)
        );
        assert_eq!(
            *json_array::<Row>().unwrap(),
            *format!(r#"concat('[', json_quote("id"), ',', {entry}, ',', {more}, ']')"#)
        );
    }
}
