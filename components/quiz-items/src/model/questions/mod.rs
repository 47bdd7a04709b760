//! The types of questions: each knows the shape of its data and the rules between its parts, in a file of its own.
//!
//! See "Types of questions" in `docs/contract/quiz-items.md`. The first rule that fails is the one that is told. A value
//! that its type does not document is left out.

mod blank_scoring;
mod categorization;
mod choice;
mod choices;
mod essay;
mod file_upload;
mod formula;
mod hot_spot;
mod markers;
mod matching;
mod multi_answer;
mod numeric;
mod ordering;
mod parts;
pub(crate) mod question;
mod rich_fill_blank;
#[cfg(test)]
mod sample;
mod true_false;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::db::Json;
use shared::{Error, Result};

use crate::model::form;
use crate::model::questions::question::Question;
use crate::model::rich::Rich;

const CALCULATORS: [&str; 3] = ["none", "basic", "scientific"];
const SLUGS: [&str; 12] = [
    "multi-answer",
    "matching",
    "categorization",
    "file-upload",
    "formula",
    "ordering",
    "rich-fill-blank",
    "hot-spot",
    "choice",
    "numeric",
    "true-false",
    "essay",
];

/// A type of question.
trait QuestionType {
    /// The ways in which it may be scored.
    const ALGORITHMS: &'static [&'static str];
    /// True if each of its choices may have its own feedback.
    const HAS_ANSWER_FEEDBACK: bool = false;
    type Interaction: DeserializeOwned + Serialize;
    type Properties: DeserializeOwned + Serialize;
    type Scoring: DeserializeOwned + Serialize;

    /// Checks the rules between the parts, and completes what may be left out.
    fn check(draft: &mut Draft<Self>) -> Result<()>;
}

/// A question whose data has the shape of its type.
struct Draft<T: QuestionType + ?Sized> {
    item_body: String,
    scoring_algorithm: String,
    answer_feedback: BTreeMap<String, Rich>,
    interaction_data: T::Interaction,
    properties: T::Properties,
    scoring_data: T::Scoring,
}

/// The question as it is stored, if its type allows it.
pub(crate) fn checked(question: Question) -> Result<Question> {
    match question.interaction_type_slug.as_str() {
        "categorization" => checked_as::<categorization::Categorization>(question),
        "choice" => checked_as::<choice::Choice>(question),
        "essay" => checked_as::<essay::Essay>(question),
        "file-upload" => checked_as::<file_upload::FileUpload>(question),
        "formula" => checked_as::<formula::Formula>(question),
        "hot-spot" => checked_as::<hot_spot::HotSpot>(question),
        "matching" => checked_as::<matching::Matching>(question),
        "multi-answer" => checked_as::<multi_answer::MultiAnswer>(question),
        "numeric" => checked_as::<numeric::Numeric>(question),
        "ordering" => checked_as::<ordering::Ordering>(question),
        "rich-fill-blank" => checked_as::<rich_fill_blank::RichFillBlank>(question),
        "true-false" => checked_as::<true_false::TrueFalse>(question),
        "fill-blank" => Err(invalid_field("interaction_type_slug", "fill-blank is deprecated and can only be read")),
        _ => Err(not_included("interaction_type_slug", &SLUGS)),
    }
}

fn checked_as<T: QuestionType>(question: Question) -> Result<Question> {
    if !T::ALGORITHMS.contains(&question.scoring_algorithm.as_str()) {
        return Err(not_included("scoring_algorithm", T::ALGORITHMS));
    }
    let item_body = Rich::of("item_body", question.item_body)?;
    if item_body.is_blank() {
        return Err(Error::invalid("item_body", "blank", "can't be blank"));
    }
    if !CALCULATORS.contains(&question.calculator_type.as_str()) {
        return Err(not_included("calculator_type", &CALCULATORS));
    }
    form::line("title", question.title.as_deref().unwrap_or_default())?;
    let mut draft = Draft::<T> {
        item_body: item_body.into(),
        interaction_data: form::read_named("interaction_data", question.interaction_data.0)?,
        scoring_data: form::read_named("scoring_data", question.scoring_data.0)?,
        properties: form::read_named("properties", question.properties.0)?,
        answer_feedback: form::read_named("answer_feedback", question.answer_feedback.0)?,
        scoring_algorithm: question.scoring_algorithm,
    };
    ensure(T::HAS_ANSWER_FEEDBACK || draft.answer_feedback.is_empty(), "answer_feedback", "is only for choice")?;
    T::check(&mut draft)?;
    Ok(Question {
        item_body: draft.item_body,
        feedback: Json(question.feedback.0.clean()?),
        interaction_data: written(&draft.interaction_data)?,
        properties: written(&draft.properties)?,
        scoring_data: written(&draft.scoring_data)?,
        answer_feedback: written(&draft.answer_feedback)?,
        scoring_algorithm: draft.scoring_algorithm,
        ..question
    })
}

fn written(part: &impl Serialize) -> Result<Json> {
    serde_json::to_value(part).map(Json).map_err(Error::internal)
}

fn invalid_field(field: &str, message: impl Into<String>) -> Error {
    Error::invalid(field, "invalid", message)
}

fn not_included(field: &str, allowed: &[&str]) -> Error {
    let message = match allowed {
        [only] => format!("must be {only}"),
        _ => format!("must be one of {}", allowed.join(", ")),
    };
    Error::invalid(field, "inclusion", message)
}

fn ensure(holds: bool, field: &str, message: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(invalid_field(field, message)) }
}

pub(crate) mod blank;
