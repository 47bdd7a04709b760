//! The fields of a row type, asked of serde, so that SQLite can build the JSON of a row.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};

use types::coerce::BUILT_JSON;

use super::error::{Error, Result};

thread_local! {
    /// The texts for each row type, because to ask for its fields costs as much as to read some rows.
    static EXPRESSIONS: RefCell<HashMap<&'static str, Expressions>> = RefCell::default();
}

/// A row type as SQLite builds it: as text, where a field is built JSON.
#[derive(Clone)]
struct Expressions {
    object: Rc<str>,
    array: Rc<str>,
}

/// `json_object('id', "id", 'name', "name")` for a struct with these fields. SQLite has 0 and 1 for booleans: in the JSON
/// they are what the field is. A [`BuiltJson`](super::BuiltJson) is written as it stands.
pub fn json_object<T: DeserializeOwned>() -> Result<Rc<str>> {
    expressions::<T>().map(|expressions| expressions.object)
}

/// `json_array("id", "name")` for a struct with these fields, which is read as a [`Positional`](super::Positional).
pub fn json_array<T: DeserializeOwned>() -> Result<Rc<str>> {
    expressions::<T>().map(|expressions| expressions.array)
}

/// The list of the rows, each of which is such an expression, in their order, as an expression of text.
pub fn json_list(row: &str) -> String {
    format!("concat('[', group_concat({row}, ','), ']')")
}

/// What a row type answers when it is asked.
type Asking = fn(Ask) -> Option<Asked>;

/// The type is only asked here: what follows is compiled once for all of them.
fn expressions<T: DeserializeOwned>() -> Result<Expressions> {
    expressions_of(std::any::type_name::<T>(), |ask| T::deserialize(ask).err())
}

fn expressions_of(name: &'static str, asking: Asking) -> Result<Expressions> {
    if let Some(known) = EXPRESSIONS.with_borrow(|expressions| expressions.get(name).cloned()) {
        return Ok(known);
    }
    let Some(Asked::Fields(fields)) = asking(Ask::Fields) else {
        return Err(Error::Decode(format!("{name} is not a struct with named fields")));
    };
    let columns: Vec<_> = fields.iter().map(|name| Column { name, asked: asking(Ask::TypeOf(name)) }).collect();
    let expressions =
        Expressions { object: OBJECT.expression(&columns).into(), array: ARRAY.expression(&columns).into() };
    EXPRESSIONS.with_borrow_mut(|known| known.insert(name, expressions.clone()));
    Ok(expressions)
}

/// A way to write a row.
struct Notation {
    function: &'static str,
    open: char,
    close: char,
    has_names: bool,
}

const OBJECT: Notation = Notation { function: "json_object", open: '{', close: '}', has_names: true };
const ARRAY: Notation = Notation { function: "json_array", open: '[', close: ']', has_names: false };

impl Notation {
    fn expression(&self, columns: &[Column]) -> String {
        if columns.iter().any(Column::is_built) { self.joined(columns) } else { self.call(columns) }
    }

    /// The function of JSON for these columns.
    fn call(&self, columns: &[Column]) -> String {
        let member = |column: &Column| {
            let value = column.value();
            if self.has_names { format!("'{}', {value}", column.name) } else { value }
        };
        format!("{}({})", self.function, columns.iter().map(member).collect::<Vec<_>>().join(", "))
    }

    /// What is built is joined as text with what stands before and behind it: the functions of JSON would read it, and build it
    /// anew, at each level of a statement.
    fn joined(&self, columns: &[Column]) -> String {
        let Self { open, close, .. } = self;
        let mut before = open.to_string();
        let mut parts = String::new();
        for column in columns {
            let name = if self.has_names { format!("\"{}\":", column.name) } else { String::new() };
            parts.push_str(&format!("'{before}{name}', {}, ", column.text()));
            before = ",".to_owned();
        }
        format!("concat({parts}'{close}')")
    }
}

/// A column, and what its field has answered.
struct Column {
    name: &'static str,
    asked: Option<Asked>,
}

impl Column {
    fn is_built(&self) -> bool {
        matches!(self.asked, Some(Asked::BuiltJson))
    }

    /// The argument for the functions of JSON.
    fn value(&self) -> String {
        let name = self.name;
        match self.asked {
            Some(Asked::Boolean) => {
                format!("CASE \"{name}\" WHEN 0 THEN json('false') WHEN 1 THEN json('true') ELSE \"{name}\" END")
            }
            _ => format!("\"{name}\""),
        }
    }

