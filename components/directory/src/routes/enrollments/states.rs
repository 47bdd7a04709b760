//! The way of an enrollment: it is accepted or rejected by its user, ended and taken up again by staff.

use serde::{Deserialize, Serialize};
use shared::auth::{self, CourseAccess};
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{CourseId, EnrollmentId, IdOrAlias};
use shared::notify::Notifier;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::enrollments::{Enrollment, State};
use crate::notices;
use crate::routes::enrollments::enrolling::may_enroll_directly;
use crate::routes::enrollments::require_manage;
use crate::store::enrollments::{self as store, KnownEnrollment, Reader, View};

endpoints![end_enrollment, reactivate_enrollment, accept_enrollment, reject_enrollment];

/// The states of those who have agreed, or need not: only they become `active` again by the word of staff.
const TOOK_PART: [State; 3] = [State::Active, State::Inactive, State::Completed];

#[derive(Deserialize, JsonSchema)]
struct EnrollmentPath {
    course_id: IdOrAlias<CourseId>,
    id: EnrollmentId,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct End {
    task: Task,
}

/// The end of an enrollment.
#[derive(Deserialize, Default, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Task {
    #[default]
    Conclude,
    Delete,
    /// The same as `inactivate`.
    Deactivate,
    Inactivate,
}

#[derive(Serialize, JsonSchema)]
struct Success {
    success: bool,
}

/// Concludes, deactivates or deletes an enrollment.
#[endpoint(DELETE "/api/v1/courses/:course_id/enrollments/:id")]
async fn end_enrollment(
    cx: Context,
    Path(at): Path<EnrollmentPath>,
    body: Form<End>,
) -> Result<Reply<BuiltJson<Enrollment>>> {
    let (course, enrollment) = find(&cx, &at).await?;
    require_manage(&course, enrollment.r#type)?;
    course.require_section(Some(enrollment.course_section_id))?;
    let state = match body.decode()?.task {
        Task::Conclude => State::Completed,
        Task::Delete => State::Deleted,
        Task::Deactivate | Task::Inactivate => State::Inactive,
    };
    let from = (state != State::Deleted && !may_enroll_directly(&cx, &course).await?).then_some(&TOOK_PART[..]);
    let view = View::new(Reader::of(&course), &cx.base_url().await?);
    let ended = store::set_state(&cx.db, view, enrollment.id, from, state, cx.now).await?;
    Ok(Reply::ok(ended.ok_or_else(|| Error::bad_request("The invitation is pending: it can be deleted"))?))
}

/// Takes up an enrollment that was inactive.
#[endpoint(PUT "/api/v1/courses/:course_id/enrollments/:id/reactivate")]
async fn reactivate_enrollment(cx: Context, Path(at): Path<EnrollmentPath>) -> Result<Reply<BuiltJson<Enrollment>>> {
    let (course, enrollment) = find(&cx, &at).await?;
    require_manage(&course, enrollment.r#type)?;
    course.require_section(Some(enrollment.course_section_id))?;
    let view = View::new(Reader::of(&course), &cx.base_url().await?);
    let from = Some(&[State::Inactive][..]);
    let active = store::set_state(&cx.db, view, enrollment.id, from, State::Active, cx.now).await?;
    Ok(Reply::ok(active.ok_or_else(|| Error::bad_request("enrollment not inactive"))?))
}

/// Accepts the caller's own invitation.
#[endpoint(POST "/api/v1/courses/:course_id/enrollments/:id/accept")]
async fn accept_enrollment(cx: Context, Path(at): Path<EnrollmentPath>) -> Result<Reply<Success>> {
    answer(&cx, &at, State::Active).await
}

/// Rejects the caller's own invitation.
#[endpoint(POST "/api/v1/courses/:course_id/enrollments/:id/reject")]
async fn reject_enrollment(cx: Context, Path(at): Path<EnrollmentPath>) -> Result<Reply<Success>> {
    answer(&cx, &at, State::Rejected).await
}

/// Only the one who is invited answers the invitation.
async fn answer(cx: &Context, at: &EnrollmentPath, state: State) -> Result<Reply<Success>> {
    let (course, enrollment) = find(cx, at).await?;
    if enrollment.user_id != cx.caller()?.user {
        return Err(Error::forbidden());
    }
    let notifier = Notifier::of(cx).await?;
    let transaction = cx.db.transaction(async |db| {
        if !store::answer(db, enrollment.id, state, cx.now).await? {
            return Err(Error::bad_request("no current invitation"));
        }
        if state == State::Active {
            notices::accepted(db, &notifier, &course, enrollment.user_id, &enrollment.user_name).await?;
        }
        Ok::<_, Error>(())
    });
    transaction.await?;
    Ok(Reply::ok(Success { success: true }))
}

async fn find(cx: &Context, at: &EnrollmentPath) -> Result<(CourseAccess, KnownEnrollment)> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    let enrollment = store::known(&cx.db, course.id, at.id).await?.or_not_found()?;
    Ok((course, enrollment))
}
