//! The SQL of the area.

pub(crate) mod choices;
pub(crate) mod live;
pub(crate) mod polls;
mod rights;
pub(crate) mod sessions;
pub(crate) mod submissions;

use shared::ids::UserId;
use shared::{Db, db};

/// Whether the user teaches a course.
pub(crate) async fn teaches(db: &Db, user: UserId) -> db::Result<bool> {
    db.affects(
        "SELECT 1 FROM enrollments e JOIN courses c ON c.id = e.course_id AND c.workflow_state <> 'deleted'
         WHERE e.user_id = ?1 AND e.type = 'TeacherEnrollment' AND e.workflow_state = 'active' LIMIT 1",
        (user,),
    )
    .await
}
