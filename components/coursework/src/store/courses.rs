//! The course of what is answered.

use shared::ids::CourseId;
use shared::{Db, db};

use crate::model::courses::CourseSummary;

/// The course in short.
pub(crate) async fn summary(db: &Db, id: CourseId) -> db::Result<CourseSummary> {
    db.fetch_one(
        "SELECT id, name, course_code, uuid, account_id, root_account_id, enrollment_term_id, start_at, end_at, time_zone,
                default_view, is_public, workflow_state, created_at
         FROM courses WHERE id = ?1",
        (id,),
    )
    .await
}
