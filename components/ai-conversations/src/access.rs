//! Who comes to what, in this order: course, feature, membership, experience, conversation.
//!
//! What this area does not find it says in a body of its own.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use shared::auth::{self, CourseAccess, Right};
use shared::ids::{AiConversationId, AiExperienceId, CourseId, Named};
use shared::{Context, Error, JsonSchema, Result, features};

use crate::model::conversations::Conversation;
use crate::model::experiences::Experience;
use crate::store::{conversations, experiences};

/// A course, and whether the caller manages what is taught in it.
pub(crate) struct Classroom {
    pub(crate) course: CourseAccess,
    pub(crate) manager: bool,
}

/// A conversation, and the experience it is with.
pub(crate) struct Found {
    pub(crate) classroom: Classroom,
    pub(crate) experience: Experience,
    pub(crate) conversation: Conversation,
}

/// `/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ConversationsPath {
    pub(crate) course_id: Named<CourseId>,
    pub(crate) ai_experience_id: AiExperienceId,
}

/// The same with the id of one.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ConversationPath {
    pub(crate) course_id: Named<CourseId>,
    pub(crate) ai_experience_id: AiExperienceId,
    pub(crate) id: AiConversationId,
}

/// 404, as this area says it.
pub(crate) fn not_found() -> Error {
    Error::own(StatusCode::NOT_FOUND, json!({"error": "Resource Not Found"}))
}

/// The course, for those who belong to it.
pub(crate) async fn classroom(cx: &Context, course: &Named<CourseId>) -> Result<Classroom> {
    let course = auth::course(&cx.db, cx.caller()?, course).await?;
    if !features::is_on(&cx.db, course.account, "ai_experiences").await? {
        return Err(not_found());
    }
    let manager = course.can(Right::ManageAssignments);
    let member = course.is_member() && course.can(Right::Read);
    if !(manager || member) {
        return Err(Error::forbidden());
    }
    Ok(Classroom { course, manager })
}

impl Classroom {
    /// 403 unless the caller manages what is taught.
    pub(crate) fn must_manage(&self) -> Result<()> {
        if self.manager { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// The experience, whether published or not.
pub(crate) async fn experience(
    cx: &Context,
    course: &Named<CourseId>,
    id: AiExperienceId,
) -> Result<(Classroom, Experience)> {
    let classroom = classroom(cx, course).await?;
    let experience = experiences::find(&cx.db, classroom.course.id, id).await?.ok_or_else(not_found)?;
    Ok((classroom, experience))
}

/// The conversation: any of the experience for those who manage it, for others their own while it is active.
pub(crate) async fn conversation(
    cx: &Context,
    course: &Named<CourseId>,
    experience: AiExperienceId,
    id: AiConversationId,
) -> Result<Found> {
    let (classroom, experience) = self::experience(cx, course, experience).await?;
    let owner = if classroom.manager { None } else { Some(cx.caller()?.user) };
    let conversation = conversations::find(&cx.db, experience.id, id, owner).await?.ok_or_else(not_found)?;
    Ok(Found { classroom, experience, conversation })
}

impl ConversationPath {
    /// The conversation that the path names.
    pub(crate) async fn find(&self, cx: &Context) -> Result<Found> {
        conversation(cx, &self.course_id, self.ai_experience_id, self.id).await
    }
}
