//! Enrollments: who takes part in a course, in which section, and as what.

pub(crate) mod enrolling;
pub(crate) mod states;

use serde::Deserialize;
use shared::auth::{self, CourseAccess, Right};
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{AccountId, EnrollmentId};
use shared::needs::{HasCourse, NeededAccount, NeededCourse, NeededUser, may};
use shared::prefetch::PrefetchedBuiltList;
use shared::{Context, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::enrollments::{Enrollment, Filter, Role};
use crate::model::unsupported;
use crate::store::enrollments::{self as store, EnrollmentFilter, EnrollmentsOfCourse, Reader, Scope, View};
use crate::store::sections::NeededSection;
use crate::store::terms;

endpoints![list_course_enrollments, list_section_enrollments, list_user_enrollments, get_enrollment];

#[derive(Deserialize, JsonSchema)]
struct AccountEnrollmentPath {
    id: EnrollmentId,
}

/// Lists the enrollments of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/enrollments",
    students(200, "those in a course know each other by name"),
    unsupported(unsupported::ENROLLMENTS),
)]
async fn list_course_enrollments(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    enrollments: PrefetchedBuiltList<EnrollmentsOfCourse>,
    body: Query<Filter>,
) -> Result<Reply<Vec<BuiltJson<Enrollment>>>> {
    let filter = body.decode()?;
    // First it is known whether there is such a user, or such a term.
    if filter.names_record() {
        return list(&cx, Scope::Course(course.id), course.root_account, Some(&course), filter).await;
    }
    // Without an address there is no list.
    cx.base_url().await?;
    Ok(Reply::built_page(enrollments.page(&cx.page().await?)?))
}

/// Lists the enrollments of a section.
#[endpoint(
    GET "/api/v1/sections/:section_id/enrollments",
    students(200, "those in a course know each other by name"),
    numbered_pages,
    unsupported(unsupported::ENROLLMENTS),
)]
async fn list_section_enrollments(
    cx: Context,
    section: NeededSection<may::ReadRoster>,
    body: Query<Filter>,
) -> Result<Reply<Vec<BuiltJson<Enrollment>>>> {
    let course = section.course();
    list(&cx, Scope::Section(section.id), course.root_account, Some(course), body.decode()?).await
}

/// Lists the enrollments of a user.
#[endpoint(GET "/api/v1/users/:user_id/enrollments", numbered_pages, unsupported(unsupported::ENROLLMENTS))]
async fn list_user_enrollments(
    cx: Context,
    user: NeededUser<may::ActFor>,
    body: Query<Filter>,
) -> Result<Reply<Vec<BuiltJson<Enrollment>>>> {
    list(&cx, Scope::User(user.id), user.root_account, None, body.decode()?).await
}

/// Those of a course as the caller may see them in it; a user's own all of them.
async fn list(
    cx: &Context,
    scope: Scope,
    root_account: AccountId,
    course: Option<&CourseAccess>,
    filter: Filter,
) -> Result<Reply<Vec<BuiltJson<Enrollment>>>> {
    let user = match &filter.user_id {
        Some(named) => Some(auth::user(&cx.db, cx.caller()?, named).await?.id),
        None => None,
    };
    let term = match &filter.enrollment_term_id {
        Patch::Value(named) => Some(terms::term(&cx.db, root_account, named).await?.or_not_found()?.id),
        Patch::Null | Patch::Absent => None,
    };
    let view = View::new(course.map_or(Reader::Administrator, Reader::of), &cx.base_url().await?);
    let section_limit = course.and_then(CourseAccess::section_limit);
    let (roles, states, sis) = (filter.roles(), filter.states(), filter.sis());
    let which = EnrollmentFilter { roles, states, user, term, sis, section_limit };
    Ok(Reply::built_page(store::enrollments(&cx.db, view, scope, which, &cx.page().await?).await?))
}

/// Reads an enrollment.
#[endpoint(GET "/api/v1/accounts/:account_id/enrollments/:id")]
async fn get_enrollment(
    cx: Context,
    Path(at): Path<AccountEnrollmentPath>,
    account: NeededAccount,
) -> Result<Reply<BuiltJson<Enrollment>>> {
    let view = View::new(Reader::Administrator, &cx.base_url().await?);
    let enrollment = store::of_account(&cx.db, view, account.id, at.id).await?.or_not_found()?;
    account.require_administrator()?;
    Ok(Reply::ok(enrollment))
}

/// Teaching assistants manage students and observers; those who teach, assist or design, only who may manage the course.
pub(crate) fn require_manage(course: &CourseAccess, role: Role) -> Result<()> {
    course.require(Right::ManageEnrollments)?;
    match role {
        Role::Student | Role::Observer => Ok(()),
        Role::Teacher | Role::Ta | Role::Designer => course.require(Right::Manage),
    }
}
