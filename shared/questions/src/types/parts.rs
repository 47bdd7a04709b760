//! The parts of the data of several types.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use shared::{JsonSchema, Result};
use uuid::Uuid;

use crate::number::Number;
use crate::rich::Rich;
use crate::types::ensure;

/// An id that the author's program made: a UUID, kept as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, extend("format" = "uuid"))]
pub(crate) struct Id(String);

impl Id {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
        if is_hyphenated && Uuid::try_parse(&text).is_ok() { Ok(Self(text)) } else { Err("must be a UUID") }
    }
}

/// A number that is written as text, and kept as it was written.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct NumberText {
    text: String,
    number: Number,
}

impl NumberText {
    pub(crate) fn number(&self) -> &Number {
        &self.number
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl TryFrom<String> for NumberText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match Number::parse(&text) {
            Some(number) => Ok(Self { text, number }),
            None => Err("must be a number"),
        }
    }
}

impl From<NumberText> for String {
    fn from(number: NumberText) -> Self {
        number.text
    }
}

/// A count that is written as text, and kept as it was written.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct CountText {
    pub(crate) text: String,
    pub(crate) value: u32,
}

impl CountText {
    pub(crate) fn value(&self) -> u32 {
        self.value
    }
}

impl TryFrom<String> for CountText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.trim().parse() {
            Ok(value) => Ok(Self { text, value }),
            Err(_) => Err("must be a whole number"),
        }
    }
}

impl From<CountText> for String {
    fn from(count: CountText) -> Self {
        count.text
    }
}

/// The part of a type that has none: whatever is sent, it stays empty.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// A text with an id, in a map whose keys are the ids.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Labelled {
    pub(crate) id: Id,
    #[serde(alias = "itemBody")]
    pub(crate) item_body: Rich,
}

impl Labelled {
    pub(crate) fn check(&self, key: &Id, field: &str) -> Result<()> {
        ensure(self.id == *key, field, "must have ids that are equal to their keys")?;
        ensure(!self.item_body.is_blank(), &format!("{field}[item_body]"), "can't be blank")
    }
}

/// The properties of a type whose questions could be shuffled.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShuffledQuestions {
    #[serde(default, alias = "shuffleRules", skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle_rules: Option<QuestionRules>,
}

impl ShuffledQuestions {
    pub(crate) fn is_shuffled(&self) -> bool {
        let questions = self.shuffle_rules.as_ref().and_then(|rules| rules.questions.as_ref());
        questions.is_some_and(|rule| rule.shuffled)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuestionRules {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) questions: Option<Shuffled>,
}

/// True if something is shown in another order to each student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Shuffled {
    #[serde(default)]
    pub(crate) shuffled: bool,
}

/// The most choices, blanks, answers, points or other parts that a list or map of a question has.
const MAX_PARTS: usize = 500;

/// Refuses a list or map of more parts than a question has.
pub(crate) fn require_few(count: usize, field: &str) -> Result<()> {
    ensure(count <= MAX_PARTS, field, "has too many parts (maximum is 500)")
}

/// Reads a list or an object, or nothing: null, or a blank text, because forms have no null.
pub(crate) fn none_if_blank<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(NoneIfBlank(PhantomData))
}

/// Reads such a member so that its absence is told apart.
pub(crate) fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    none_if_blank(deserializer).map(Some)
}

struct NoneIfBlank<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NoneIfBlank<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        if text.trim().is_empty() { Ok(None) } else { Err(E::invalid_type(Unexpected::Str(text), &self)) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(Some)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

/// True if no two are the same.
pub(crate) fn are_unique<T: Ord>(ids: impl IntoIterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    ids.into_iter().all(|id| seen.insert(id))
}

/// True if both name the same, each once.
pub(crate) fn are_the_same<T: Ord>(
    some: impl IntoIterator<Item = T> + Clone,
    others: impl IntoIterator<Item = T>,
) -> bool {
    let others: Vec<T> = others.into_iter().collect();
    let (count, set) = (others.len(), others.into_iter().collect::<BTreeSet<_>>());
    set.len() == count && are_unique(some.clone()) && some.into_iter().collect::<BTreeSet<_>>() == set
}

/// True if the text has something to read.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
