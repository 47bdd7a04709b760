//! A part of a form that is read when its turn has come.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A value that is to be a `T`, and is read as one later: where a form wraps others, or comes in several shapes, the area says
/// when that is and how an error is told. It is described as a `T`.
#[derive(Debug)]
pub struct Unread<T> {
    value: Value,
    read_as: PhantomData<T>,
}

impl<T> Unread<T> {
    /// The value as it came.
    pub fn into_value(self) -> Value {
        self.value
    }
}

impl<'de, T> Deserialize<'de> for Unread<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self { value, read_as: PhantomData })
    }
}

types::described_as_wrapped!(Unread);
