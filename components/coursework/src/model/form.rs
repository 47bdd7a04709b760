//! Parameters that stand under one name: `quiz[title]`, `assignment[due_at]`.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use shared::params::{Params, coerce};
use shared::{Error, Form, Result};

/// Reads what stands under `name`; 400 where there is nothing.
pub(crate) fn required<B: DeserializeOwned, T: DeserializeOwned>(body: Form<B>, name: &str) -> Result<T> {
    required_of(&mut body.into_params()?, name)
}

/// Reads what stands under `name`; where there is nothing, nothing is set.
pub(crate) fn optional<B: DeserializeOwned, T: DeserializeOwned>(body: Form<B>, name: &str) -> Result<T> {
    optional_of(&mut body.into_params()?, name)
}

/// The same, where more than one name is read.
pub(crate) fn required_of<T: DeserializeOwned>(params: &mut Params, name: &str) -> Result<T> {
    read(params.remove(name).ok_or_else(|| Error::missing(name))?, name)
}

/// The same, where more than one name is read.
pub(crate) fn optional_of<T: DeserializeOwned>(params: &mut Params, name: &str) -> Result<T> {
    read(params.remove(name).unwrap_or_else(|| Value::Object(Map::new())), name)
}

fn read<T: DeserializeOwned>(value: Value, name: &str) -> Result<T> {
    if !value.is_object() {
        return Err(Error::bad_request(format!("{name} must be an object")));
    }
    coerce::from_value(value).map_err(|error| invalid_form(&error.to_string()))
}

/// The answer to a value that does not fit its type: what is said of it begins with its name.
pub(crate) fn invalid_form(text: &str) -> Error {
    let (field, message) = text.split_once(' ').unwrap_or(("base", text));
    Error::invalid(field, "invalid", message)
}

/// The elements of a list. A form may number them: `answers[0][text]`.
pub(crate) fn list(field: &str, value: Value) -> Result<Vec<Value>> {
    match value {
        Value::Array(list) => Ok(list),
        Value::Object(numbered) => {
            let mut list = numbered
                .into_iter()
                .map(|(number, element)| number.parse::<u32>().map(|number| (number, element)))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_not_a_number| Error::invalid(field, "invalid", "must be a list"))?;
            list.sort_by_key(|(number, _)| *number);
            Ok(list.into_iter().map(|(_, element)| element).collect())
        }
        Value::Null => Ok(Vec::new()),
        Value::String(text) if text.is_empty() => Ok(Vec::new()),
        _ => Err(Error::invalid(field, "invalid", "must be a list")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_may_be_numbered() {
        assert_eq!(list("a", json!({"10": "c", "2": "b", "0": "a"})).unwrap(), ["a", "b", "c"]);
        assert_eq!(list("a", json!([1])).unwrap(), [1]);
        assert!(list("a", json!("")).unwrap().is_empty());
        assert!(list("a", json!({"x": 1})).is_err());
        assert!(list("a", json!("x")).is_err());
    }
}
