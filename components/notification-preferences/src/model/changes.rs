//! The changes that a client wants: in an object or in a list, as it has always been taken.

use http::StatusCode;
use serde_json::{Value, json};
use shared::error::OrNotFound;
use shared::notify::catalogue::{Frequency, Kind};
use shared::params::Params;
use shared::{Error, Patch, Result};

/// More than there are kinds of events, each several times.
const MAX_CHANGES: usize = 500;
const PREFERENCES: &str = "notification_preferences";

/// A kind of event, and how often to be told of it; no frequency leaves it as it is.
pub(crate) struct Change {
    pub(crate) kind: &'static Kind,
    pub(crate) frequency: Option<Frequency>,
}

/// The one frequency that is given.
pub(crate) fn one(preferences: Patch<Value>) -> Result<Option<Frequency>> {
    match required(preferences)? {
        Value::Object(preference) => frequency(&preference),
        Value::Array(list) => match list.into_iter().next() {
            Some(Value::Object(preference)) => frequency(&preference),
            Some(_) => Err(invalid("an object")),
            None => Ok(None),
        },
        _ => Err(invalid("an object")),
    }
}

/// The changes of several kinds, in their order where they come in a list.
pub(crate) fn several(preferences: Patch<Value>) -> Result<Vec<Change>> {
    let preferences = required(preferences)?;
    let count = preferences.as_object().map(Params::len).or_else(|| preferences.as_array().map(Vec::len));
    if count.is_some_and(|count| count > MAX_CHANGES) {
        return Err(invalid(&format!("no more than {MAX_CHANGES} changes")));
    }
    match preferences {
        Value::Object(by_name) => by_name.into_iter().map(|(name, value)| change(&name, &value)).collect(),
        Value::Array(list) => list.iter().map(named).collect(),
        _ => Err(invalid("an object or a list")),
    }
}

fn required(preferences: Patch<Value>) -> Result<Value> {
    preferences.into_option().ok_or_else(|| Error::missing(PREFERENCES))
}

fn change(name: &str, value: &Value) -> Result<Change> {
    let preference = value.as_object().ok_or_else(|| invalid("an object for each notification"))?;
    Ok(Change { kind: Kind::of_path(name).or_not_found()?, frequency: frequency(preference)? })
}

fn named(value: &Value) -> Result<Change> {
    let name = value.get("notification").and_then(Value::as_str);
    change(name.ok_or_else(|| invalid("a list of objects with notification and frequency"))?, value)
}

fn frequency(preference: &Params) -> Result<Option<Frequency>> {
    let Some(value) = preference.get("frequency").filter(|value| !value.is_null()) else { return Ok(None) };
    value.as_str().and_then(Frequency::named).map(Some).ok_or_else(not_in_the_list)
}

fn not_in_the_list() -> Error {
    let error = json!({"field": "frequency", "message": "is not included in the list", "error_code": "inclusion"});
    Error::own(StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": [error] }))
}

fn invalid(what: &str) -> Error {
    Error::bad_request(format!("{PREFERENCES} must be {what}"))
}

#[cfg(test)]
mod tests {
    use shared::params::coerce;

    use super::*;

    fn patch_of(preferences: Value) -> Patch<Value> {
        coerce::from_value(preferences).unwrap()
    }

    #[test]
    fn an_object_and_the_first_of_a_list_say_the_same() {
        for preferences in [json!({"frequency": "daily"}), json!([{"frequency": "daily"}, {"frequency": "never"}])] {
            assert_eq!(one(patch_of(preferences)).unwrap(), Some(Frequency::Daily));
        }
        for nothing in [json!({}), json!([]), json!([{}]), json!({"frequency": null})] {
            assert_eq!(one(patch_of(nothing)).unwrap(), None);
        }
    }

    #[test]
    fn a_list_keeps_its_order() {
        let list = json!([{"notification": "summaries", "frequency": "never"}, {"notification": "alert"}]);
        let changes = several(patch_of(list)).unwrap();
        let changes: Vec<_> = changes.iter().map(|change| (change.kind.name, change.frequency)).collect();
        assert_eq!(changes, [("summaries", Some(Frequency::Never)), ("alert", None)]);
    }

    #[test]
    fn what_is_no_preference_is_refused() {
        assert!(one(Patch::Absent).is_err() && several(Patch::Absent).is_err());
        for wrong in [json!("daily"), json!(null), json!(["daily"]), json!({"frequency": "hourly"})] {
            assert!(one(patch_of(wrong.clone())).is_err() && several(patch_of(wrong)).is_err());
        }
        assert!(several(patch_of(json!(vec![json!({"notification": "alert"}); MAX_CHANGES + 1]))).is_err());
        assert!(several(patch_of(json!({"nothing": {"frequency": "daily"}}))).is_err());
    }
}
