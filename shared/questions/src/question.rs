//! Questions: their fields on the wire, how an update changes them, and what of them an attempt relies on.
//!
//! See `QuestionItem` in `docs/contract/quiz-items.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::db::Json;
use shared::ids::QuestionItemId;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

use crate::key::KeyForm;
use crate::rich::Rich;
use crate::{form, types};

/// A question of a quiz or a bank.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct QuestionItem {
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    id: QuestionItemId,
    title: Option<String>,
    /// Rich text.
    item_body: String,
    /// `none`, `basic` or `scientific`.
    calculator_type: String,
    feedback: Feedback,
    /// The type of question.
    interaction_type_slug: String,
    /// The data of the question: its shape depends on the type.
    interaction_data: Map<String, Value>,
    /// The way in which the question is shown: its shape depends on the type.
    properties: Map<String, Value>,
    /// The right answer: its shape depends on the type.
    scoring_data: Map<String, Value>,
    /// Rich text by the id of a choice; only for `choice`.
    answer_feedback: BTreeMap<String, String>,
    scoring_algorithm: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The feedback that a student is shown after answering. Rich text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Feedback {
    /// Whatever the answer was.
    pub neutral: String,
    /// Where it was right.
    pub correct: String,
    /// Where it was wrong.
    pub incorrect: String,
}

impl Feedback {
    /// The same, safe to show.
    pub fn clean(self) -> Result<Self> {
        let clean = |name: &str, html: String| Rich::of(&format!("feedback[{name}]"), html).map(String::from);
        Ok(Self {
            neutral: clean("neutral", self.neutral)?,
            correct: clean("correct", self.correct)?,
            incorrect: clean("incorrect", self.incorrect)?,
        })
    }
}

/// A question as it is stored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StoredQuestion {
    /// 255 characters at most.
    pub title: Option<String>,
    /// Rich text.
    pub item_body: String,
    /// `none`, `basic` or `scientific`.
    pub calculator_type: String,
    /// Rich text that is shown after an answer.
    pub feedback: Json<Feedback>,
    /// The type.
    pub interaction_type_slug: String,
    /// An object; its shape depends on the type.
    pub interaction_data: Json,
    /// An object; its shape depends on the type.
    pub properties: Json,
    /// An object; its shape depends on the type.
    pub scoring_data: Json,
    /// Rich text by the id of a choice.
    pub answer_feedback: Json,
    /// One of those of the type.
    pub scoring_algorithm: String,
}

impl StoredQuestion {
    /// True if an attempt that was made with one could be judged by the other.
    pub fn is_answered_like(&self, other: &Self) -> bool {
        let (title, feedback, answer_feedback) =
            (other.title.clone(), other.feedback.clone(), other.answer_feedback.clone());
        Self { title, feedback, answer_feedback, ..self.clone() } == *other
    }
}

/// The fields of a question that is made or changed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct QuestionForm {
    title: Patch<String>,
    /// Rich text.
    item_body: Patch<String>,
    /// `none`, `basic` or `scientific`.
    calculator_type: Patch<String>,
    /// An object with `neutral`, `correct`, `incorrect`: rich text.
    #[schemars(with = "Option<FeedbackForm>")]
    feedback: Patch<Value>,
    /// The type of question.
    interaction_type_slug: Patch<String>,
    /// An object; its shape depends on the type.
    interaction_data: Patch<Value>,
    /// An object; its shape depends on the type.
    properties: Patch<Value>,
    /// An object; its shape depends on the type.
    scoring_data: Patch<Value>,
    /// An object: rich text by the id of a choice; only for `choice`.
    answer_feedback: Patch<Value>,
    scoring_algorithm: Patch<String>,
}

/// The feedback that is given or changed: rich text.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FeedbackForm {
    neutral: Patch<String>,
    correct: Patch<String>,
    incorrect: Patch<String>,
}

impl QuestionForm {
    /// A change of the key alone.
    pub(crate) fn of_key(key: KeyForm) -> Self {
        Self { scoring_data: key.scoring_data, scoring_algorithm: key.scoring_algorithm, ..Self::default() }
    }

    /// A new question; `at` is where the form stands in the request.
    pub fn create(self, at: &str) -> Result<StoredQuestion> {
        types::checked(self.begin(at)?)
    }

    /// A new question whose rules are yet to be checked.
    pub fn begin(self, at: &str) -> Result<StoredQuestion> {
        for (name, is_there) in [
            ("item_body", is_there(&self.item_body)),
            ("interaction_type_slug", is_there(&self.interaction_type_slug)),
            ("interaction_data", is_there(&self.interaction_data)),
            ("scoring_data", is_there(&self.scoring_data)),
            ("scoring_algorithm", is_there(&self.scoring_algorithm)),
        ] {
            if !is_there {
                return Err(Error::missing(&format!("{at}[{name}]")));
            }
        }
        let nothing = StoredQuestion {
            title: None,
            item_body: String::new(),
            calculator_type: "none".to_owned(),
            feedback: Json::default(),
            interaction_type_slug: String::new(),
            interaction_data: Json::default(),
            properties: Json(Value::Object(Map::new())),
            scoring_data: Json::default(),
            answer_feedback: Json(Value::Object(Map::new())),
            scoring_algorithm: String::new(),
        };
        self.over(nothing)
    }

