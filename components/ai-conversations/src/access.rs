//! The way to a conversation, in this order: course, feature, membership, experience, conversation.
//!
//! The body with which this area answers that something is not there.

use http::StatusCode;
use serde_json::json;
use shared::auth::{CourseAccess, Right};
use shared::db::Json;
use shared::error::Kind;
use shared::needs::InCourse;
use shared::{Error, Result};

use crate::model::conversations::Conversation;
use crate::model::experiences::Experience;
use crate::store::needs::{InArea, NeededClassroom, NeededConversation, NeededExperience};

/// A course, and whether the caller manages what is taught in it.
pub(crate) struct Classroom {
    pub(crate) course: CourseAccess,
    pub(crate) manager: bool,
}

/// A conversation, and the experience it is with.
pub(crate) struct TalkRecords {
    pub(crate) classroom: Classroom,
    pub(crate) experience: Experience,
    pub(crate) conversation: Conversation,
}

/// 404, as this area says it.
pub(crate) fn not_found() -> Error {
    Error::own(StatusCode::NOT_FOUND, json!({"error": "Resource Not Found"}))
}

/// The course, for those who belong to it.
pub(crate) fn classroom(needed: NeededClassroom) -> Result<Classroom> {
    let InCourse { course, record } = needed.into_record();
    Classroom::of(course, record.is_on)
}

/// The experience, whether published or not.
pub(crate) fn experience(needed: NeededExperience) -> Result<(Classroom, Experience)> {
    let InArea(InCourse { course, record }) = needed.into_record();
    let classroom = Classroom::of(course, record.is_on)?;
    let Json(experience) = record.experience.ok_or_else(not_found)?;
    Ok((classroom, experience))
}

/// The experience, as who calls may read it: one that is not published is there for those alone who manage it.
pub(crate) fn readable_experience(needed: NeededExperience) -> Result<(Classroom, Experience)> {
    let (classroom, experience) = experience(needed)?;
    let is_readable = classroom.manager || experience.workflow_state == "published";
    if is_readable { Ok((classroom, experience)) } else { Err(not_found()) }
}

/// The error as a page tells it: the body in which this area says that something is not there is for programs.
pub(crate) fn on_page(error: Error) -> Error {
    match error.kind() {
        Kind::Own { status: StatusCode::NOT_FOUND, .. } => Error::not_found(),
        _ => error,
    }
}

/// The conversation: any of the experience for those who manage it, for others their own while it is active.
pub(crate) fn conversation(needed: NeededConversation) -> Result<TalkRecords> {
    let InArea(InCourse { course, record }) = needed.into_record();
    let classroom = Classroom::of(course, record.is_on)?;
    let Json(experience) = record.experience.ok_or_else(not_found)?;
    let conversation = record.conversation.map(|Json(conversation)| conversation);
    let conversation = conversation.filter(|conversation| classroom.manager || conversation.is_own);
    Ok(TalkRecords { classroom, experience, conversation: conversation.ok_or_else(not_found)? })
}

impl Classroom {
    fn of(course: CourseAccess, is_on: bool) -> Result<Self> {
        if !is_on {
            return Err(not_found());
        }
        let manager = course.can(Right::ManageAssignments);
        let member = course.is_member() && course.can(Right::Read);
        if !(manager || member) {
            return Err(Error::forbidden());
        }
        Ok(Self { course, manager })
    }

    /// True if the caller may begin conversations and go on with them: in a concluded course those alone who manage what is
    /// taught. Others read.
    pub(crate) fn may_talk(&self) -> bool {
        self.manager || self.course.workflow_state == "available"
    }

    /// 403 unless the caller may begin conversations and go on with them.
    pub(crate) fn require_talking(&self) -> Result<()> {
        if self.may_talk() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller manages what is taught.
    pub(crate) fn require_manage(&self) -> Result<()> {
        if self.manager { Ok(()) } else { Err(Error::forbidden()) }
    }
}
