//! The shape of the area's errors: that of the LMS, but refused values as 422 `{"errors":{"name":"is too long"}}`.

use http::StatusCode;
use serde_json::{Map, Value, json};
use shared::error::{Kind, Violation};
use shared::{ErrorFormat, LmsErrors};

/// The errors of question groups.
pub(crate) struct QuizGroupErrors;

impl ErrorFormat for QuizGroupErrors {
    fn render(&self, kind: &Kind) -> (StatusCode, Value) {
        match kind {
            Kind::Invalid(violations) => (StatusCode::UNPROCESSABLE_ENTITY, plain_map(violations)),
            kind => LmsErrors.render(kind),
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(&self) -> shared::error_format::Shape {
        LmsErrors.shape()
    }
}

fn plain_map(violations: &[Violation]) -> Value {
    let entries = violations.iter().map(|violation| {
        (violation.field.clone().unwrap_or_else(|| "base".to_owned()), Value::String(violation.message.clone()))
    });
    json!({ "errors": entries.collect::<Map<_, _>>() })
}

#[cfg(test)]
mod tests {
    use shared::Error;

    use super::*;

    #[test]
    fn a_refused_value_is_a_sentence_behind_its_name() {
        let error = Error::invalid("name", "too_long", "is too long");
        let refused = (StatusCode::UNPROCESSABLE_ENTITY, json!({"errors": {"name": "is too long"}}));
        assert_eq!(QuizGroupErrors.render(error.kind()), refused);
    }
}
