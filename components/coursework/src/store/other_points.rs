//! Assignments of classic quizzes that are worth something else since their grades were shown. The database notes them, whatever has
//! changed the questions.

use serde::Deserialize;
use shared::ids::{AccountId, AssignmentId, CourseId};
use shared::{Db, db};

/// An assignment that is worth something else, and its course.
#[derive(Deserialize)]
pub(crate) struct OtherPoints {
    pub(crate) assignment_id: AssignmentId,
    pub(crate) course_id: CourseId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
}

/// The next one behind that id.
pub(crate) async fn next(db: &Db, behind: AssignmentId) -> db::Result<Option<OtherPoints>> {
    let sql = "SELECT o.assignment_id, a.course_id, c.root_account_id, c.account_id
               FROM assignments_of_other_points o
               JOIN assignments a ON a.id = o.assignment_id JOIN courses c ON c.id = a.course_id
               WHERE o.assignment_id > ?1 ORDER BY o.assignment_id LIMIT 1";
    db.fetch(sql, (behind,)).await
}

/// What it was worth when its grades were shown.
#[derive(Deserialize)]
pub(crate) struct Before {
    pub(crate) points_before: Option<f64>,
    /// True if it was deleted meanwhile: nobody sees its grades.
    pub(crate) is_deleted: bool,
}

/// Takes it from what is to be done; `None`: somebody was faster. `db` is in the transaction that shows its grades anew.
pub(crate) async fn take(db: &Db, assignment: AssignmentId) -> db::Result<Option<Before>> {
    let sql = "DELETE FROM assignments_of_other_points WHERE assignment_id = ?1
               RETURNING points_before, (SELECT a.workflow_state = 'deleted' FROM assignments a WHERE a.id = ?1) AS is_deleted";
    db.fetch(sql, (assignment,)).await
}
