//! Values in the model's answers that are not written as they were asked for, but leave no doubt.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A list, which is empty where it is null.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A list of the numbers of objectives: text counts, too, and what names none is left out.
pub(crate) fn objective_numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let values: Vec<Value> = list(deserializer)?;
    Ok(values.iter().filter_map(whole_number).collect())
}

/// The number of a message, from 1 on, which may be text.
pub(crate) fn message_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let number = whole_number(&Value::deserialize(deserializer)?).filter(|number| *number > 0);
    number.ok_or_else(|| D::Error::custom("no number of a message"))
}

/// A list of which what cannot be read is left out.
pub(crate) fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let values: Vec<Value> = list(deserializer)?;
    Ok(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect())
}

fn whole_number(value: &Value) -> Option<usize> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    text.strip_suffix(".0").unwrap_or(&text).parse().ok()
}

/// A score, which may be text.
pub(crate) fn score<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }
    match Written::deserialize(deserializer)? {
        Written::Number(score) => Ok(score),
        Written::Text(text) => text.trim().parse().map_err(Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_names_no_objective_is_left_out() {
        let read = |value: Value| objective_numbers(value).ok();
        assert_eq!(read(json!([1, "2", " 3 ", 4.0, -1, 1.5, "one", null, [5]])), Some(vec![1, 2, 3, 4]));
        assert_eq!(read(Value::Null), Some(Vec::new()));
        assert_eq!(read(json!("1")), None);
    }

    #[test]
    fn a_message_is_named_by_its_number() {
        let read = |value: Value| message_number(value).ok();
        assert_eq!((read(json!(3)), read(json!(" 3 ")), read(json!(3.0))), (Some(3), Some(3), Some(3)));
        for value in
            [Value::Null, json!("zz"), json!({"a": 1}), json!([1]), json!(0), json!(-1), json!(1.5), json!(true)]
        {
            assert_eq!(read(value.clone()), None, "{value}");
        }
    }

    #[test]
    fn a_score_may_be_text() {
        let read = |value: Value| score(value).ok();
        assert_eq!((read(json!(80)), read(json!("80")), read(json!(" 72.5 "))), (Some(80.0), Some(80.0), Some(72.5)));
        for value in [Value::Null, json!("good"), json!(""), json!([80]), json!(true)] {
            assert_eq!(read(value.clone()), None, "{value}");
        }
    }
}
