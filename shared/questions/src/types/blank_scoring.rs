//! The scoring of one blank of a sentence.

use std::collections::BTreeSet;

use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::params::not_too_long;
use shared::{JsonSchema, Result};

use crate::types::blank::{AnswerType, Blank};
use crate::types::parts::{Id, is_blank, require_few};
use crate::types::{ensure, invalid_field, not_included};

const MIN_DISTANCE: i64 = 1;
/// The longest regular expression.
const MAX_REGEX_CHARS: usize = 1_000;
/// How many bytes a regular expression may come to when it is compiled: a repetition of repetitions is short to write.
const MAX_REGEX_BYTES: usize = 64 * 1024;
/// Each counts as these bytes at least, and otherwise as the first power of two that it fits into.
const MIN_REGEX_BYTES: usize = 512;
/// What all regular expressions of a question may count together. The time of matching grows with it.
const MAX_REGEXES_BYTES: usize = 512 * 1024;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct BlankScoring {
    pub(crate) id: Id,
    pub(crate) scoring_algorithm: Algorithm,
    pub(crate) scoring_data: BlankAnswer,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Algorithm {
    TextCloseEnough,
    TextContainsAnswer,
    TextInChoices,
    TextRegex,
    Equivalence,
    TextEquivalence,
}

/// The right answer of a blank. Which members it has depends on the algorithm; the others are left out.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct BlankAnswer {
    pub(crate) value: Answer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blank_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ignore_case: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edit_distance: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) choice_id: Option<Id>,
}

#[derive(Serialize, Deserialize)]
#[serde(try_from = "Value", untagged)]
pub(crate) enum Answer {
    Text(String),
    Texts(Vec<String>),
}

impl TryFrom<Value> for Answer {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        let text = |value: Value| match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let answer = match value {
            Value::Array(list) => list.into_iter().map(text).collect::<Option<_>>().map(Self::Texts),
            one => text(one).map(Self::Text),
        };
        answer.ok_or("must be text or a list of texts")
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Answer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TextOrTexts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (text, texts) = (generator.subschema_for::<String>(), generator.subschema_for::<Vec<String>>());
        schemars::json_schema!({ "anyOf": [text, texts] })
    }
}

/// The regular expressions of a question, as long as they are not too large together.
pub(crate) struct Regexes {
    bytes_left: usize,
}

impl Regexes {
    pub(crate) fn new() -> Self {
        Self { bytes_left: MAX_REGEXES_BYTES }
    }

    /// The expression, compiled; `None`: it is none that can be run, or there is no room left for it.
    pub(crate) fn compile(&mut self, text: &str) -> Option<Regex> {
        let doubled = |bytes: &usize| bytes.checked_mul(2).filter(|bytes| *bytes <= MAX_REGEX_BYTES);
        let sizes = std::iter::successors(Some(MIN_REGEX_BYTES), doubled);
        let fitting = |bytes: usize| Some((RegexBuilder::new(text).size_limit(bytes).build().ok()?, bytes));
        let compiled = sizes.take_while(|bytes| *bytes <= self.bytes_left).find_map(fitting);
        // To find that one does not compile takes as long as the largest.
        let bytes = compiled.as_ref().map_or(MAX_REGEX_BYTES, |(_, bytes)| *bytes);
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        compiled.map(|(regex, _)| regex)
    }
}

impl BlankScoring {
    pub(crate) fn check(&self, blank: &Blank, words: &BTreeSet<&Id>, regexes: &mut Regexes) -> Result<()> {
        self.check_algorithm(blank)?;
        self.scoring_data.check(self.scoring_algorithm, blank, words, regexes)
    }

    /// Completes what the algorithm has, and leaves out what it has not.
    pub(crate) fn settle(&mut self) {
        self.scoring_data.settle(self.scoring_algorithm);
    }

    fn check_algorithm(&self, blank: &Blank) -> Result<()> {
        let allowed: &[(&str, Algorithm)] = match blank.answer_type {
            AnswerType::OpenEntry => &[
                ("TextCloseEnough", Algorithm::TextCloseEnough),
                ("TextContainsAnswer", Algorithm::TextContainsAnswer),
                ("TextInChoices", Algorithm::TextInChoices),
                ("TextRegex", Algorithm::TextRegex),
            ],
            AnswerType::Dropdown => &[("Equivalence", Algorithm::Equivalence)],
            AnswerType::WordBank => &[("TextEquivalence", Algorithm::TextEquivalence)],
        };
        if allowed.iter().any(|(_, algorithm)| *algorithm == self.scoring_algorithm) {
            return Ok(());
        }
        let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
        Err(not_included("scoring_data[value][][scoring_algorithm]", &names))
    }
}

impl BlankAnswer {
    /// The texts, or the id, that are right.
    pub(crate) fn texts(&self) -> &[String] {
        match &self.value {
            Answer::Text(text) => std::slice::from_ref(text),
            Answer::Texts(texts) => texts,
        }
    }

    fn check(&self, algorithm: Algorithm, blank: &Blank, words: &BTreeSet<&Id>, regexes: &mut Regexes) -> Result<()> {
        let value = "scoring_data[value][][scoring_data][value]";
        let texts = match (&self.value, algorithm) {
            (Answer::Texts(texts), Algorithm::TextInChoices) => texts.as_slice(),
            (Answer::Text(_), Algorithm::TextInChoices) => return Err(invalid_field(value, "must be a list of texts")),
            (Answer::Text(text), _) => std::slice::from_ref(text),
            (Answer::Texts(_), _) => return Err(invalid_field(value, "must be text")),
        };
        require_few(texts.len(), value)?;
        ensure(!texts.is_empty() && !texts.iter().any(|text| is_blank(text)), value, "can't be blank")?;
        match algorithm {
            Algorithm::TextContainsAnswer | Algorithm::TextInChoices => Ok(()),
            Algorithm::TextRegex => {
                for text in texts {
                    not_too_long(value, text, MAX_REGEX_CHARS)?;
                }
                if texts.iter().all(|text| regexes.compile(text).is_some()) {
                    return Ok(());
                }
                let is_one = |text: &String| Regexes::new().compile(text).is_some();
                ensure(texts.iter().all(is_one), value, "must be a regular expression")?;
                Err(invalid_field("scoring_data[value]", "has regular expressions that are too large together"))
            }
            Algorithm::Equivalence => {
                let known = texts.iter().all(|id| blank.has_choice(id));
                ensure(known, value, "must be the id of a choice of the blank")
            }
            Algorithm::TextEquivalence => {
                let in_bank = |id: &Id| words.contains(id);
                let field = "scoring_data[value][][scoring_data][choice_id]";
                ensure(self.choice_id.as_ref().is_some_and(in_bank), field, "must be the id of a word of the bank")
            }
            Algorithm::TextCloseEnough => {
                let far_enough = self.edit_distance.is_none_or(|distance| distance >= MIN_DISTANCE);
                let field = "scoring_data[value][][scoring_data][edit_distance]";
                ensure(far_enough, field, "must be greater than or equal to 1")
            }
        }
    }

    fn settle(&mut self, algorithm: Algorithm) {
        let (is_close, is_word) = (algorithm == Algorithm::TextCloseEnough, algorithm == Algorithm::TextEquivalence);
        self.ignore_case = is_close.then_some(self.ignore_case.unwrap_or(false));
        self.edit_distance = is_close.then_some(self.edit_distance.unwrap_or(MIN_DISTANCE));
        self.choice_id = self.choice_id.take().filter(|_| is_word);
    }
}
