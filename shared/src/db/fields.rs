//! The names of a row type's fields, asked of serde, so that SQLite can build the JSON of a row.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};

use super::error::{Error, Result};

/// `json_object('id', "id", 'name', "name")` for a struct with these fields.
pub(super) fn json_object<T: DeserializeOwned>() -> Result<String> {
    let names = match T::deserialize(Ask) {
        Err(Asked::Fields(names)) => names,
        _ => return Err(Error::Decode(format!("{} is not a struct with named fields", std::any::type_name::<T>()))),
    };
    let pairs: Vec<_> = names.iter().map(|name| format!("'{name}', \"{name}\"")).collect();
    Ok(format!("json_object({})", pairs.join(", ")))
}

/// A deserializer that has no data: it only notes which fields a struct asks for.
struct Ask;

#[derive(Debug)]
enum Asked {
    Fields(&'static [&'static str]),
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
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked::Fields(fields))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "id")]
        _id: i64,
        #[serde(rename = "is_published")]
        _published: bool,
    }

    #[test]
    fn a_struct_names_its_columns() {
        assert_eq!(json_object::<Row>().unwrap(), r#"json_object('id', "id", 'is_published', "is_published")"#);
    }

    #[test]
    fn what_has_no_fields_is_refused() {
        assert!(json_object::<Vec<i64>>().is_err());
    }
}
