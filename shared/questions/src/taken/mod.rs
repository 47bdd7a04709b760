//! How questions are taken: what a student sees of each type, which responses have its shape, and what they earn.
//!
//! Each type has a file of its own. What is published about scoring is `docs/contract/scoring.md`, whose examples are tests.

mod blanks;
mod categorization;
mod choice;
mod essay;
mod file_upload;
mod formula;
mod hot_spot;
mod matching;
mod multi_answer;
mod numeric;
mod ordering;
mod true_false;

use std::fmt;

use serde::Deserialize;
use serde_json::{Value, json};
use shared::db::Json;

use crate::draw::{Draw, Showing, seed_of};
use crate::form;
use crate::question::StoredQuestion;
use crate::response::{Part, Read, ResponseError};
use crate::score::Score;
use crate::types::categorization::Categorization;
use crate::types::choice::Choice;
use crate::types::essay::Essay;
use crate::types::file_upload::FileUpload;
use crate::types::formula::Formula;
use crate::types::hot_spot::HotSpot;
use crate::types::matching::Matching;
use crate::types::multi_answer::MultiAnswer;
use crate::types::numeric::Numeric;
use crate::types::ordering::Ordering;
use crate::types::rich_fill_blank::RichFillBlank;
use crate::types::true_false::TrueFalse;
use crate::types::{Draft, QuestionType};

/// The columns of `question_items` that taking a question needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct QuestionColumns {
    /// The type.
    pub interaction_type_slug: String,
    /// Rich text.
    pub item_body: String,
    /// An object.
    pub interaction_data: Json,
    /// An object.
    pub properties: Json,
    /// An object.
    pub scoring_data: Json,
    /// One of those of the type.
    pub scoring_algorithm: String,
}

impl From<StoredQuestion> for QuestionColumns {
    fn from(stored: StoredQuestion) -> Self {
        Self {
            interaction_type_slug: stored.interaction_type_slug,
            item_body: stored.item_body,
            interaction_data: stored.interaction_data,
            properties: stored.properties,
            scoring_data: stored.scoring_data,
            scoring_algorithm: stored.scoring_algorithm,
        }
    }
}

/// Why stored data is no question: it is not of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionError(String);

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QuestionError {}

/// What a student sees of a question. Nothing in it tells what is right.
#[derive(Debug, Clone, PartialEq)]
pub struct StudentView {
    /// Rich text, safe to show: with the values of the variant's variables, and an empty `<span id="blank_ID">` for each
    /// blank.
    pub item_body: String,
    /// An object; its shape depends on the type, see `docs/contract/scoring.md`.
    pub interaction_data: Value,
    /// An object: labels.
    pub properties: Value,
}

/// A question as it is taken.
pub struct Question {
    slug: &'static str,
    asked: Box<dyn Asked + Send + Sync>,
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("slug", &self.slug).finish_non_exhaustive()
    }
}

impl Question {
    /// The question that is stored.
    ///
    /// # Errors
    /// The data are not of its type.
    pub fn parse(columns: QuestionColumns) -> Result<Self, QuestionError> {
        let (slug, parse): (_, fn(QuestionColumns) -> Result<_, QuestionError>) =
            match columns.interaction_type_slug.as_str() {
                TrueFalse::SLUG => (TrueFalse::SLUG, parse_as::<TrueFalse>),
                Choice::SLUG => (Choice::SLUG, parse_as::<Choice>),
                MultiAnswer::SLUG => (MultiAnswer::SLUG, parse_as::<MultiAnswer>),
                Matching::SLUG => (Matching::SLUG, parse_as::<Matching>),
                Categorization::SLUG => (Categorization::SLUG, parse_as::<Categorization>),
                Ordering::SLUG => (Ordering::SLUG, parse_as::<Ordering>),
                Numeric::SLUG => (Numeric::SLUG, parse_as::<Numeric>),
                Formula::SLUG => (Formula::SLUG, parse_as::<Formula>),
                HotSpot::SLUG => (HotSpot::SLUG, parse_as::<HotSpot>),
                RichFillBlank::SLUG => (RichFillBlank::SLUG, parse_as::<RichFillBlank>),
                blanks::OLDER_SLUG => (blanks::OLDER_SLUG, blanks::parse_older),
                Essay::SLUG => (Essay::SLUG, parse_as::<Essay>),
                FileUpload::SLUG => (FileUpload::SLUG, parse_as::<FileUpload>),
                other => return Err(QuestionError(format!("there is no type of question {other}"))),
            };
        Ok(Self { slug, asked: parse(columns)? })
    }

