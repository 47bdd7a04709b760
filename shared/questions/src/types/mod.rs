//! The types of questions: each knows the shape of its data and the rules between its parts, in a file of its own.
//!
//! See "Types of questions" in `docs/contract/quiz-items.md`. The first rule that fails is the one that is told. A value
//! that its type does not document is left out.

pub(crate) mod blank;
pub(crate) mod blank_scoring;
pub(crate) mod categorization;
pub(crate) mod choice;
pub(crate) mod choices;
pub(crate) mod essay;
pub(crate) mod file_upload;
pub(crate) mod fill_blank;
pub(crate) mod formula;
pub(crate) mod hot_spot;
pub(crate) mod markers;
pub(crate) mod matching;
pub(crate) mod multi_answer;
pub(crate) mod numeric;
pub(crate) mod ordering;
pub(crate) mod parts;
pub(crate) mod rich_fill_blank;
pub(crate) mod true_false;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::db::Json;
use shared::{Described, Error, Result};

#[cfg(not(target_arch = "wasm32"))]
use crate::described::SchemasOfType;
use crate::form;
use crate::question::StoredQuestion;
use crate::rich::Rich;

const CALCULATORS: [&str; 3] = ["none", "basic", "scientific"];
/// A type of question.
pub(crate) trait QuestionType {
    /// Its name in requests and answers.
    const SLUG: &'static str;
    /// True if such questions are only read, moved and deleted.
    const IS_DEPRECATED: bool = false;
    /// The ways in which it may be scored.
    const ALGORITHMS: &'static [&'static str];
    /// True if each of its choices may have its own feedback.
    const HAS_ANSWER_FEEDBACK: bool = false;
    type Interaction: DeserializeOwned + Serialize + Described;
    type Properties: DeserializeOwned + Serialize + Described;
    type Scoring: DeserializeOwned + Serialize + Described;

    /// Checks the rules between the parts, and completes what may be left out.
    fn check(draft: &mut Draft<Self>) -> Result<()>;
}

/// A question whose data has the shape of its type.
pub(crate) struct Draft<T: QuestionType + ?Sized> {
    pub(crate) item_body: String,
    pub(crate) scoring_algorithm: String,
    pub(crate) answer_feedback: BTreeMap<String, Rich>,
    pub(crate) interaction_data: T::Interaction,
    pub(crate) properties: T::Properties,
    pub(crate) scoring_data: T::Scoring,
}

/// A type of question in the table of all.
pub(crate) struct TypeEntry {
    pub(crate) slug: &'static str,
    pub(crate) is_deprecated: bool,
    pub(crate) check: fn(StoredQuestion) -> Result<StoredQuestion>,
    /// The schemas of such a question, as it is answered and as it is sent.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) schemas: SchemasOfType,
}

/// The types, in the order in which an error names them.
pub(crate) static TYPES: [TypeEntry; 13] = [
    entry::<multi_answer::MultiAnswer>(),
    entry::<matching::Matching>(),
    entry::<categorization::Categorization>(),
    entry::<file_upload::FileUpload>(),
    entry::<formula::Formula>(),
    entry::<ordering::Ordering>(),
    entry::<rich_fill_blank::RichFillBlank>(),
    entry::<hot_spot::HotSpot>(),
    entry::<choice::Choice>(),
    entry::<numeric::Numeric>(),
    entry::<true_false::TrueFalse>(),
    entry::<essay::Essay>(),
    entry::<fill_blank::FillBlank>(),
];

const fn entry<T: QuestionType + 'static>() -> TypeEntry {
    TypeEntry {
        slug: T::SLUG,
        is_deprecated: T::IS_DEPRECATED,
        check: checked_as::<T>,
        #[cfg(not(target_arch = "wasm32"))]
        schemas: SchemasOfType::of::<T>(),
    }
}

/// The question as it is stored, if its type allows it.
pub fn checked(question: StoredQuestion) -> Result<StoredQuestion> {
    match TYPES.iter().find(|entry| entry.slug == question.interaction_type_slug) {
        Some(TypeEntry { slug, is_deprecated: true, .. }) => {
            Err(invalid_field("interaction_type_slug", format!("{slug} is deprecated and can only be read")))
        }
        Some(entry) => (entry.check)(question),
        None => {
            let slugs: Vec<_> = TYPES.iter().filter(|entry| !entry.is_deprecated).map(|entry| entry.slug).collect();
            Err(not_included("interaction_type_slug", &slugs))
        }
    }
}

fn checked_as<T: QuestionType>(question: StoredQuestion) -> Result<StoredQuestion> {
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
    Ok(StoredQuestion {
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

pub(crate) fn invalid_field(field: &str, message: impl Into<String>) -> Error {
    Error::invalid(field, "invalid", message)
}

pub(crate) fn not_included(field: &str, allowed: &[&str]) -> Error {
    let message = match allowed {
        [only] => format!("must be {only}"),
        _ => format!("must be one of {}", allowed.join(", ")),
    };
    Error::invalid(field, "inclusion", message)
}

pub(crate) fn ensure(holds: bool, field: &str, message: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(invalid_field(field, message)) }
}
