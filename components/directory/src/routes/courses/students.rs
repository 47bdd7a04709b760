//! The students of a course.

use shared::needs::{NeededCourse, may};
use shared::{Context, Query, Reply, Result, endpoint, endpoints};

use crate::model::enrollments::{RoleFilter, State};
use crate::model::filters::{AnyOf, Named};
use crate::routes::courses::users::{CourseUser, Include, page};
use crate::store::rosters::{self as store, RosterFilter};

endpoints![list_course_students];

/// Lists the students of a course.
///
/// All of them, unless a page is asked for.
#[endpoint(GET "/api/v1/courses/:course_id/students", students(200, "those in a course know each other by name"))]
async fn list_course_students(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    body: Query<Include>,
) -> Result<Reply<Vec<CourseUser>>> {
    let include = body.decode()?.include;
    let which = RosterFilter {
        roles: AnyOf::default().or([RoleFilter::Student]),
        states: AnyOf::default().or([State::Active, State::Invited]),
        users: Named::default(),
        sections: AnyOf::default(),
        term: None,
        sort: None,
    };
    let users = store::users(&cx.db, &course, which, &cx.page_or_whole().await?).await?;
    page(&cx, &course, users, &include).await
}
