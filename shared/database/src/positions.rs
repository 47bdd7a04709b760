//! Rows without the names of their columns: half of what crosses the boundary of a component would be these names, once for
//! each row.

use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::decode_text;
use super::error::Result;

/// A `T` whose fields come as a list of their values, in their order: what [`json_array`](super::json_array) builds.
#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned", transparent)]
pub struct Positional<T>(#[serde(deserialize_with = "by_position")] pub T);

impl<T> Positional<T> {
    /// The row.
    pub fn into_row(self) -> T {
        self.0
    }
}

fn by_position<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<T, D::Error> {
    T::deserialize(ByPosition(deserializer))
}

/// Reads a row that is a list of its values.
pub fn decode_row<T: DeserializeOwned>(text: &str) -> Result<T> {
    decode_text(text).map(Positional::into_row)
}

/// Reads a list of such rows.
pub fn decode_rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let rows: Vec<Positional<T>> = decode_text(text)?;
    Ok(rows.into_iter().map(Positional::into_row).collect())
}

/// Gives a struct its fields as a list, whatever else might be read of them: so the half of its code that knows their names
/// is not compiled.
struct ByPosition<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ByPosition<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_tuple(fields.len(), visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{BuiltJson, Json};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Row {
        id: i64,
        name: Option<String>,
        of: Json<Vec<i64>>,
        open: bool,
    }

    fn row(id: i64) -> Row {
        Row { id, name: None, of: Json(vec![1, 2]), open: true }
    }

    #[test]
    fn rows_are_read_by_the_order_of_their_fields() {
        let rows: Vec<Row> = decode_rows("[[7,null,[1,2],true],[8,null,\"[1,2]\",true]]").unwrap();
        assert_eq!(rows, [row(7), row(8)]);
        assert_eq!(decode_row::<Row>("[7,null,[1,2],true]").unwrap(), row(7));
    }

    #[test]
    fn a_row_that_needs_casts_gets_them() {
        assert_eq!(decode_rows::<Row>("[[\"7\",null,[1,2],1]]").unwrap(), [row(7)]);
    }

    #[test]
    fn a_row_with_too_few_values_or_with_names_is_refused() {
        for text in ["[[7,null,[1,2]]]", "[[]]", r#"[{"id":7,"name":null,"of":[1,2],"open":true}]"#] {
            assert!(decode_rows::<Row>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_only_goes_through_keeps_its_words() {
        #[derive(Deserialize)]
        struct Item {
            entry: BuiltJson<Value>,
        }
        let item: Item = decode_row(r#"[{"b":1.50,"a":2}]"#).unwrap();
        assert_eq!(serde_json::to_string(&item.entry).unwrap(), r#"{"b":1.50,"a":2}"#);
    }
}
