//! Columns that hold JSON.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as JsonValue;

use super::{Bind, Value};

/// A value that is stored as JSON text and is itself on the wire.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Json<T = JsonValue>(pub T);

impl<T: Serialize> Bind for Json<T> {
    fn value(self) -> Value {
        // A map with keys that are not text cannot be written as JSON; our types have none.
        serde_json::to_string(&self.0).map_or(Value::Null, Value::Text)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor(PhantomData)).map(Self)
    }
}

/// Reads a `T` from a text of JSON, or as it stands: JSON that a subquery has built is no text any more when it comes out of
/// `json_object`. There is no tree in between.
struct JsonVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for JsonVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E: Error>(self, json: &str) -> Result<T, E> {
        serde_json::from_str(json).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::deserialize(Known(MapAccessDeserializer::new(object)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::deserialize(Known(SeqAccessDeserializer::new(list)))
    }

    fn visit_bool<E: Error>(self, boolean: bool) -> Result<T, E> {
        T::deserialize(Known(boolean.into_deserializer()))
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<T, E> {
        T::deserialize(Known(integer.into_deserializer()))
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<T, E> {
        T::deserialize(Known(integer.into_deserializer()))
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<T, E> {
        T::deserialize(Known(float.into_deserializer()))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        T::deserialize(().into_deserializer())
    }
}

/// A value whose beginning is known already: it is there, and it is what it is, whatever type asks for it.
struct Known<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Known<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

types::described_as_wrapped!(Json);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Object {
        n: i64,
        list: Option<Vec<f64>>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Newtype(Vec<i64>);

    #[derive(Debug, Deserialize, PartialEq)]
    enum Shape {
        Point,
        Circle(f64),
        Square { side: i64 },
    }

    /// Reads the JSON as it stands in a row that SQLite has built, as a text in it, and as a column.
    fn read<T: DeserializeOwned + Debug + PartialEq>(json: &str, expected: &T) {
        #[derive(Deserialize)]
        #[serde(bound = "T: DeserializeOwned")]
        struct Row<T> {
            value: Json<T>,
        }
        let text = JsonValue::from(json);
        let as_text: Row<T> = crate::decode_text(&format!(r#"{{"value":{text}}}"#)).unwrap();
        let column: Row<T> = types::coerce::from_entries([("value".to_owned(), text)].into_iter()).unwrap();
        assert_eq!((&as_text.value.0, &column.value.0), (expected, expected));
        if !json.starts_with('"') {
            let built: Row<T> = crate::decode_text(&format!(r#"{{"value":{json}}}"#)).unwrap();
            assert_eq!(&built.value.0, expected);
        }
    }

    #[test]
    fn json_is_read_as_every_kind_of_type() {
        read(r#"{"n":1,"list":[1.5,2],"more":{}}"#, &Object { n: 1, list: Some(vec![1.5, 2.0]) });
        read(r#"{"n":1}"#, &Some(Object { n: 1, list: None }));
        read("null", &None::<Object>);
        read("[1,2]", &Newtype(vec![1, 2]));
        read("[1,2]", &Some((1, 2)));
        read("[[],[3]]", &vec![Newtype(vec![]), Newtype(vec![3])]);
        read(
            r#"[{"Circle":2},{"Square":{"side":3}},"Point"]"#,
            &[Shape::Circle(2.0), Shape::Square { side: 3 }, Shape::Point],
        );
        read(r#"{"Square":{"side":3}}"#, &Shape::Square { side: 3 });
        read(r#""Point""#, &Shape::Point);
        read(r#"{"a":1,"b":2}"#, &BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]));
        read("7", &Some(7));
        read("true", &true);
        read("2.5", &2.5);
        read(r#"{"a":[null,"b",1.5,true]}"#, &serde_json::json!({ "a": [null, "b", 1.5, true] }));
    }
}
