//! The participants of a course.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right};
use shared::db::{BuiltJson, Json};
use shared::ids::{IdOrAlias, SectionId, UserId};
use shared::needs::{NeededCourse, may};
use shared::prefetch::Prefetched;
use shared::{Context, JsonSchema, Paged, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::enrollments::{Enrollment, RoleFilter, RosterSort, State};
use crate::model::filters::{AnyOf, search_term};
use crate::model::unsupported;
use crate::routes::users::User;
use crate::store::enrollments::{self, EnrollmentOfUser, Reader, View};
use crate::store::rosters::{self as store, Participant, RosterFilter};

endpoints![list_course_users, get_course_user];

#[derive(Deserialize, JsonSchema)]
struct CourseUserPath {
    #[serde(rename = "id")]
    _id: IdOrAlias<UserId>,
}

/// A user of a course.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CourseUser {
    #[serde(flatten)]
    user: User,
    /// Only where `include[]=enrollments` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    enrollments: Option<Vec<BuiltJson<Enrollment>>>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Filter {
    /// `teacher`, `student`, `ta`, `observer`, `designer`; `student_view`, which finds nobody.
    enrollment_type: AnyOf<RoleFilter>,
    /// The same, where `enrollment_type` is not given.
    enrollment_role: AnyOf<RoleFilter>,
    /// `active` and `invited` unless given.
    enrollment_state: AnyOf<State>,
    /// Only these users. Who is not told SIS ids finds nobody by them.
    user_ids: AnyOf<IdOrAlias<UserId>>,
    /// Somebody who is enrolled in one of these sections.
    section_ids: AnyOf<SectionId>,
    /// Part of a name; staff search logins, e-mail addresses and SIS ids too.
    search_term: Option<String>,
    /// By id unless given. A field that the caller is not told puts nobody in order.
    sort: Option<RosterSort>,
    /// `enrollments`; others are passed over.
    include: AnyOf<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Include {
    /// `enrollments`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

/// Lists the users of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/users",
    GET "/api/v1/courses/:course_id/search_users" as search_course_users,
    students(200, "those in a course know each other by name"),
    unsupported(unsupported::COURSE_USERS),
)]
async fn list_course_users(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    body: Query<Filter>,
) -> Result<Reply<Vec<CourseUser>>> {
    let filter = body.decode()?;
    let which = RosterFilter {
        roles: filter.enrollment_type.or(filter.enrollment_role.iter().copied()),
        states: filter.enrollment_state.or([State::Active, State::Invited]),
        users: filter.user_ids.named(cx.caller()?.user),
        sections: filter.section_ids,
        term: search_term(filter.search_term)?,
        sort: filter.sort,
    };
    let users = store::users(&cx.db, &course, which, &cx.page().await?).await?;
    page(&cx, &course, users, &filter.include).await
}

/// Reads a user of a course.
#[endpoint(GET "/api/v1/courses/:course_id/users/:id", students(200, "those in a course know each other by name"))]
async fn get_course_user(
    cx: Context,
    _: Path<CourseUserPath>,
    course: NeededCourse,
    user: Prefetched<Participant>,
    body: Query<Include>,
) -> Result<Reply<CourseUser>> {
    let user = user.record()?;
    course.require(Right::ReadRoster)?;
    let include = body.decode()?.include;
    let mut enrollments = with_enrollments(&cx, &course, vec![user.user.0.id], &include).await?;
    Ok(Reply::ok(with_own(&course, user, enrollments.as_mut())))
}

pub(crate) async fn page(
    cx: &Context,
    course: &CourseAccess,
    users: Paged<Participant>,
    include: &AnyOf<String>,
) -> Result<Reply<Vec<CourseUser>>> {
    let ids = users.items.iter().map(|user| user.user.0.id).collect();
    let mut enrollments = with_enrollments(cx, course, ids, include).await?;
    Ok(Reply::page(users.map(|user| with_own(course, user, enrollments.as_mut()))))
}

type Enrollments = HashMap<UserId, Vec<BuiltJson<Enrollment>>>;

/// The enrollments of these users, where they are asked for.
async fn with_enrollments(
    cx: &Context,
    course: &CourseAccess,
    users: Vec<UserId>,
    include: &AnyOf<String>,
) -> Result<Option<Enrollments>> {
    if !include.names("enrollments") {
        return Ok(None);
    }
    let mut found = Enrollments::new();
    let view = View::new(Reader::of(course), &cx.base_url().await?);
    for EnrollmentOfUser { user_id, record } in enrollments::of_users(&cx.db, view, course, users).await? {
        found.entry(user_id).or_default().push(record);
    }
    Ok(Some(found))
}

fn with_own(course: &CourseAccess, participant: Participant, enrollments: Option<&mut Enrollments>) -> CourseUser {
    let enrollments = enrollments.map(|enrollments| enrollments.remove(&participant.user.0.id).unwrap_or_default());
    CourseUser { user: visible_user(course, participant), enrollments }
}

/// The user as the caller may see a participant of the course.
pub(crate) fn visible_user(course: &CourseAccess, participant: Participant) -> User {
    let Participant { user: Json(user), took_part } = participant;
    User::of(user, course.admin || (took_part && course.can(Right::ReadAsStaff)))
}
