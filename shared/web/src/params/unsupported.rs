//! Parameters that the reference system documents for an endpoint and this service does not take: whoever sends one is
//! told so, instead of believing that it had an effect.

use serde_json::Value;
use types::coerce;

use super::Params;
use crate::error::{Error, Result};

/// Parameters of an endpoint that are refused, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsupported {
    /// The reason, as the end of a sentence: "there are no terms".
    pub reason: &'static str,
    /// The names as a form has them: `course[term_id]`. All that stands under a name is refused with it.
    pub names: &'static [&'static str],
}

impl Unsupported {
    /// These parameters are refused for that reason.
    pub const fn new(reason: &'static str, names: &'static [&'static str]) -> Self {
        Self { reason, names }
    }
}

/// Refuses the first of the parameters that asks for something. `Query` and `Form` do so with those of their endpoint; who
/// reads a body by itself calls this.
pub fn refuse_unsupported(unsupported: &[Unsupported], params: &Params) -> Result<()> {
    for Unsupported { reason, names } in unsupported {
        if let Some(name) = names.iter().find(|name| value(params, name).is_some_and(asks)) {
            return Err(Error::bad_request(format!("{name} is not supported here: {reason}")));
        }
    }
    Ok(())
}

/// The value that stands under a name such as `course[term_id]`.
fn value<'a>(params: &'a Params, name: &str) -> Option<&'a Value> {
    let mut steps = name.split('[').map(|step| step.trim_end_matches(']'));
    let value = params.get(steps.next()?)?;
    steps.try_fold(value, |value, step| value.get(step))
}

/// True unless the value asks for nothing, as null, a blank, false, and lists and objects of these alone do: clients that
/// send whole records have such values in them.
fn asks(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(boolean) => *boolean,
        Value::Number(_) => true,
        Value::String(text) => !(text.trim().is_empty() || is_false(text)),
        Value::Array(values) => values.iter().any(asks),
        Value::Object(values) => values.values().any(asks),
    }
}

/// True if the text is a word for false, all of which are short.
fn is_false(text: &str) -> bool {
    text.len() <= "false".len() && coerce::from_value(Value::String(text.to_owned())).is_ok_and(|word: bool| !word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Kind;

    const LIST: &[Unsupported] = &[
        Unsupported::new("there are no terms", &["enrollment_term_id", "course[term_id]"]),
        Unsupported::new("there are no colours", &["colours", "course[settings]"]),
    ];

    fn refusal(params: Value) -> Option<String> {
        let Value::Object(params) = params else { panic!("{params} is no object") };
        refuse_unsupported(LIST, &params).map_err(|error| format!("{:?}", error.kind())).err()
    }

    #[test]
    fn a_parameter_that_is_not_supported_is_refused_by_name_and_with_the_reason() {
        let params = json!({ "course": { "name": "Botany", "term_id": "7" } });
        let Value::Object(params) = params else { panic!("{params} is no object") };
        let refused = refuse_unsupported(LIST, &params).unwrap_err();
        let Kind::BadRequest(words) = refused.kind() else { panic!("{refused}") };
        assert_eq!(words, "course[term_id] is not supported here: there are no terms");
        for params in [
            json!({ "enrollment_term_id": 0 }),
            json!({ "colours": ["", "red"] }),
            json!({ "course": { "settings": { "a": { "value": true } } } }),
        ] {
            assert!(refusal(params.clone()).is_some(), "{params}");
        }
    }

    #[test]
    fn a_value_that_asks_for_nothing_and_other_names_are_passed_over() {
        for params in [
            json!({}),
            json!({ "term_id": 7, "course": "x" }),
            json!({ "course": { "term_id": null } }),
            json!({ "course": { "term_id": " ", "settings": { "a": { "value": "false" } } } }),
            json!({ "colours": ["", "0", false] }),
            json!({ "course": [{ "term_id": 7 }] }),
        ] {
            assert_eq!(refusal(params.clone()), None, "{params}");
        }
    }
}
