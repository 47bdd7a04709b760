//! Questions for the tests of the types.

use std::sync::LazyLock;

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use shared::db::Json;

use crate::described::ByType;
use crate::question::{Feedback, QuestionForm, QuestionItem, StoredQuestion};
use crate::types::checked;

pub(crate) const A: &str = "0b7c1b8e-1111-4222-8333-44445555666a";
pub(crate) const B: &str = "0b7c1b8e-1111-4222-8333-44445555666b";
pub(crate) const C: &str = "0b7c1b8e-1111-4222-8333-44445555666c";
pub(crate) const D: &str = "0b7c1b8e-1111-4222-8333-44445555666d";

#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) slug: &'static str,
    pub(crate) item_body: String,
    pub(crate) interaction_data: Value,
    pub(crate) properties: Value,
    pub(crate) scoring_data: Value,
    pub(crate) answer_feedback: Value,
    pub(crate) scoring_algorithm: &'static str,
}

impl Sample {
    pub(crate) fn new(slug: &'static str, scoring_algorithm: &'static str) -> Self {
        Self {
            slug,
            item_body: "<p>Which one?</p>".to_owned(),
            interaction_data: json!({}),
            properties: json!({}),
            scoring_data: json!({}),
            answer_feedback: json!({}),
            scoring_algorithm,
        }
    }

    pub(crate) fn scored(self, scoring_algorithm: &'static str) -> Self {
        Self { scoring_algorithm, ..self }
    }

    pub(crate) fn question(self) -> StoredQuestion {
        StoredQuestion {
            title: None,
            item_body: self.item_body,
            calculator_type: "none".to_owned(),
            feedback: Json(Feedback::default()),
            interaction_type_slug: self.slug.to_owned(),
            interaction_data: Json(self.interaction_data),
            properties: Json(self.properties),
            scoring_data: Json(self.scoring_data),
            answer_feedback: Json(self.answer_feedback),
            scoring_algorithm: self.scoring_algorithm.to_owned(),
        }
    }
}

/// The stored form of a sample, which stays the same when it is checked again, and is as the description has it.
pub(crate) fn accepts(sample: Sample) -> StoredQuestion {
    let stored = checked(sample.question()).unwrap();
    assert_eq!(checked(stored.clone()).unwrap(), stored);
    assert!(fits(&stored), "the description has it otherwise: {stored:?}");
    stored
}

/// True if the description allows the question to be answered, and to be sent.
pub(crate) fn fits(question: &StoredQuestion) -> bool {
    static ANSWERED: LazyLock<Validator> =
        LazyLock::new(|| validator::<ByType<QuestionItem>>(SchemaSettings::for_serialize));
    static SENT: LazyLock<Validator> =
        LazyLock::new(|| validator::<ByType<QuestionForm>>(SchemaSettings::for_deserialize));
    let sent = json!({
        "title": question.title,
        "item_body": question.item_body,
        "calculator_type": question.calculator_type,
        "feedback": question.feedback,
        "interaction_type_slug": question.interaction_type_slug,
        "interaction_data": question.interaction_data,
        "properties": question.properties,
        "scoring_data": question.scoring_data,
        "answer_feedback": question.answer_feedback,
        "scoring_algorithm": question.scoring_algorithm,
    });
    let mut answered = sent.clone();
    answered["id"] = json!("7");
    for moment in ["created_at", "updated_at"] {
        answered[moment] = json!("2026-03-04T05:06:07Z");
    }
    ANSWERED.is_valid(&answered) && SENT.is_valid(&sent)
}

fn validator<T: schemars::JsonSchema>(contract: fn(SchemaSettings) -> SchemaSettings) -> Validator {
    let mut generator = contract(SchemaSettings::draft2020_12()).into_generator();
    jsonschema::validator_for(generator.root_schema_for::<T>().as_value()).unwrap()
}

pub(crate) fn refuses<const N: usize>(cases: [(Sample, &str); N]) {
    for (sample, message) in cases {
        let error = match checked(sample.question()) {
            Ok(stored) => panic!("accepted instead of: {message}: {stored:?}"),
            Err(error) => error,
        };
        let shared::error::Kind::Invalid(violations) = error.kind() else { panic!("{error}") };
        let violation = &violations[0];
        let told = violation
            .field
            .as_ref()
            .map_or(violation.message.clone(), |field| format!("{field} {}", violation.message));
        assert_eq!(told, message);
    }
}

#[test]
fn what_every_question_must_have_is_checked_first() {
    let good = || Sample {
        interaction_data: json!({"true_choice": "True", "false_choice": "False"}),
        scoring_data: json!({"value": true}),
        ..Sample::new("true-false", "Equivalence")
    };
    let slug = |slug| Sample { slug, ..good() };
    let body = |item_body: &str| Sample { item_body: item_body.to_owned(), ..good() };
    refuses([
        (slug("fill-blank"), "interaction_type_slug fill-blank is deprecated and can only be read"),
        (
            slug("riddle"),
            "interaction_type_slug must be one of multi-answer, matching, categorization, file-upload, \
            formula, ordering, rich-fill-blank, hot-spot, choice, numeric, true-false, essay",
        ),
        (body(""), "item_body can't be blank"),
        (body("<p>&nbsp;</p><script>x</script>"), "item_body can't be blank"),
        (Sample { answer_feedback: json!({A: "x"}), ..good() }, "answer_feedback is only for choice"),
        (Sample { interaction_data: json!([]), ..good() }, "interaction_data must be an object"),
    ]);
    let mut odd = good().question();
    odd.calculator_type = "abacus".to_owned();
    let error = checked(odd).unwrap_err();
    assert!(error.to_string().contains("calculator_type"), "{error}");
    let mut named = good().question();
    named.title = Some("x".repeat(256));
    let error = checked(named).unwrap_err();
    assert!(error.to_string().contains("is too long (maximum is 255 characters)"), "{error}");
}

#[test]
fn rich_text_is_stored_without_scripts() {
    let mut question = Sample {
        item_body: "<p onclick=\"x\">Why?</p><script>x</script>".to_owned(),
        interaction_data: json!({"choices": [{"id": A, "item_body": "a<script>x</script>"}, {"id": B, "item_body": "<b>b</b>"}]}),
        scoring_data: json!({"value": A}),
        answer_feedback: json!({A: "<a href=\"javascript:x\">y</a>"}),
        ..Sample::new("choice", "Equivalence")
    }
    .question();
    question.feedback.0.neutral = "<img src=\"https://x.test/y\" onerror=\"x\">".to_owned();
    let stored = checked(question).unwrap();
    assert_eq!(stored.item_body, "<p>Why?</p>");
    assert_eq!(stored.interaction_data.0["choices"][0]["item_body"], "a");
    assert_eq!(stored.interaction_data.0["choices"][1]["item_body"], "<b>b</b>");
    assert_eq!(stored.answer_feedback.0, json!({A: "<a>y</a>"}));
    assert_eq!(stored.feedback.0.neutral, "<img src=\"https://x.test/y\">");
}
