//! The attempts that have a grade, where something was handed in since.

use serde::Deserialize;
use shared::ids::{AssignmentId, SubmissionId};
use shared::{Db, Timestamp, db};

/// When the attempt was handed in of which a submission has its grade.
#[derive(Deserialize)]
pub(crate) struct GradedAttempt {
    pub(crate) submission_id: SubmissionId,
    pub(crate) submitted_at: Timestamp,
}

/// The attempts before the latest of which submissions of the assignment have their grades. A grade without any attempt has none.
pub(crate) async fn before_the_latest(db: &Db, assignment: AssignmentId) -> db::Result<Vec<GradedAttempt>> {
    let sql = "SELECT v.submission_id, v.submitted_at
         FROM submissions s JOIN submission_versions v ON v.submission_id = s.id AND v.attempt = s.graded_attempt
         WHERE s.assignment_id = ?1 AND s.score IS NOT NULL AND s.graded_attempt IS NOT s.attempt";
    db.fetch_all(sql, (assignment,)).await
}

/// The attempt of which a submission has its grade.
pub(crate) async fn of_submission(db: &Db, submission: SubmissionId) -> db::Result<Option<GradedAttempt>> {
    let sql = "SELECT v.submission_id, v.submitted_at
         FROM submissions s JOIN submission_versions v ON v.submission_id = s.id AND v.attempt = s.graded_attempt
         WHERE s.id = ?1";
    db.fetch(sql, (submission,)).await
}
