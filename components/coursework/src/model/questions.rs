//! Questions as they are stored.

use classic_questions::QuestionData;
use serde::{Deserialize, Deserializer};
use shared::db::Json;
use shared::{Result, rich_text};

/// The column of a question's data, with its rich content sanitized.
pub(crate) fn stored_data<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Json<QuestionData>, D::Error> {
    Json::deserialize(deserializer).map(|Json(data)| Json(sanitized(data)))
}

/// The same within a document.
pub(crate) fn sanitized_data<'de, D: Deserializer<'de>>(deserializer: D) -> Result<QuestionData, D::Error> {
    QuestionData::deserialize(deserializer).map(sanitized)
}

/// Rich content may be older than the rule that it is sanitized when it is written. Content that cannot be sanitized is not
/// shown.
fn sanitized(data: QuestionData) -> QuestionData {
    let sanitize = |html: String| rich_text::sanitize(&html).unwrap_or_default();
    QuestionData { text_after_answers: data.text_after_answers.map(sanitize), ..data }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_that_was_stored_before_is_sanitized_when_it_is_read() {
        let html = "<b>tree</b><img src=x onerror=alert(1)>";
        let stored = sanitized_data(json!({ "text_after_answers": html })).unwrap();
        assert_eq!(stored_data(json!({ "text_after_answers": html })).unwrap().0, stored);
        assert_eq!(stored.text_after_answers.as_deref(), Some("<b>tree</b><img src=\"x\">"));
        let none = stored_data(json!({ "text_after_answers": null })).unwrap().0;
        assert_eq!(none.text_after_answers, None);
    }
}
