//! Submissions whose attempts at a new quiz a program has scored anew, many at once.

use serde::Serialize;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, SubmissionId, UserId};
use shared::{Db, Timestamp};

use crate::store::{Row, select};

/// The grade of a submission, after an attempt was scored anew.
#[derive(Serialize)]
pub struct Regraded {
    pub submission: SubmissionId,
    /// What the quiz keeps of all attempts, after what lateness costs.
    pub score: Option<f64>,
    pub grade: Option<String>,
    /// The points that lateness costs.
    pub points_deducted: Option<f64>,
    /// False: somebody must read an answer.
    pub is_complete: bool,
}

/// The grade of an attempt.
#[derive(Serialize)]
pub struct RegradedAttempt {
    pub submission: SubmissionId,
    pub attempt: i64,
    pub score: Option<f64>,
    pub grade: Option<String>,
}

/// The submissions of these users for an assignment.
pub async fn submissions(db: &Db, assignment: AssignmentId, users: &[UserId]) -> db::Result<Vec<Row>> {
    let sql = format!("{} WHERE s.assignment_id = ?1 AND s.user_id IN (SELECT value FROM json_each(?2))", select());
    db.fetch_all(&sql, (assignment, Json(users))).await
}

/// Keeps the grades of submissions and of attempts. What is not handed in, or waits to be graded as a whole, stays so. `db` is
/// in a transaction.
pub async fn regrade(
    db: &Db,
    submissions: &[Regraded],
    attempts: &[RegradedAttempt],
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE submissions
         SET score = given.value ->> 'score', grade = given.value ->> 'grade',
             points_deducted = given.value ->> 'points_deducted', graded_at = ?2, updated_at = ?2,
             workflow_state = iif(submissions.workflow_state IN ('graded', 'pending_review'),
                                  iif(given.value ->> 'is_complete', 'graded', 'pending_review'),
                                  submissions.workflow_state)
         FROM json_each(?1) given WHERE submissions.id = given.value ->> 'submission'",
        (Json(submissions), now),
    )
    .await?;
    db.execute(
        "UPDATE submission_versions SET score = given.value ->> 'score', grade = given.value ->> 'grade'
         FROM json_each(?1) given
         WHERE submission_versions.submission_id = given.value ->> 'submission'
           AND submission_versions.attempt = given.value ->> 'attempt'",
        (Json(attempts),),
    )
    .await
}
