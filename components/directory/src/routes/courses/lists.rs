//! Lists of courses: of the caller, of a user, of an account.

use serde::Deserialize;
use shared::ids::UserId;
use shared::needs::{NeededAccount, NeededUser, may};
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::courses::Course;
use crate::model::courses::CourseState;
use crate::model::enrollments::{Role, State};
use crate::model::filters::{AnyOf, search_term};
use crate::store::courses::{self as store, OfAccount, OfUser, Shown};

endpoints![list_own_courses, list_user_courses, list_account_courses];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct UserFilter {
    enrollment_type: AnyOf<Role>,
    enrollment_state: Option<EnrollmentState>,
    state: AnyOf<CourseState>,
    /// `syllabus_body`, `total_students`; others are passed over.
    include: AnyOf<String>,
}

/// Which of the user's enrollments count.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EnrollmentState {
    Active,
    InvitedOrPending,
    Completed,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AccountFilter {
    /// Part of the name or the code, the id, or the SIS id.
    search_term: Option<String>,
    /// All but the deleted unless given.
    state: AnyOf<CourseState>,
    /// True if anybody is enrolled.
    with_enrollments: Option<bool>,
    /// Somebody of that type is enrolled.
    enrollment_type: AnyOf<Role>,
    /// `syllabus_body`, `total_students`; others are passed over.
    include: AnyOf<String>,
}

/// Lists the caller's courses.
#[endpoint(
    GET "/api/v1/courses",
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
    numbered_pages,
)]
async fn list_own_courses(cx: Context, body: Query<UserFilter>) -> Result<Reply<Vec<Course>>> {
    let user = cx.caller()?.user;
    of(&cx, user, body.decode()?).await
}

/// Lists a user's courses.
#[endpoint(GET "/api/v1/users/:user_id/courses", numbered_pages)]
async fn list_user_courses(
    cx: Context,
    user: NeededUser<may::ActFor>,
    body: Query<UserFilter>,
) -> Result<Reply<Vec<Course>>> {
    of(&cx, user.id, body.decode()?).await
}

async fn of(cx: &Context, user: UserId, filter: UserFilter) -> Result<Reply<Vec<Course>>> {
    let UserFilter { enrollment_type, enrollment_state, state, include } = filter;
    let enrollment_states = match enrollment_state {
        Some(EnrollmentState::Active) => vec![State::Active],
        Some(EnrollmentState::InvitedOrPending) => vec![State::Invited],
        Some(EnrollmentState::Completed) => vec![State::Completed],
        None => vec![State::Active, State::Invited],
    };
    let shown = Shown { of: user, totals: include.names("total_students") };
    let which = OfUser { roles: enrollment_type, enrollment_states, states: state };
    let courses = store::of_user(&cx.db, shown, which, &cx.page().await?).await?;
    Ok(Reply::page(courses.map(|course| course.shown(include.names("syllabus_body")))))
}

/// Lists the courses of an account and of those under it.
#[endpoint(GET "/api/v1/accounts/:account_id/courses")]
async fn list_account_courses(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<AccountFilter>,
) -> Result<Reply<Vec<Course>>> {
    let AccountFilter { search_term: term, state, with_enrollments, enrollment_type, include } = body.decode()?;
    let shown = Shown { of: cx.caller()?.user, totals: include.names("total_students") };
    let live = [CourseState::Unpublished, CourseState::Available, CourseState::Completed];
    let which =
        OfAccount { term: search_term(term)?, states: state.or(live), with_enrollments, roles: enrollment_type };
    let courses = store::of_account(&cx.db, shown, &account, which, &cx.page().await?).await?;
    Ok(Reply::page(courses.map(|course| course.shown(include.names("syllabus_body")))))
}
