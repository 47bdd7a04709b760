//! Ids as text, for clients whose numbers are too small for them.

use serde_json::Value;

/// The word in `Accept` that asks for it.
pub(crate) const ACCEPT: &str = "application/json+canvas-string-ids";

/// Turns every `id`, `…_id`, and the elements of `ids` and `…_ids`, into text.
pub(crate) fn stringify(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(stringify),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::Number(_) if key == "id" || key.ends_with("_id") => to_text(value),
                    Value::Array(list) if key == "ids" || key.ends_with("_ids") => list.iter_mut().for_each(to_text),
                    other => stringify(other),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn to_text(value: &mut Value) {
    if let Value::Number(number) = value {
        *value = Value::String(number.to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_become_text_and_nothing_else_does() {
        let mut value = json!({"id": 1, "course_id": null, "user_ids": [2, "3"], "position": 4,
                               "list": [{"quiz_id": 5}], "identity": 6});
        stringify(&mut value);
        let expected = json!({"id": "1", "course_id": null, "user_ids": ["2", "3"], "position": 4,
                              "list": [{"quiz_id": "5"}], "identity": 6});
        assert_eq!(value, expected);
    }
}
