//! The attempts that have a grade, where something was handed in since.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::SubmissionId;
use shared::{Db, Timestamp, db};

/// When the attempt was handed in of which a submission has its grade.
#[derive(Deserialize)]
pub(crate) struct GradedAttempt {
    pub(crate) submission_id: SubmissionId,
    pub(crate) submitted_at: Timestamp,
}

/// The attempts of which these submissions have their grades. A grade without any attempt has none.
pub(crate) async fn of_submissions(db: &Db, submissions: &[SubmissionId]) -> db::Result<Vec<GradedAttempt>> {
    let sql = "SELECT v.submission_id, v.submitted_at
         FROM json_each(?1) named CROSS JOIN submissions s ON s.id = named.value
         JOIN submission_versions v ON v.submission_id = s.id AND v.attempt = s.graded_attempt";
    db.fetch_all(sql, (Json(submissions),)).await
}

/// The attempt of which a submission has its grade.
pub(crate) async fn of_submission(db: &Db, submission: SubmissionId) -> db::Result<Option<GradedAttempt>> {
    let sql = "SELECT v.submission_id, v.submitted_at
         FROM submissions s JOIN submission_versions v ON v.submission_id = s.id AND v.attempt = s.graded_attempt
         WHERE s.id = ?1";
    db.fetch(sql, (submission,)).await
}
