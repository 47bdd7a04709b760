//! Copies of courses, as an older address asks for them.

use serde::Deserialize;
use shared::auth::{self, Right};
use shared::ids::{CourseId, IdOrAlias};
use shared::needs::NeededCourse;
use shared::params::NoParameters;
use shared::{Context, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::unsupported;
use crate::routes::content_migrations::{ContentMigration, copied};

endpoints![copy_course];

#[derive(Deserialize, JsonSchema)]
struct CopyPath {
    source_course_id: IdOrAlias<CourseId>,
}

/// Copies another course into a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/course_copy/:source_course_id",
    throttled("packages that one user announces, and courses that one user copies or resets"),
    unsupported(unsupported::COURSE_COPY),
)]
async fn copy_course(
    cx: Context,
    Path(at): Path<CopyPath>,
    course: NeededCourse,
    query: Query<NoParameters>,
) -> Result<Reply<ContentMigration>> {
    let source = auth::course(&cx.db, cx.caller()?, &at.source_course_id).await?;
    course.require(Right::Manage)?;
    query.decode()?;
    copied(&cx, &course, &source).await
}
