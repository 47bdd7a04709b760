//! The needs of the area's endpoints: a course with what is talked with in it, in the statement that finds the caller.
//!
//! The area says by itself that an experience or a conversation is not there. So an id that cannot be read is looked for, too,
//! and found nowhere.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::auth::section_limit::has_member_sql;
use shared::db::{Bind, Json};
use shared::ids::RecordId;
use shared::needs::{InCourse, Lookup, MatchedPath, Needed, NeededInCourse, OfCourse, Record, nested};
use shared::{Result, features};

use crate::model::conversations::Conversation;
use crate::model::experiences::Experience;
use crate::store::experiences;

/// A course in which AI experiences may be switched on.
pub(crate) type NeededClassroom = NeededInCourse<Feature>;
/// The same with the experience that the path names.
pub(crate) type NeededExperience = Needed<InArea<ExperienceNamed>>;
/// The same with the conversation that the path names.
pub(crate) type NeededConversation = Needed<InArea<ConversationNamed>>;

/// A record of the area in a course.
#[derive(Deserialize)]
#[serde(transparent, bound = "")]
pub(crate) struct InArea<T: DeserializeOwned>(pub(crate) InCourse<T>);

/// The record of an [`InArea`]. To its course it names no ids, because one that cannot be read would be a 404 there.
pub(crate) trait OfArea: OfCourse {
    /// The words of the path that its ids stand behind.
    const IDS: &'static [&'static str];
}

/// True if AI experiences are switched on.
#[derive(Deserialize)]
pub(crate) struct Feature {
    pub(crate) is_on: bool,
}

/// The experience of a path: what there is of it.
#[derive(Deserialize)]
pub(crate) struct ExperienceNamed {
    pub(crate) is_on: bool,
    pub(crate) experience: Option<Json<Experience>>,
}

/// The conversation of a path, and the experience it is with: what there is of them, in the sections that the caller is
/// limited to.
#[derive(Deserialize)]
pub(crate) struct ConversationNamed {
    pub(crate) is_on: bool,
    pub(crate) experience: Option<Json<Experience>>,
    pub(crate) conversation: Option<Json<Conversation>>,
}

impl<T: OfArea> Record for InArea<T> {
    const IDS: &'static [&'static str] = T::IDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (sql, mut values) = InCourse::<T>::lookup(path)?.into_parts();
        // The parameters of the record are numbered from after those of the course.
        values.extend(T::IDS.iter().map(|word| id(path, word).value()));
        Ok(Lookup::new(sql, values))
    }
}

/// The id behind that word of the path; none where it cannot be read.
pub(super) fn id(path: MatchedPath<'_>, word: &str) -> Option<RecordId> {
    path.behind(word).ok().flatten()
}

fn is_on() -> String {
    features::is_on_sql("course.account", "'ai_experiences'")
}

/// The experience `?1` as an expression; null where the course has none like that.
fn experience() -> Result<String> {
    nested::<Experience>(&experiences::experience())
}

impl OfCourse for Feature {
    const WORDS: &'static [&'static str] = &[];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(format!("SELECT {} AS is_on", is_on()).into())
    }
}

impl OfArea for ExperienceNamed {
    const IDS: &'static [&'static str] = &["ai_experiences"];
}

impl OfCourse for ExperienceNamed {
    const WORDS: &'static [&'static str] = &[];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(format!("SELECT {} AS is_on, {} AS experience", is_on(), experience()?).into())
    }
}

impl OfArea for ConversationNamed {
    const IDS: &'static [&'static str] = &["ai_experiences", "conversations"];
}

impl OfCourse for ConversationNamed {
    const WORDS: &'static [&'static str] = &[];

    fn sql() -> Result<Cow<'static, str>> {
        let is_seen = has_member_sql("course.section_limit", "t.user_id", "course.id");
        let conversation = nested::<Conversation>(&format!(
            "SELECT t.id, t.user_id = caller.user_id AND t.workflow_state = 'active' AS is_own
             FROM ai_conversations t
             WHERE t.id = ?2 AND t.ai_experience_id = ?1 AND t.workflow_state <> 'deleted'
               AND (course.admin OR t.user_id = caller.user_id OR {is_seen})",
        ))?;
        let (is_on, experience) = (is_on(), experience()?);
        Ok(format!("SELECT {is_on} AS is_on, {experience} AS experience, {conversation} AS conversation").into())
    }
}
