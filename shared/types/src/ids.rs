//! Ids: one type for each kind of record, so that a course's id cannot stand where a quiz's id belongs.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::JsonSchema;
use crate::coerce::BLANK;

/// Hands the names of all id types to a macro, so that a crate above this one can give each of them what it has for ids.
#[macro_export]
macro_rules! for_each_id {
    ($callback:ident) => {
        $callback! {
            /// An account; a root account is a tenant.
            AccountId,
            /// A user.
            UserId,
            /// A course.
            CourseId,
            /// A term of a tenant: the part of a year in which courses are taught.
            EnrollmentTermId,
            /// A section of a course.
            SectionId,
            /// An enrollment of a user in a section.
            EnrollmentId,
            /// A group of users: of a course, or of an account.
            UserGroupId,
            /// A user's membership of a group.
            GroupMembershipId,
            /// An assignment of a course.
            AssignmentId,
            /// The work that a student has handed in for an assignment.
            SubmissionId,
            /// Dates of an assignment that are others for some students.
            AssignmentOverrideId,
            /// A classic quiz.
            QuizId,
            /// A student's way through a quiz.
            QuizSubmissionId,
            /// A question of a classic quiz.
            QuestionId,
            /// A group of questions of a classic quiz.
            GroupId,
            /// A bank of questions for classic quizzes.
            QuestionBankId,
            /// An entry of a new quiz.
            ItemId,
            /// A student's way through a new quiz.
            QuizSessionId,
            /// A correction of what is right in a question of a quiz, or of what it is worth, after it was answered.
            QuizRegradeId,
            /// The question of an item, or of an entry of a bank.
            QuestionItemId,
            /// A stimulus: what questions are about.
            StimulusId,
            /// A bank of items for new quizzes.
            BankId,
            /// An item or stimulus in a bank.
            BankEntryId,
            /// An import of what an institution's other systems know.
            SisImportId,
            /// An import into a course from elsewhere.
            ContentMigrationId,
            /// A problem of an import.
            MigrationIssueId,
            /// A package that is made of what is in a course, a group or a user's files.
            ContentExportId,
            /// A report of what attempts tell of a quiz.
            QuizReportId,
            /// The progress of work.
            ProgressId,
            /// A folder of files.
            FolderId,
            /// A file.
            AttachmentId,
            /// A file that is announced, and comes later.
            UploadId,
            /// A page of a course.
            PageId,
            /// An experience that users of a course talk with.
            AiExperienceId,
            /// A conversation with one.
            AiConversationId,
            /// A report of a problem.
            ErrorReportId,
            /// An address at which a user is told things.
            ChannelId,
            /// A message on a channel.
            MessageId,
            /// A poll: a question with its choices.
            PollId,
            /// A choice of a poll.
            PollChoiceId,
            /// A session of a poll: a course or section is asked.
            PollSessionId,
            /// A vote of somebody in a session of a poll.
            PollSubmissionId,
            /// A tool that is registered with an account.
            ToolProxyId,
            /// The registration of a tool that registers itself.
            ToolRegistrationId,
            /// A subscription of a tool.
            SubscriptionId,
            /// An event on its way to a subscription.
            DeliveryId,
            /// An issuer of badges.
            IssuerId,
            /// A class of badges that an issuer awards.
            BadgeClassId,
            /// An award of a badge.
            AssertionId,
            /// An access token.
            TokenId,
            /// A registered client of the OAuth2 endpoint.
            ClientId,
            /// A record of whatever kind.
            RecordId,
        }
    };
}

/// Declares the id types: a database id of 64 bits each.
macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NoId;

            fn from_str(text: &str) -> Result<Self, NoId> {
                digits(text).map($name)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(IdVisitor).map($name)
            }
        }
    )*};
}

for_each_id!(id_types);

/// The refusal of a text that is no id: an id is digits alone, and no more than 64 bits.
#[derive(Debug)]
pub struct NoId;

impl fmt::Display for NoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not an id")
    }
}

impl std::error::Error for NoId {}

/// The id in the digits of a text. `1~23` is 23 of the first service of its kind, which is this one.
fn digits(text: &str) -> Result<i64, NoId> {
    let text = text.strip_prefix("1~").unwrap_or(text);
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.parse().map_err(|_empty_or_too_long| NoId),
        false => Err(NoId),
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<i64, E> {
        Ok(id)
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<i64, E> {
        id.try_into().map_err(|_too_long| E::custom(NoId))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<i64, E> {
        match text.trim() {
            "" => Err(E::custom(BLANK)),
            _ => digits(text).map_err(E::custom),
        }
    }
}

/// A record as paths and parameters name it: by id, or by an id that an institution gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdOrAlias<Id> {
    /// `self`: the calling user, or the caller's root account.
    Own,
    /// `42`.
    Id(Id),
    /// `sis_course_id:BIO-101`: the prefix and the value, which `hex:sis_course_id:42494f` has in hexadecimal digits. Or
    /// a word for an account, without a value: `default`, `site_admin`.
    Other(String, String),
}

impl<'de, Id: FromStr> Deserialize<'de> for IdOrAlias<Id> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once(':') {
            Some(("hex", rest)) => {
                let (prefix, value) = rest.split_once(':').ok_or_else(|| de::Error::custom(NoId))?;
                let value = from_hex(value).ok_or_else(|| de::Error::custom(NoId))?;
                Ok(Self::Other(prefix.to_owned(), value))
            }
            Some((prefix, value)) => Ok(Self::Other(prefix.to_owned(), value.to_owned())),
            None if text.trim().is_empty() => Err(de::Error::custom(BLANK)),
            None if text == "self" => Ok(Self::Own),
            None if matches!(text.as_str(), "default" | "site_admin") => Ok(Self::Other(text, String::new())),
            None => text.parse().map(Self::Id).map_err(|_no_id| de::Error::custom(NoId)),
        }
    }
}

fn from_hex(digits: &str) -> Option<String> {
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<_>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(not(target_arch = "wasm32"))]
impl<Id> schemars::JsonSchema for IdOrAlias<Id> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IdOrAlias".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "An id, self, or sis_…_id:…" })
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::coerce;

    fn course(value: Value) -> Result<IdOrAlias<CourseId>, String> {
        coerce::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_record_is_named_in_several_ways() {
        let other = |prefix: &str, value: &str| IdOrAlias::Other(prefix.to_owned(), value.to_owned());
        assert_eq!(course(json!("42")).unwrap(), IdOrAlias::Id(CourseId(42)));
        assert_eq!(course(json!(42)).unwrap(), IdOrAlias::Id(CourseId(42)));
        assert_eq!(course(json!("1~42")).unwrap(), IdOrAlias::Id(CourseId(42)));
        assert_eq!(course(json!("self")).unwrap(), IdOrAlias::Own);
        assert_eq!(course(json!("sis_course_id:A:1")).unwrap(), other("sis_course_id", "A:1"));
        assert_eq!(course(json!("hex:sis_course_id:412f31")).unwrap(), other("sis_course_id", "A/1"));
    }

    #[test]
    fn what_is_no_id_names_nothing() {
        for text in [
            "",
            "+1",
            "-1",
            " 1",
            "1.0",
            "x",
            "99999999999999999999",
            "hex:sis_course_id:4",
            "hex:sis_course_id:ff",
            "2~1",
        ] {
            assert!(course(json!(text)).is_err(), "{text}");
            assert!(coerce::from_value::<CourseId>(json!(text)).is_err(), "{text}");
        }
    }
}
