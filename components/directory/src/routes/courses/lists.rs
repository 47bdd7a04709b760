//! Lists of courses: of the caller, of a user, of an account.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::ids::{AccountId, EnrollmentTermId, IdOrAlias, UserId};
use shared::needs::{NeededAccount, NeededUser, may};
use shared::prefetch::PrefetchedList;
use shared::{Context, JsonSchema, Paged, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::courses::{Course, CourseSort, CourseState, Parts, UserFilter};
use crate::model::enrollments::{Role, State};
use crate::model::filters::{AnyOf, Direction, search_term};
use crate::model::unsupported;
use crate::store::courses::{self as store, CoursesOfCaller, CoursesOfUser, OfAccount, Shown};
use crate::store::terms;

endpoints![list_own_courses, list_user_courses, list_account_courses];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AccountFilter {
    /// Part of the name or the code, the id, or the SIS id.
    search_term: Option<String>,
    /// `course` unless given: the term is looked for in courses, or in the names of their teachers.
    search_by: SearchBy,
    /// All but the deleted unless given.
    state: AnyOf<CourseState>,
    /// True if it is available or completed.
    published: Option<bool>,
    /// True if it is completed.
    completed: Option<bool>,
    /// True if everybody of the tenant may read it.
    public: Option<bool>,
    /// An id, `sis_term_id:X` or `default`; 404 where there is no such term.
    enrollment_term_id: Patch<IdOrAlias<EnrollmentTermId>>,
    /// Somebody of these teaches it.
    by_teachers: AnyOf<UserId>,
    /// It begins at this moment or before it, or has no date.
    starts_before: Option<Timestamp>,
    /// It ends at this moment or after it, or has no date.
    ends_after: Option<Timestamp>,
    /// True if anybody is enrolled.
    with_enrollments: Option<bool>,
    /// The same as `with_enrollments`.
    hide_enrollmentless_courses: bool,
    /// Somebody of that type is enrolled.
    enrollment_type: AnyOf<Role>,
    /// Somebody has an enrollment in one of these states.
    enrollment_workflow_state: AnyOf<State>,
    /// Those in these accounts, and in the accounts under them: ids, `self` or `sis_account_id:X`. An unknown one has none.
    by_subaccounts: AnyOf<IdOrAlias<AccountId>>,
    /// By id unless given.
    sort: Option<CourseSort>,
    /// Ascending unless given.
    order: Direction,
    /// `account`, `concluded`, `sections`, `syllabus_body`, `teachers`, `term`, `total_students`; others are passed over.
    include: AnyOf<String>,
}

/// The records in which a term is looked for.
#[derive(Deserialize, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SearchBy {
    #[default]
    Course,
    Teacher,
}

impl AccountFilter {
    /// The states in which all of the filters leave a course.
    fn states(&self) -> AnyOf<CourseState> {
        use CourseState::{Available, Completed, Unpublished};
        let is_left = |state: &CourseState| {
            self.published.is_none_or(|published| published == matches!(state, Available | Completed))
                && self.completed.is_none_or(|completed| completed == matches!(state, Completed))
        };
        let states = self.state.clone().or([Unpublished, Available, Completed]);
        AnyOf::of(states.iter().copied().filter(is_left))
    }
}

/// Lists the caller's courses.
#[endpoint(
    GET "/api/v1/courses",
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
    unsupported(unsupported::USER_COURSES),
)]
async fn list_own_courses(
    cx: Context,
    body: Query<UserFilter>,
    courses: PrefetchedList<CoursesOfCaller>,
) -> Result<Reply<Vec<Course>>> {
    let include = body.decode()?.include;
    page(&cx, courses.page(&cx.page().await?)?, &include).await
}

/// Lists a user's courses.
#[endpoint(GET "/api/v1/users/:user_id/courses", unsupported(unsupported::USER_COURSES))]
async fn list_user_courses(
    cx: Context,
    _user: NeededUser<may::ActFor>,
    body: Query<UserFilter>,
    courses: PrefetchedList<CoursesOfUser>,
) -> Result<Reply<Vec<Course>>> {
    let include = body.decode()?.include;
    page(&cx, courses.page(&cx.page().await?)?, &include).await
}

/// Lists the courses of an account and of those under it.
#[endpoint(GET "/api/v1/accounts/:account_id/courses", unsupported(unsupported::ACCOUNT_COURSES))]
async fn list_account_courses(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<AccountFilter>,
) -> Result<Reply<Vec<Course>>> {
    let filter = body.decode()?;
    let states = filter.states();
    let enrollment_term = match &filter.enrollment_term_id {
        Patch::Value(named) => Some(terms::term(&cx.db, account.root_account, named).await?.or_not_found()?.id),
        Patch::Null | Patch::Absent => None,
    };
    let AccountFilter { include, with_enrollments, hide_enrollmentless_courses, .. } = filter;
    let shown = Shown { of: cx.caller()?.user, parts: Parts::named(&include) };
    let which = OfAccount {
        search_term: search_term(filter.search_term)?,
        enrollment_term,
        states,
        with_enrollments: with_enrollments.or(hide_enrollmentless_courses.then_some(true)),
        roles: filter.enrollment_type,
        is_public: filter.public,
        teachers: filter.by_teachers,
        starts_before: filter.starts_before,
        ends_after: filter.ends_after,
        by_teacher: filter.search_by == SearchBy::Teacher,
        enrollment_states: filter.enrollment_workflow_state,
        subaccounts: filter.by_subaccounts.named(account.root_account),
        sort: filter.sort,
        order: filter.order,
    };
    let courses = store::of_account(&cx.db, shown, &account, which, &cx.page().await?).await?;
    page(&cx, courses, &include).await
}

async fn page(cx: &Context, courses: Paged<Course>, include: &AnyOf<String>) -> Result<Reply<Vec<Course>>> {
    let (with_syllabus, base_url) = (include.names("syllabus_body"), cx.base_url().await?);
    Ok(Reply::page(courses.map(|course| course.shown(with_syllabus).with_addresses(&base_url))))
}
