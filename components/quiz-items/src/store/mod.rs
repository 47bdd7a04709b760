//! The SQL of the area.

pub(crate) mod banks;
pub(crate) mod content;
pub(crate) mod items;
pub(crate) mod media;
mod records;

use serde::Deserialize;
use shared::ids::{AssignmentId, CourseId};
use shared::{Db, db};

/// The assignment, if it is one of the course and that of a new quiz.
pub(crate) async fn quiz(db: &Db, course: CourseId, id: AssignmentId) -> db::Result<Option<AssignmentId>> {
    #[derive(Deserialize)]
    struct Row {
        id: AssignmentId,
    }
    let quiz: Option<Row> = db
        .fetch(
            "SELECT a.id FROM assignments a JOIN new_quizzes q ON q.assignment_id = a.id
             WHERE a.id = ?1 AND a.course_id = ?2 AND a.workflow_state <> 'deleted'",
            (id, course),
        )
        .await?;
    Ok(quiz.map(|row| row.id))
}
