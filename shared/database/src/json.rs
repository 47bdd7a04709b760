//! Columns that hold JSON.

use serde::de::{DeserializeOwned, Error as _};
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
        // JSON that a subquery has built is no text any more when it comes out of `json_object`.
        let value = match JsonValue::deserialize(deserializer)? {
            JsonValue::String(text) => serde_json::from_str(&text),
            value => serde_json::from_value(value),
        };
        value.map(Self).map_err(D::Error::custom)
    }
}

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Json<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
