//! Parameters that stand under one name: `quiz[title]`, `assignment[due_at]`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use shared::params::{Params, coerce};
use shared::{Error, Form, Patch, Result};

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

/// Makes blank words null: a word is one of a few, and blank is none of them.
pub(crate) fn blank_words_are_null(params: &mut Params, name: &str, words: &[&str]) {
    let Some(Value::Object(form)) = params.get_mut(name) else { return };
    for word in words {
        if let Some(value) =
            form.get_mut(*word).filter(|value| value.as_str().is_some_and(|text| text.trim().is_empty()))
        {
            *value = Value::Null;
        }
    }
}

/// A list, or a text that has its elements between commas: a client with one element writes no list.
pub(crate) fn list_or_text<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Patch<Vec<T>>, D::Error> {
    Patch::<ListOrText<T>>::deserialize(deserializer).map(|given| given.map(|list| list.0))
}

struct ListOrText<T>(Vec<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for ListOrText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListOrTextVisitor(PhantomData)).map(Self)
    }
}

struct ListOrTextVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ListOrTextVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let elements = text.split(',').map(str::trim).filter(|element| !element.is_empty());
        elements.map(|element| coerce::from_value(element.into()).map_err(E::custom)).collect()
    }
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
    fn a_text_is_a_list_of_what_stands_between_commas() {
        #[derive(Deserialize)]
        struct Ids {
            #[serde(default, deserialize_with = "list_or_text")]
            ids: Patch<Vec<i64>>,
        }
        let ids =
            |value: Value| coerce::from_value::<Ids>(value).map(|form| form.ids).map_err(|error| error.to_string());
        for (given, read) in [
            (json!({"ids": "7"}), Patch::Value(vec![7])),
            (json!({"ids": 7}), Patch::Value(vec![7])),
            (json!({"ids": "7, 8,"}), Patch::Value(vec![7, 8])),
            (json!({"ids": ["7", 8]}), Patch::Value(vec![7, 8])),
            (json!({"ids": ""}), Patch::Value(Vec::new())),
            (json!({"ids": null}), Patch::Null),
            (json!({}), Patch::Absent),
        ] {
            assert_eq!(ids(given.clone()), Ok(read), "{given}");
        }
        assert_eq!(ids(json!({"ids": "x"})).unwrap_err(), "ids must be an integer");
        assert_eq!(ids(json!({"ids": ["x"]})).unwrap_err(), "ids[] must be an integer");
        assert_eq!(ids(json!({"ids": {"a": 1}})).unwrap_err(), "ids must be a list");
    }

    #[test]
    fn a_blank_word_is_none() {
        let mut params: Params = coerce::from_value(json!({"quiz": {"scoring_policy": " ", "title": ""}})).unwrap();
        blank_words_are_null(&mut params, "quiz", &["scoring_policy", "quiz_type"]);
        assert_eq!(Value::Object(params), json!({"quiz": {"scoring_policy": null, "title": ""}}));
    }

    #[test]
    fn a_list_may_be_numbered() {
        assert_eq!(list("a", json!({"10": "c", "2": "b", "0": "a"})).unwrap(), ["a", "b", "c"]);
        assert_eq!(list("a", json!([1])).unwrap(), [1]);
        assert!(list("a", json!("")).unwrap().is_empty());
        assert!(list("a", json!({"x": 1})).is_err());
        assert!(list("a", json!("x")).is_err());
    }
}
