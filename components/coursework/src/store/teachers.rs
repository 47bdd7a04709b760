//! The SQL of who teaches.

use serde::Deserialize;
use shared::auth::Right;
use shared::ids::CourseId;
use shared::{Db, db};

/// The number of those who teach in the course.
pub(crate) async fn count(db: &Db, course: CourseId) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Teachers {
        count: i64,
    }
    let sql = format!(
        "SELECT count(DISTINCT user_id) AS count FROM enrollments
         WHERE course_id = ?1 AND type IN {} AND workflow_state = 'active'",
        Right::ManageGrades.roles_sql()
    );
    let Teachers { count } = db.fetch_one(&sql, (course,)).await?;
    Ok(count)
}
