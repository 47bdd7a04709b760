//! Ids: one type for each kind of record, so that a course's id cannot stand where a quiz's id belongs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares the id types: a database id of 64 bits each.
macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map($name)
            }
        }

        impl crate::db::Bind for $name {
            fn value(self) -> crate::db::Value {
                crate::db::Value::Integer(self.0)
            }
        }
    )*};
}

id_types! {
    /// An account; a root account is a tenant.
    AccountId,
    /// A user.
    UserId,
    /// A course.
    CourseId,
    /// A section of a course.
    SectionId,
    /// An enrollment of a user in a section.
    EnrollmentId,
    /// An assignment of a course.
    AssignmentId,
    /// A classic quiz.
    QuizId,
    /// A question of a classic quiz.
    QuestionId,
    /// A group of questions of a classic quiz.
    GroupId,
    /// A bank of questions for classic quizzes.
    QuestionBankId,
    /// An entry of a new quiz.
    ItemId,
    /// The question of an item, or of an entry of a bank.
    QuestionItemId,
    /// A stimulus: what questions are about.
    StimulusId,
    /// A bank of items for new quizzes.
    BankId,
    /// An item or stimulus in a bank.
    BankEntryId,
    /// What came into a course from elsewhere.
    ContentMigrationId,
    /// An access token.
    TokenId,
    /// A registered client of the OAuth2 endpoint.
    ClientId,
}

/// A record as paths and parameters name it: by id, or by an id that an institution gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named<Id> {
    /// `self`: the calling user, or the caller's root account.
    Own,
    /// `42`.
    Id(Id),
    /// `sis_course_id:BIO-101`: the prefix and the value.
    Other(String, String),
}

impl<'de, Id: FromStr> Deserialize<'de> for Named<Id> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "self" {
            return Ok(Self::Own);
        }
        if let Some((prefix, value)) = text.split_once(':') {
            return Ok(Self::Other(prefix.to_owned(), value.to_owned()));
        }
        text.parse().map(Self::Id).map_err(|_not_a_number| serde::de::Error::custom("is not an id"))
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<Id> schemars::JsonSchema for Named<Id> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Named".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "An id, `self`, or `sis_…_id:…`" })
    }
}

/// Writes an id as text, for the records whose ids are strings on the wire.
pub fn as_text<Id: fmt::Display, S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

/// Writes an id that may be absent as text.
pub fn as_text_or_null<Id: fmt::Display, S: Serializer>(id: &Option<Id>, serializer: S) -> Result<S::Ok, S::Error> {
    match id {
        Some(id) => serializer.collect_str(id),
        None => serializer.serialize_none(),
    }
}
