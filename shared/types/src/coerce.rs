//! Values into types, with the casts that the record layer of the reference system makes: text to numbers and booleans
//! (a form has only text), numbers to text. The same casts read rows, where SQLite has 0 and 1 for booleans.

use std::fmt;

use memchr::memchr;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer};
use serde::de::{MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor};
use serde_json::Value;

/// The message about an empty text where a number, a boolean or a time is asked for.
pub const BLANK: &str = "must not be blank";

/// The name of a newtype that keeps JSON as a text: it is given the text of a column, or that of a tree.
pub const BUILT_JSON: &str = "BuiltJson";

/// Reads a value as a `T`.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Coerced { value, lists: Lists::Whole })
}

/// Reads parameters of a query as a `T`: in them one value stands for a list of one, and an empty text for an empty list.
pub fn from_query<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Coerced { value, lists: Lists::OrOneValue })
}

/// Reads the value of that name as a `T`; an error names the way to it from there.
pub fn from_named_value<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, Error> {
    from_value(value).map_err(|error| error.under(Some(name.to_owned())))
}

/// Reads names and their values as a `T`.
pub fn from_entries<T: DeserializeOwned>(entries: impl ExactSizeIterator<Item = (String, Value)>) -> Result<T, Error> {
    T::deserialize(NamedValues(entries))
}

/// The value that does not fit, and the way to it.
#[derive(Debug)]
pub struct Error {
    /// The steps from the inside to the outside; `None` is an element of a list.
    path: Vec<Option<String>>,
    message: String,
}

