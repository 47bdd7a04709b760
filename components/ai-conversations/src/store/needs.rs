//! The needs of the area's endpoints: a course with what is talked with in it, in the statement that finds the caller.

use std::borrow::Cow;

use serde::Deserialize;
use shared::auth::section_limit::has_member_sql;
use shared::db::Json;
use shared::needs::{NeededInCourse, OfCourse, nested};
use shared::{Result, features};

use crate::model::conversations::Conversation;
use crate::model::experiences::Experience;
use crate::store::experiences;

/// A course in which AI experiences may be switched on.
pub(crate) type NeededClassroom = NeededInCourse<Feature>;
/// The same with the experience that the path names.
pub(crate) type NeededExperience = NeededInCourse<ExperienceNamed>;
/// The same with the conversation that the path names.
pub(crate) type NeededConversation = NeededInCourse<ConversationNamed>;

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

impl OfCourse for ExperienceNamed {
    const WORDS: &'static [&'static str] = &["ai_experiences"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(format!("SELECT {} AS is_on, {} AS experience", is_on(), experience()?).into())
    }
}

impl OfCourse for ConversationNamed {
    const WORDS: &'static [&'static str] = &["ai_experiences", "conversations"];

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
