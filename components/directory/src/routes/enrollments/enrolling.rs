//! Enrolling: a user becomes part of a course.

use serde::Deserialize;
use shared::auth::{self, CourseAccess};
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::features::{self, DIRECT_ENROLLMENT};
use shared::ids::{IdOrAlias, SectionId, UserId};
use shared::needs::{HasCourse, NeededCourse, may};
use shared::notify::Notifier;
use shared::params::coerce;
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::enrollments::{Enrollment, Role, State};
use crate::model::unsupported;
use crate::notices;
use crate::routes::enrollments::require_manage;
use crate::store::enrollments::{self as store, NewEnrollment, Reader, View};
use crate::store::sections::{self, NeededSection};

endpoints![create_course_enrollment, create_section_enrollment];

#[derive(Deserialize, JsonSchema)]
struct EnrollmentBody {
    enrollment: EnrollmentForm,
}

#[derive(Deserialize, JsonSchema)]
struct EnrollmentForm {
    user_id: IdOrAlias<UserId>,
    /// `StudentEnrollment` unless given.
    #[serde(default)]
    r#type: Option<String>,
    /// Stands for the type where that is not given.
    #[serde(default)]
    role: Option<String>,
    /// `active`, `invited` or `inactive`; a new enrollment is `invited` unless given. Staff of the course invite,
    /// unless the account has the feature `direct_enrollment`.
    #[serde(default)]
    enrollment_state: Option<String>,
    #[serde(default)]
    course_section_id: Option<IdOrAlias<SectionId>>,
    /// Only for observers.
    #[serde(default)]
    associated_user_id: Option<IdOrAlias<UserId>>,
    #[serde(default)]
    limit_privileges_to_course_section: Option<bool>,
}

/// Enrolls a user in a course.
#[endpoint(POST "/api/v1/courses/:course_id/enrollments", unsupported(unsupported::ENROLLMENT))]
async fn create_course_enrollment(
    cx: Context,
    course: NeededCourse<may::ManageEnrollments>,
    body: Form<EnrollmentBody>,
) -> Result<Reply<BuiltJson<Enrollment>>> {
    let form = body.decode()?.enrollment;
    let section = match &form.course_section_id {
        Some(named) => Some(section_in(&cx, &course, named).await?),
        None => None,
    };
    enroll(&cx, &course, section, form).await
}

/// Enrolls a user in a section.
#[endpoint(POST "/api/v1/sections/:section_id/enrollments", unsupported(unsupported::ENROLLMENT))]
async fn create_section_enrollment(
    cx: Context,
    section: NeededSection<may::ManageEnrollments>,
    body: Form<EnrollmentBody>,
) -> Result<Reply<BuiltJson<Enrollment>>> {
    enroll(&cx, section.course(), Some(section.id), body.decode()?.enrollment).await
}

async fn enroll(
    cx: &Context,
    course: &CourseAccess,
    section: Option<SectionId>,
    form: EnrollmentForm,
) -> Result<Reply<BuiltJson<Enrollment>>> {
    let role = role(&form)?;
    let state = state(form.enrollment_state.as_deref())?;
    require_manage(course, role)?;
    let state = if may_enroll_directly(cx, course).await? { state } else { invited(state)? };
    if course.workflow_state == "completed" {
        return Err(Error::bad_request("Can't add an enrollment to a concluded course."));
    }
    let user = auth::user(&cx.db, cx.caller()?, &form.user_id).await?;
    let observed = observed(cx, course, role, form.associated_user_id.as_ref()).await?;
    let section = match section {
        Some(section) => section,
        None => sections::default(&cx.db, course.id, cx.now).await?,
    };
    course.require_section(Some(section))?;
    let limited = limit(course, form.limit_privileges_to_course_section)?;
    let new = NewEnrollment { section, user: user.id, observed, role, state, limited };
    let notifier = Notifier::of(cx).await?;
    let view = View::new(Reader::of(course), &cx.base_url().await?);
    let enrollment = cx.db.transaction(async |db| {
        let before = store::state_of(db, &new).await?;
        let enrollment = store::upsert(db, view, new, cx.now).await?.or_not_found()?;
        notices::enrolled(db, &notifier, course, before, &enrollment.read()?, cx.now).await?;
        Ok::<_, Error>(enrollment)
    });
    Ok(Reply::ok(enrollment.await?))
}

/// True if a new enrollment limits its user to the section. Who is limited so lets nobody out.
fn limit(course: &CourseAccess, asked: Option<bool>) -> Result<Option<bool>> {
    match asked {
        asked if course.section_limit().is_none() => Ok(asked),
        Some(false) => Err(Error::forbidden()),
        _ => Ok(Some(true)),
    }
}

/// True if the caller decides for others that they take part: an administrator does, the staff of the course where the
/// account lets them. Otherwise they could make anybody of the tenant a participant, and learn logins and SIS ids by
/// that.
pub(crate) async fn may_enroll_directly(cx: &Context, course: &CourseAccess) -> Result<bool> {
    Ok(course.admin || features::is_on(&cx.db, course.account, DIRECT_ENROLLMENT).await?)
}

/// The state that somebody asks for who may only invite: who is active stays so.
fn invited(state: Option<State>) -> Result<Option<State>> {
    match state {
        Some(State::Inactive) => Err(Error::forbidden()),
        Some(State::Active) => Ok(None),
        state => Ok(state),
    }
}

async fn section_in(cx: &Context, course: &CourseAccess, named: &IdOrAlias<SectionId>) -> Result<SectionId> {
    let section = sections::section(&cx.db, cx.caller()?, named).await?;
    if section.course().id == course.id { Ok(section.id) } else { Err(Error::not_found()) }
}

/// Whom an observer observes: somebody of the course's tenant.
async fn observed(
    cx: &Context,
    course: &CourseAccess,
    role: Role,
    named: Option<&IdOrAlias<UserId>>,
) -> Result<Option<UserId>> {
    let Some(named) = named else { return Ok(None) };
    if role != Role::Observer {
        return Err(Error::invalid("associated_user_id", "invalid", "is for an ObserverEnrollment only"));
    }
    let user = auth::user(&cx.db, cx.caller()?, named).await?;
    if user.root_account == course.root_account { Ok(Some(user.id)) } else { Err(Error::not_found()) }
}

fn role(form: &EnrollmentForm) -> Result<Role> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    match given(&form.r#type).or_else(|| given(&form.role)) {
        None => Ok(Role::Student),
        Some(name) => {
            coerce::from_value(name.into()).map_err(|_unknown| Error::invalid("type", "inclusion", "Invalid type"))
        }
    }
}

fn state(name: Option<&str>) -> Result<Option<State>> {
    match name {
        None | Some("") => Ok(None),
        Some("active") => Ok(Some(State::Active)),
        Some("invited") => Ok(Some(State::Invited)),
        Some("inactive") => Ok(Some(State::Inactive)),
        Some(_) => Err(Error::invalid("enrollment_state", "inclusion", "must be one of active, invited, inactive")),
    }
}
