//! The quiz that a path names. Whoever may edit its course's assignments may see and edit it: an item holds its answers.

use serde::Deserialize;
use shared::auth::{self, CourseAccess, Right};
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, CourseId, Named};
use shared::{Context, JsonSchema, Result};

use crate::store;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct QuizPath {
    pub(crate) course_id: Named<CourseId>,
    /// The assignment of the quiz.
    pub(crate) assignment_id: AssignmentId,
}

/// A new quiz, known by its assignment.
pub(crate) struct Quiz {
    pub(crate) id: AssignmentId,
    pub(crate) course: CourseAccess,
}

pub(crate) async fn managed(cx: &Context, course: &Named<CourseId>, assignment: AssignmentId) -> Result<Quiz> {
    let course = auth::course(&cx.db, cx.caller()?, course).await?;
    let id = store::quiz(&cx.db, course.id, assignment).await?.or_not_found()?;
    course.must(Right::ManageAssignments)?;
    Ok(Quiz { id, course })
}

pub(crate) async fn managed_course(cx: &Context, course: &Named<CourseId>) -> Result<CourseAccess> {
    let course = auth::course(&cx.db, cx.caller()?, course).await?;
    course.must(Right::ManageAssignments)?;
    Ok(course)
}