    /// The same as a text of JSON.
    fn text(&self) -> String {
        let name = self.name;
        match self.asked {
            Some(Asked::BuiltJson) => format!("ifnull(\"{name}\", 'null')"),
            Some(Asked::Boolean) => {
                format!("CASE \"{name}\" WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE json_quote(\"{name}\") END")
            }
            _ => format!("json_quote(\"{name}\")"),
        }
    }
}

/// A deserializer that has no data: it only notes what it is asked for.
#[derive(Clone, Copy)]
enum Ask {
    /// Which fields a struct has.
    Fields,
    /// The type of one of them, where that makes a difference.
    TypeOf(&'static str),
}

#[derive(Debug)]
enum Asked {
    Fields(&'static [&'static str]),
    Boolean,
    BuiltJson,
    Other,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("asked")
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }
}

impl<'de> Deserializer<'de> for Ask {
    type Error = Asked;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
        Err(Asked::Other)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Asked> {
        match self {
            Self::Fields => Err(Asked::Fields(fields)),
            Self::TypeOf(field) => visitor.visit_map(OneField(field)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// An object of which only one field is asked for.
struct OneField(&'static str);

impl<'de> MapAccess<'de> for OneField {
    type Error = Asked;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Asked> {
        seed.deserialize(StrDeserializer::new(self.0)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Asked> {
        // The answer comes back as the error, which ends the asking.
        seed.deserialize(Value)
    }
}

/// The value of that field.
struct Value;

impl<'de> Deserializer<'de> for Value {
    type Error = Asked;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
        Err(Asked::Other)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
        Err(Asked::Boolean)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, _: V) -> Result<V::Value, Asked> {
        Err(if name == BUILT_JSON { Asked::BuiltJson } else { Asked::Other })
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use types::Patch;

    use crate::BuiltJson;

    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "id")]
        _id: i64,
        #[serde(rename = "is_published")]
        _published: bool,
        #[serde(rename = "is_open", default)]
        _open: Patch<bool>,
    }

    #[test]
    fn a_struct_names_its_columns() {
        let boolean =
            |name| format!(r#"CASE "{name}" WHEN 0 THEN json('false') WHEN 1 THEN json('true') ELSE "{name}" END"#);
        let (published, open) = (boolean("is_published"), boolean("is_open"));
        let object = format!(r#"json_object('id', "id", 'is_published', {published}, 'is_open', {open})"#);
        assert_eq!(*json_object::<Row>().unwrap(), object);
        assert_eq!(*json_object::<Row>().unwrap(), object, "the same again");
        assert_eq!(*json_array::<Row>().unwrap(), format!(r#"json_array("id", {published}, {open})"#));
    }

    #[test]
    fn what_is_built_is_joined_with_what_stands_around_it() {
        #[derive(Deserialize)]
        struct Framed {
            #[serde(rename = "a")]
            _a: BuiltJson<i64>,
            #[serde(rename = "b")]
            _b: i64,
            #[serde(rename = "c")]
            _c: BuiltJson<i64>,
            #[serde(rename = "d")]
            _d: BuiltJson<i64>,
        }
        let build = |columns: &str, expression: &str| -> String {
            let database = rusqlite::Connection::open_in_memory().unwrap();
            database.query_row(&format!("SELECT {expression} FROM (SELECT {columns})"), (), |row| row.get(0)).unwrap()
        };
        let (object, array) = (json_object::<Framed>().unwrap(), json_array::<Framed>().unwrap());
        for (columns, values) in [
            ("'[0]' AS a, 70 AS b, '{\"0\":0}' AS c, '0' AS d", ["[0]", "70", r#"{"0":0}"#, "0"]),
            ("NULL AS a, '}0]' AS b, NULL AS c, NULL AS d", ["null", r#""}0]""#, "null", "null"]),
        ] {
            let [a, b, c, d] = values;
            assert_eq!(build(columns, &object), format!(r#"{{"a":{a},"b":{b},"c":{c},"d":{d}}}"#));
            assert_eq!(build(columns, &array), format!("[{a},{b},{c},{d}]"));
        }
    }

    #[test]
    fn what_has_no_fields_is_refused() {
        assert!(json_object::<Vec<i64>>().is_err());
    }
}
