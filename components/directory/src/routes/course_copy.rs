//! Copies of courses, as an older address asks for them.

use serde::Deserialize;
use shared::auth::{self, Right};
use shared::ids::{CourseId, Named};
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::routes::content_migrations::{ContentMigration, copied};

endpoints![copy_course];

#[derive(Deserialize, JsonSchema)]
struct CopyPath {
    course_id: Named<CourseId>,
    source_course_id: Named<CourseId>,
}

/// Copies another course into a course.
#[endpoint(POST "/api/v1/courses/:course_id/course_copy/:source_course_id")]
async fn copy_course(cx: Context, Path(at): Path<CopyPath>) -> Result<Reply<ContentMigration>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    let source = auth::course(&cx.db, cx.caller()?, &at.source_course_id).await?;
    course.must(Right::Manage)?;
    copied(&cx, &course, &source).await
}