    /// The question with the fields of the form: each replaces the field whole, only those of the feedback are merged.
    pub fn over(self, question: StoredQuestion) -> Result<StoredQuestion> {
        let required = |field: Patch<String>, current| field.over(Some(current)).unwrap_or_default();
        Ok(StoredQuestion {
            title: self.title.over(question.title),
            item_body: required(self.item_body, question.item_body),
            calculator_type: self.calculator_type.over(Some(question.calculator_type)).unwrap_or("none".to_owned()),
            feedback: Json(feedback_over(self.feedback, question.feedback.0)?),
            interaction_type_slug: required(self.interaction_type_slug, question.interaction_type_slug),
            interaction_data: object_over("interaction_data", self.interaction_data, question.interaction_data)?,
            properties: object_over("properties", cleared(self.properties), question.properties)?,
            scoring_data: object_over("scoring_data", self.scoring_data, question.scoring_data)?,
            answer_feedback: object_over("answer_feedback", cleared(self.answer_feedback), question.answer_feedback)?,
            scoring_algorithm: required(self.scoring_algorithm, question.scoring_algorithm),
        })
    }
}

fn is_there<T>(field: &Patch<T>) -> bool {
    matches!(field, Patch::Value(_))
}

/// Null empties an object that may be empty.
fn cleared(field: Patch<Value>) -> Patch<Value> {
    match field {
        Patch::Null => Patch::Value(Value::Object(Map::new())),
        other => other,
    }
}

fn object_over(name: &str, field: Patch<Value>, current: Json) -> Result<Json> {
    match field {
        Patch::Absent => Ok(current),
        Patch::Null => Err(no_object(name)),
        Patch::Value(value) => object(name, value).map(|object| Json(Value::Object(object))),
    }
}

fn feedback_over(field: Patch<Value>, current: Feedback) -> Result<Feedback> {
    let value = match field {
        Patch::Absent => return Ok(current),
        Patch::Null => return Ok(Feedback::default()),
        Patch::Value(value) => value,
    };
    let form: FeedbackForm = form::read_named("feedback", Value::Object(object("feedback", value)?))?;
    let text = |field: Patch<String>, current| field.over(Some(current)).unwrap_or_default();
    Ok(Feedback {
        neutral: text(form.neutral, current.neutral),
        correct: text(form.correct, current.correct),
        incorrect: text(form.incorrect, current.incorrect),
    })
}

/// An object as it came. A form has no way to write an empty one: there it is an empty text, or `{}`; and an empty list
/// is one with an empty text in it.
fn object(name: &str, value: Value) -> Result<Map<String, Value>> {
    let value = match value {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
        other => other,
    };
    match with_empty_lists(value) {
        Value::Object(object) => Ok(object),
        _ => Err(no_object(name)),
    }
}

fn with_empty_lists(value: Value) -> Value {
    match value {
        Value::Array(list) if list.as_slice() == [Value::String(String::new())] => Value::Array(Vec::new()),
        Value::Array(list) => list.into_iter().map(with_empty_lists).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_empty_lists(value))).collect(),
        other => other,
    }
}

fn no_object(name: &str) -> Error {
    Error::invalid(name, "invalid", "must be an object")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(value: Value) -> QuestionForm {
        shared::params::coerce::from_value(value).unwrap()
    }

    fn created() -> StoredQuestion {
        let all = json!({
            "item_body": "Is it?", "interaction_type_slug": "true-false", "scoring_algorithm": "Equivalence",
            "interaction_data": {"true_choice": "Yes", "false_choice": "No"}, "scoring_data": {"value": "true"},
            "properties": "{}", "answer_feedback": "", "feedback": {"correct": "<p>Good</p>"},
        });
        form(all).create("item[entry]").unwrap()
    }

    #[test]
    fn a_form_writes_empty_objects_as_text() {
        let question = created();
        assert_eq!(question.properties.0, json!({}));
        assert_eq!(question.scoring_data.0, json!({"value": true}));
        assert_eq!(question.feedback.0.correct, "<p>Good</p>");
        let lists = json!({"a": [""], "b": {"c": [[""], "x"]}});
        assert_eq!(with_empty_lists(lists), json!({"a": [], "b": {"c": [[], "x"]}}));
    }

    #[test]
    fn what_is_required_is_named_with_its_whole_path() {
        let error = form(json!({"interaction_type_slug": "essay"})).create("item[entry]").unwrap_err();
        assert!(error.to_string().contains("item[entry][item_body] is missing"), "{error}");
    }

    #[test]
    fn an_update_merges_fields_and_replaces_objects() {
        let change =
            json!({"title": "New", "feedback": {"neutral": "Hm"}, "interaction_data": {"true_choice": "Right"}});
        let question = form(change).over(created()).unwrap();
        assert_eq!(question.title.as_deref(), Some("New"));
        assert_eq!(question.item_body, "Is it?");
        assert_eq!((question.feedback.0.neutral.as_str(), question.feedback.0.correct.as_str()), ("Hm", "<p>Good</p>"));
        assert_eq!(question.interaction_data.0, json!({"true_choice": "Right"}));
        assert!(types::checked(question).is_err());
    }

    #[test]
    fn an_attempt_does_not_rely_on_titles_and_feedback() {
        let renamed = form(json!({"title": "New", "feedback": null})).over(created()).unwrap();
        assert!(renamed.is_answered_like(&created()));
        let scored = form(json!({"scoring_data": {"value": false}})).over(created()).unwrap();
        assert!(!scored.is_answered_like(&created()));
    }
}
