//! Sessions of polls, as they are answered.

use serde::{Deserialize, Serialize};
use shared::auth::SectionLimit;
use shared::db::BuiltJson;
use shared::ids::{CourseId, PollId, PollSessionId, SectionId};
use shared::{Error, JsonSchema, Result, Timestamp};

use crate::model::polls::Counts;
use crate::model::submissions::PollSubmission;

/// A course, or one of its sections, that is asked.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PollSession {
    pub(crate) id: PollSessionId,
    pub(crate) poll_id: PollId,
    pub(crate) course_id: CourseId,
    /// Null: the whole course is asked.
    pub(crate) course_section_id: Option<SectionId>,
    /// True if submissions are taken.
    pub(crate) is_published: bool,
    pub(crate) created_at: Timestamp,
    /// True if the caller has a submission in it.
    pub(crate) has_submitted: bool,
    /// All submissions for those who see the results, the caller's own for others.
    pub(crate) poll_submissions: BuiltJson<Vec<PollSubmission>>,
    /// True if everybody in it sees how many chose what. Only for those who do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) has_public_results: Option<bool>,
    /// The number of submissions of each choice that has any. Only for those who may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) results: Option<BuiltJson<Counts>>,
    /// The sections of the course that the caller is limited to.
    #[serde(skip_serializing)]
    pub(crate) section_limit: SectionLimit,
    #[serde(skip_serializing)]
    pub(crate) runs: bool,
}

/// What the caller may do with a session.
#[derive(Deserialize)]
pub(crate) struct SessionRights {
    runs: bool,
    may_read: bool,
}

impl PollSession {
    pub(crate) fn require_changeable(&self) -> Result<()> {
        if self.runs { Ok(()) } else { Err(Error::forbidden()) }
    }
}

impl SessionRights {
    pub(crate) fn require_readable(&self) -> Result<()> {
        if self.runs || self.may_read { Ok(()) } else { Err(Error::forbidden()) }
    }
}
