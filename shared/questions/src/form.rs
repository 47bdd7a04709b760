//! Reading what a client sends: what is missing is 400, what does not fit is 422.

use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::error::Violation;
use shared::params::{self, Params, Unread, coerce};
use shared::{Error, Patch, Result};

/// The most points of a question: what they add up to is still a number.
pub const MAX_POINTS: f64 = 1_000_000.0;

const MAX_LINE_CHARS: usize = 255;

/// The object that must stand in the field of that name.
pub fn member<T: DeserializeOwned>(field: Patch<Unread<T>>, name: &str) -> Result<T> {
    match field.into_option().map(Unread::into_value) {
        None => Err(Error::missing(name)),
        Some(Value::Object(object)) => read(object),
        Some(_) => Err(Error::bad_request(format!("{name} must be an object"))),
    }
}

/// The object that stands under one of the names, or else the parameters themselves.
pub fn unwrapped(mut params: Params, names: &[&str]) -> Params {
    let inner = names.iter().find(|name| params.get(**name).is_some_and(Value::is_object));
    match inner.and_then(|name| params.remove(*name)) {
        Some(Value::Object(object)) => object,
        _ => params,
    }
}

/// The parameters as a `T`.
pub fn read<T: DeserializeOwned>(params: Params) -> Result<T> {
    coerce::from_value(Value::Object(params)).map_err(does_not_fit)
}

/// The value as a `T`; an error names the way to it from `name` on.
pub fn read_named<T: DeserializeOwned>(name: &str, value: Value) -> Result<T> {
    coerce::from_named_value(name, value).map_err(does_not_fit)
}

fn does_not_fit(error: coerce::Error) -> Error {
    Error::violations(vec![Violation::of_record("invalid", error.to_string())])
}

/// The value of a field that must be there.
pub fn required<T>(field: Patch<T>, path: &str) -> Result<T> {
    field.into_option().ok_or_else(|| Error::missing(path))
}

/// 422 unless they are points that a question can have.
pub fn points(points: f64) -> Result<f64> {
    if points <= 0.0 {
        return Err(Error::invalid("points_possible", "greater_than", "must be greater than 0"));
    }
    if points > MAX_POINTS {
        let message = format!("must be less than or equal to {MAX_POINTS}");
        return Err(Error::invalid("points_possible", "less_than_or_equal_to", message));
    }
    Ok(points)
}

/// 422 unless the text is as short as titles are.
pub fn line(field: &str, text: &str) -> Result<()> {
    params::not_too_long(field, text, MAX_LINE_CHARS)
}
