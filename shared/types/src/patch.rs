//! A field that an update may leave out.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use crate::coerce::BLANK;

/// A field of an update: left out, taken away, or given. An empty text takes away what is no text itself.
///
/// Mark such fields `#[serde(default)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field is not there: the record keeps what it has.
    #[default]
    Absent,
    /// The field is null or blank.
    Null,
    /// The field's new value.
    Value(T),
}

impl<T> Patch<T> {
    /// The value the record has afterwards.
    pub fn over(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Absent => current,
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value the record has afterwards, where the field cannot be without one: null leaves it as it is.
    pub fn unwrap_or(self, current: T) -> T {
        self.into_option().unwrap_or(current)
    }

    /// The value, if there is one.
    pub fn into_option(self) -> Option<T> {
        self.over(None)
    }

    /// The same with its value changed.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(change(value)),
        }
    }

    /// True if the field is there, be it null.
    pub fn is_present(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

/// A value that is given, or left out.
impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(PatchVisitor(PhantomData))
    }
}

struct PatchVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PatchVisitor<T> {
    type Value = Patch<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Patch::Null)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Patch::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match T::deserialize(deserializer) {
            Ok(value) => Ok(Patch::Value(value)),
            Err(error) if error.to_string() == BLANK => Ok(Patch::Null),
            Err(error) => Err(error),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Patch<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Option::<T>::json_schema(generator)
    }
}