impl Error {
    fn under(mut self, step: Option<String>) -> Self {
        self.path.push(step);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.path.iter().rev().enumerate() {
            match step {
                Some(key) if depth == 0 => f.write_str(key)?,
                Some(key) => write!(f, "[{key}]")?,
                None => f.write_str("[]")?,
            }
        }
        if !self.path.is_empty() {
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { path: Vec::new(), message: message.to_string() }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format!("must be one of {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom("is missing").under(Some(field.to_owned()))
    }
}

/// A value that is read with the casts.
struct Coerced {
    value: Value,
    lists: Lists,
}

/// What is taken where a list is asked for.
#[derive(Clone, Copy)]
enum Lists {
    /// A list.
    Whole,
    /// A list, or one value.
    OrOneValue,
}

impl Coerced {
    fn integer(&self) -> Result<i64, Error> {
        let integer = match &self.value {
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) if text.trim().is_empty() => return Err(de::Error::custom(BLANK)),
            Value::String(text) => text.trim().parse().ok(),
            Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        integer.ok_or_else(|| de::Error::custom("must be an integer"))
    }

    fn float(&self) -> Result<f64, Error> {
        let float = match &self.value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) if text.trim().is_empty() => return Err(de::Error::custom(BLANK)),
            Value::String(text) => text.trim().parse().ok().filter(|float: &f64| float.is_finite()),
            Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        float.ok_or_else(|| de::Error::custom("must be a number"))
    }

    fn boolean(&self) -> Result<bool, Error> {
        let boolean = match &self.value {
            Value::Bool(boolean) => Some(*boolean),
            Value::Number(number) => number.as_i64().and_then(|number| boolean_word(&number.to_string())),
            Value::String(text) if text.is_empty() => return Err(de::Error::custom(BLANK)),
            Value::String(text) => boolean_word(&text.to_ascii_lowercase()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        boolean.ok_or_else(|| de::Error::custom("must be true or false"))
    }

    fn text(self) -> Result<String, Error> {
        let text = match self.value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(boolean) => boolean.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return Err(de::Error::custom("must be text")),
        };
        if memchr(b'\0', text.as_bytes()).is_some() {
            return Err(de::Error::custom("must not contain a NUL character"));
        }
        Ok(text)
    }
}

fn boolean_word(word: &str) -> Option<bool> {
    match word {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The integer that a JSON client wrote as `2.0`.
fn whole(float: f64) -> Option<i64> {
    if float.fract() != 0.0 { None } else { format!("{float:.0}").parse().ok() }
}

macro_rules! scalars {
    ($($method:ident => $read:ident, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.$read()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Coerced {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(boolean) => visitor.visit_bool(boolean),
            Value::String(_) => visitor.visit_string(self.text()?),
            Value::Array(list) => visitor.visit_seq(Elements { list: list.into_iter(), lists: self.lists }),
            Value::Object(map) => visitor.visit_map(Entries::new(map.into_iter(), self.lists)),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(integer), _, _) => visitor.visit_i64(integer),
                (_, Some(integer), _) => visitor.visit_u64(integer),
                (_, _, Some(float)) => visitor.visit_f64(float),
                _ => Err(de::Error::custom("must be a number")),
            },
        }
    }

    scalars! {
        deserialize_bool => boolean, visit_bool;
        deserialize_i8 => integer, visit_i64;
        deserialize_i16 => integer, visit_i64;
        deserialize_i32 => integer, visit_i64;
        deserialize_i64 => integer, visit_i64;
        deserialize_u8 => integer, visit_i64;
        deserialize_u16 => integer, visit_i64;
        deserialize_u32 => integer, visit_i64;
        deserialize_u64 => integer, visit_i64;
        deserialize_f32 => float, visit_f64;
        deserialize_f64 => float, visit_f64;
        deserialize_str => text, visit_string;
        deserialize_string => text, visit_string;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::String(json) if name == BUILT_JSON => visitor.visit_string(json),
            tree if name == BUILT_JSON => visitor.visit_string(tree.to_string()),
            value => visitor.visit_newtype_struct(Self { value, lists: self.lists }),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let list = match (self.value, self.lists) {
            (Value::Array(list), _) => list,
            (Value::String(text), Lists::OrOneValue) if text.is_empty() => Vec::new(),
            (value @ (Value::String(_) | Value::Number(_) | Value::Bool(_)), Lists::OrOneValue) => vec![value],
            _ => return Err(de::Error::custom("must be a list")),
        };
        visitor.visit_seq(Elements { list: list.into_iter(), lists: self.lists })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(map) => visitor.visit_map(Entries::new(map.into_iter(), self.lists)),
            _ => Err(de::Error::custom("must be an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(Word(self.text()?))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit_struct tuple_struct identifier }
}

struct Elements {
    list: std::vec::IntoIter<Value>,
    lists: Lists,
}

impl<'de> SeqAccess<'de> for Elements {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.list.next() else { return Ok(None) };
        seed.deserialize(Coerced { value, lists: self.lists }).map(Some).map_err(|error| error.under(None))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len())
    }
}

/// An object that is no tree: its names with their values, one after the other.
struct NamedValues<I>(I);

impl<'de, I: ExactSizeIterator<Item = (String, Value)>> Deserializer<'de> for NamedValues<I> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Entries::new(self.0, Lists::Whole))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Entries<I> {
    entries: I,
    lists: Lists,
    current: Option<(String, Value)>,
}

impl<I> Entries<I> {
    fn new(entries: I, lists: Lists) -> Self {
        Self { entries, lists, current: None }
    }
}

impl<'de, I: ExactSizeIterator<Item = (String, Value)>> MapAccess<'de> for Entries<I> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        let answer = seed.deserialize(StrDeserializer::<Error>::new(&key)).map(Some);
        self.current = Some((key, value));
        answer
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) = self.current.take().unwrap_or_default();
        seed.deserialize(Coerced { value, lists: self.lists }).map_err(|error| error.under(Some(key)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

struct Word(String);

impl<'de> EnumAccess<'de> for Word {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.0.as_str()))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Word {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(de::Error::custom("must be one word"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("must be one word"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("must be one word"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::Patch;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        Red,
        DarkBlue,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Form {
        count: i64,
        #[serde(default)]
        points: Patch<f64>,
        #[serde(default)]
        open: Option<bool>,
        #[serde(default)]
        name: Patch<String>,
        #[serde(default)]
        colour: Option<Colour>,
        #[serde(default)]
        rows: Vec<Row>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Row {
        id: i64,
    }

    fn read(value: Value) -> Result<Form, String> {
        from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_cast() {
        let form = read(json!({"count": "7", "points": "2.5", "open": "on", "name": 12, "colour": "dark_blue",
                               "rows": [{"id": "1"}], "unknown": {"x": []}}))
        .unwrap();
        assert_eq!(form.count, 7);
        assert_eq!(form.points, Patch::Value(2.5));
        assert_eq!(form.open, Some(true));
        assert_eq!(form.name, Patch::Value("12".to_owned()));
        assert_eq!(form.colour, Some(Colour::DarkBlue));
        assert_eq!(form.rows, [Row { id: 1 }]);
    }

    #[test]
    fn absent_null_and_blank_are_told_apart() {
        let absent = read(json!({"count": 1})).unwrap();
        assert_eq!((absent.points, absent.name), (Patch::Absent, Patch::Absent));
        let null = read(json!({"count": 1.0, "points": null, "name": null})).unwrap();
        assert_eq!((null.points, null.name), (Patch::Null, Patch::Null));
        let blank = read(json!({"count": 1, "points": "", "name": ""})).unwrap();
        assert_eq!((blank.points, blank.name), (Patch::Null, Patch::Value(String::new())));
    }

    #[test]
    fn in_a_query_one_value_is_a_list_of_one() {
        #[derive(Deserialize)]
        struct Query {
            ids: Option<Vec<i64>>,
        }
        let read = |ids: Value| from_query::<Query>(json!({ "ids": ids })).map(|query| query.ids);
        for (given, ids) in [
            (json!("7"), Some(vec![7])),
            (json!(7), Some(vec![7])),
            (json!(["7", 8]), Some(vec![7, 8])),
            (json!(""), Some(Vec::new())),
            (json!(null), None),
        ] {
            assert_eq!(read(given).unwrap(), ids);
        }
        assert_eq!(read(json!("x")).unwrap_err().to_string(), "ids[] must be an integer");
        assert_eq!(read(json!({"a": 1})).unwrap_err().to_string(), "ids must be a list");
    }

    #[test]
    fn an_error_names_the_parameter() {
        let cases = [
            (json!({"count": "x"}), "count must be an integer"),
            (json!({"count": ""}), "count must not be blank"),
            (json!({"count": 1.5}), "count must be an integer"),
            (json!({}), "count is missing"),
            (json!({"count": 1, "rows": [{"id": 1}, {"id": "x"}]}), "rows[][id] must be an integer"),
            (json!({"count": 1, "rows": [{}]}), "rows[][id] is missing"),
            (json!({"count": 1, "rows": "x"}), "rows must be a list"),
            (json!({"count": 1, "rows": ["x"]}), "rows[] must be an object"),
            (json!({"count": 1, "open": "perhaps"}), "open must be true or false"),
            (json!({"count": 1, "colour": "green"}), "colour must be one of red, dark_blue"),
            (json!({"count": 1, "points": "NaN"}), "points must be a number"),
            (json!({"count": 1, "name": "a\u{0}"}), "name must not contain a NUL character"),
            (json!({"count": 1, "points": "", "open": "perhaps"}), "open must be true or false"),
        ];
        for (value, message) in cases {
            assert_eq!(read(value).unwrap_err(), message);
        }
    }

    proptest! {
        #[test]
        fn every_integer_survives_the_way_through_a_form(integer: i64) {
            prop_assert_eq!(read(json!({"count": integer.to_string()})).unwrap().count, integer);
            prop_assert_eq!(read(json!({"count": integer})).unwrap().count, integer);
        }
    }
}