    /// The type.
    pub fn slug(&self) -> &'static str {
        self.slug
    }

    /// How many variants there are: those of a formula, and none of other types.
    pub fn variant_count(&self) -> usize {
        self.asked.variant_count()
    }

    /// The variant that the seed draws: one of a formula's, and `None` of other types.
    pub fn draw_variant(&self, seed: u64) -> Option<usize> {
        let count = self.variant_count();
        (count > 0).then(|| Draw::new(seed_of(seed, VARIANT)).below(count))
    }

    /// True if students are asked the same by both, whatever is right: an answer to one is an answer to the other.
    pub fn asks_like(&self, other: &Self) -> bool {
        let variants = self.variant_count();
        let is_shown_alike = |variant| {
            let [one, same] = [self, other].map(|question| for_student(question, 0, variant, false));
            one == same
        };
        self.slug == other.slug
            && variants == other.variant_count()
            && match variants {
                // How an ordering is shuffled depends on what is right.
                0 => self.slug == Ordering::SLUG || is_shown_alike(None),
                _ => (0..variants).all(|variant| is_shown_alike(Some(variant))),
            }
    }

    /// True if a person grades every answer.
    pub fn waits_for_person(&self) -> bool {
        matches!(self.slug, Essay::SLUG | FileUpload::SLUG)
    }
}

/// The part of a question's seed that draws the variant. What is shuffled is drawn from the seed itself.
const VARIANT: u64 = 1;

/// Checks that a response has the shape of its question and keeps the limits; null clears, and fits always.
///
/// # Errors
/// What does not fit, and where.
pub fn check_response(question: &Question, response: &Value) -> Result<(), ResponseError> {
    question.asked.check(Part::whole(response))
}

/// What the response earns. `variant` is what was drawn of a formula.
///
/// # Errors
/// The response has not the shape of its question, or the question no such variant.
pub fn score(question: &Question, response: Option<&Value>, variant: Option<usize>) -> Result<Score, ResponseError> {
    match response {
        Some(response) => question.asked.score(Part::whole(response), variant),
        None => Ok(Score::unanswered()),
    }
}

/// What the student sees. The seed is one of the student's own for this question ([`seed_of`] makes it of a session's and
/// of the item's id). `shuffle_answers` is the setting of the quiz: with it answers are shuffled whatever the question's
/// own rules are, but for the places that are locked.
pub fn for_student(question: &Question, seed: u64, variant: Option<usize>, shuffle_answers: bool) -> StudentView {
    question.asked.show(&mut Showing { draw: Draw::new(seed), variant, shuffle_answers })
}

/// A type of question that can be taken.
trait Taken: QuestionType + Sized {
    /// A response that has the shape of the type and some content.
    type Response<'a>;

    /// Reads a response that is not null; `None`: it says nothing.
    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Self::Response<'a>>>;

    /// What a response earns.
    fn score(asked: &Draft<Self>, response: Self::Response<'_>, variant: Option<usize>) -> Read<Score>;

    /// The interaction data of the student.
    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value;

    /// The body of the student.
    fn body(asked: &Draft<Self>, _: &Showing) -> String {
        asked.item_body.clone()
    }

    /// The properties of the student.
    fn properties(_: &Draft<Self>) -> Value {
        json!({})
    }

    fn variant_count(_: &Draft<Self>) -> usize {
        0
    }

    /// Refuses stored data that nobody could take.
    fn check_stored(_: &Draft<Self>) -> Result<(), QuestionError> {
        Ok(())
    }
}

/// A question of whatever type.
trait Asked {
    fn check(&self, response: Part<'_>) -> Read<()>;
    fn score(&self, response: Part<'_>, variant: Option<usize>) -> Read<Score>;
    fn show(&self, showing: &mut Showing) -> StudentView;
    fn variant_count(&self) -> usize;
}

impl<T: Taken> Asked for Draft<T> {
    fn check(&self, response: Part<'_>) -> Read<()> {
        if response.value.is_null() { Ok(()) } else { T::read(self, &response).map(|_| ()) }
    }

    fn score(&self, response: Part<'_>, variant: Option<usize>) -> Read<Score> {
        if response.value.is_null() {
            return Ok(Score::unanswered());
        }
        match T::read(self, &response)? {
            Some(response) => T::score(self, response, variant),
            None => Ok(Score::unanswered()),
        }
    }

    fn show(&self, showing: &mut Showing) -> StudentView {
        StudentView {
            item_body: T::body(self, showing),
            interaction_data: T::show(self, showing),
            properties: T::properties(self),
        }
    }

    fn variant_count(&self) -> usize {
        T::variant_count(self)
    }
}

fn parse_as<T: Taken + 'static>(columns: QuestionColumns) -> Result<Box<dyn Asked + Send + Sync>, QuestionError>
where
    Draft<T>: Send + Sync,
{
    if !T::ALGORITHMS.contains(&columns.scoring_algorithm.as_str()) {
        return Err(QuestionError(format!("{} is not scored by {}", T::SLUG, columns.scoring_algorithm)));
    }
    let unfit = |error: shared::Error| QuestionError(error.to_string());
    let draft = Draft::<T> {
        item_body: columns.item_body,
        scoring_algorithm: columns.scoring_algorithm,
        answer_feedback: std::collections::BTreeMap::new(),
        interaction_data: form::read_named("interaction_data", columns.interaction_data.0).map_err(unfit)?,
        properties: form::read_named("properties", columns.properties.0).map_err(unfit)?,
        scoring_data: form::read_named("scoring_data", columns.scoring_data.0).map_err(unfit)?,
    };
    T::check_stored(&draft)?;
    Ok(Box::new(draft))
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
