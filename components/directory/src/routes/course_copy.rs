//! Copies of courses, as an older address asks for them.

use serde::Deserialize;
use shared::auth::{self, Right};
use shared::ids::{CourseId, IdOrAlias};
use shared::needs::NeededCourse;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::filters::AnyOf;
use crate::model::selection::{CopiedPart, CopiedType};
use crate::routes::content_migrations::{ContentMigration, copied};

endpoints![copy_course];

#[derive(Deserialize, JsonSchema)]
struct CopyPath {
    source_course_id: IdOrAlias<CourseId>,
}

/// The types of content that are copied: all, unless one of the two says less.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CopyForm {
    /// These alone, with the files that their texts refer to.
    only: AnyOf<CopiedType>,
    /// All but these.
    except: AnyOf<CopiedType>,
}

impl CopyForm {
    fn part(&self) -> Result<CopiedPart> {
        match (self.only.is_empty(), self.except.is_empty()) {
            (true, true) => Ok(CopiedPart::default()),
            (false, true) => Ok(CopiedPart::only(&self.only)),
            (true, false) => Ok(CopiedPart::without(&self.except)),
            (false, false) => Err(Error::bad_request("only and except exclude one another")),
        }
    }
}

/// Copies another course into a course.
#[endpoint(
    POST "/api/v1/courses/:course_id/course_copy/:source_course_id",
    throttled("packages that one user announces, and courses that one user copies or resets"),
)]
async fn copy_course(
    cx: Context,
    Path(at): Path<CopyPath>,
    course: NeededCourse,
    body: Form<CopyForm>,
) -> Result<Reply<ContentMigration>> {
    let source = auth::course(&cx.db, cx.caller()?, &at.source_course_id).await?;
    course.require(Right::Manage)?;
    let part = body.decode()?.part()?;
    copied(&cx, &course, &source, &part, None).await
}
