//! What students hand in: attempt by attempt, of which each is kept.

use ::submissions::store::{Row, select, submission};
use serde::Deserialize;
use serde_json::Value;
use shared::auth::CourseAccess;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, AttachmentId, SubmissionId, UserId};
use shared::{Db, Timestamp};

/// The limits of a student's work for an assignment, however many attempts it allows: so many versions, and so many
/// bytes of text in all of them.
const MAX_VERSIONS: i64 = 250;
const MAX_VERSION_BYTES: i64 = 8 * 1024 * 1024;

/// The work of a student.
pub(crate) struct HandedIn {
    pub(crate) submission_type: &'static str,
    pub(crate) body: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) attachments: Vec<AttachmentId>,
    pub(crate) submitted_at: Timestamp,
}

/// The attempt that is handed in.
#[derive(Deserialize)]
struct NewAttempt {
    id: SubmissionId,
    attempt: i64,
}

/// Counts the student's attempts, and makes the next the latest; none where no more are allowed or kept.
async fn begin_attempt(
    db: &Db,
    course: &CourseAccess,
    assignment: AssignmentId,
    user: UserId,
    work: &HandedIn,
    now: Timestamp,
) -> db::Result<Option<NewAttempt>> {
    db.fetch(
            "INSERT INTO submissions
                 (root_account_id, course_id, assignment_id, user_id, attempt, submission_type, body, url, submitted_at,
                  workflow_state, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8, 'submitted', ?9, ?9)
             ON CONFLICT (assignment_id, user_id) DO UPDATE SET
                 attempt = ifnull(attempt, 0) + 1, submission_type = excluded.submission_type, body = excluded.body,
                 url = excluded.url, submitted_at = excluded.submitted_at, workflow_state = 'submitted',
                 updated_at = excluded.updated_at
             WHERE (SELECT a.allowed_attempts < 0 OR ifnull(submissions.attempt, 0) < a.allowed_attempts
                    FROM assignments a WHERE a.id = ?3)
               AND (SELECT count(*) < ?10 AND total(length(CAST(v.body AS BLOB))) + ifnull(length(CAST(?6 AS BLOB)), 0) <= ?11
                    FROM submission_versions v WHERE v.submission_id = submissions.id)
             RETURNING id, attempt",
            (
                course.root_account,
                course.id,
                assignment,
                user,
                work.submission_type,
                work.body.as_ref(),
                work.url.as_ref(),
                work.submitted_at,
                now,
                MAX_VERSIONS,
                MAX_VERSION_BYTES,
            ),
        )
        .await
}

/// Counts the student's attempts, and adds the next; nothing where no more are allowed or kept.
///
/// `db` must be in a transaction.
pub(crate) async fn hand_in(
    db: &Db,
    course: &CourseAccess,
    assignment: AssignmentId,
    user: UserId,
    work: &HandedIn,
    now: Timestamp,
) -> db::Result<Option<Row>> {
    const VERSION: &str =
        "INSERT INTO submission_versions (submission_id, attempt, submission_type, body, url, submitted_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let Some(NewAttempt { id, attempt }) = begin_attempt(db, course, assignment, user, work, now).await? else {
        return Ok(None);
    };
    let version = (id, attempt, work.submission_type, work.body.as_ref(), work.url.as_ref(), work.submitted_at);
    if work.attachments.is_empty() {
        let row = format!("{} WHERE s.id = submission_versions.submission_id", select());
        return db.write_and_read(VERSION, &row, version).await;
    }
    db.execute(VERSION, version).await?;
    let attachments: Vec<_> = work.attachments.iter().map(|id| id.0).collect();
    db.execute(
        "INSERT INTO submission_attachments (submission_id, attempt, position, attachment_id)
         SELECT ?1, ?2, key, value FROM json_each(?3)",
        (id, attempt, Json(Value::from(attachments))),
    )
    .await?;
    submission(db, assignment, user).await
}
