//! What is answered beside submissions: their texts, their versions, the comments on them, and the names of people.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::db::{self, Json};
use shared::ids::{AttachmentId, SubmissionId, UserId};
use shared::needs::nested_list;
use shared::{Db, Result, Timestamp};

/// The most bytes of what is answered beside submissions: of texts where they are read by themselves, of histories, and of comments.
const MAX_BESIDE_BYTES: i64 = 8 * 1024 * 1024;

/// The work that was handed in at one attempt.
#[derive(Deserialize)]
pub(crate) struct Version {
    pub(crate) submission_id: SubmissionId,
    pub(crate) attempt: i64,
    pub(crate) submission_type: String,
    pub(crate) body: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) submitted_at: Timestamp,
    pub(crate) score: Option<f64>,
    pub(crate) grade: Option<String>,
    pub(crate) attachment_ids: Json<Vec<AttachmentId>>,
}

/// A comment on a submission.
#[derive(Deserialize)]
pub(crate) struct Comment {
    pub(crate) submission_id: SubmissionId,
    pub(crate) id: i64,
    pub(crate) author_id: UserId,
    pub(crate) author_name: String,
    pub(crate) attempt: Option<i64>,
    pub(crate) comment: String,
    pub(crate) created_at: Timestamp,
}

/// The text of a submission.
#[derive(Deserialize)]
pub(crate) struct Text {
    pub(crate) id: SubmissionId,
    pub(crate) body: String,
}

/// The texts of submissions, the first of these as far as they are not too many bytes together.
pub(crate) async fn texts(db: &Db, ids: &[SubmissionId]) -> db::Result<Vec<Text>> {
    db.fetch_all(
        "SELECT part.id, s.body
         FROM (SELECT one.id, sum(one.bytes) OVER (ORDER BY one.place) AS bytes
               FROM (SELECT s.id, wanted.key AS place, length(CAST(s.body AS BLOB)) AS bytes
                     FROM json_each(?1) wanted CROSS JOIN submissions s
                     WHERE s.id = wanted.value AND s.body IS NOT NULL) one) part
         CROSS JOIN submissions s WHERE s.id = part.id AND part.bytes <= ?2",
        (Json(ids), MAX_BESIDE_BYTES),
    )
    .await
}

/// What stands beside submissions, of each all or nothing.
#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub(crate) struct Beside<T> {
    pub(crate) items: Json<Vec<T>>,
    /// The submissions behind the first ones whose own would be too many bytes.
    pub(crate) left_out: Json<BTreeSet<SubmissionId>>,
}

/// A statement for a [`Beside`] of the submissions `?1`: `bytes` is an expression for each, `wanted.value`, and `rows` a statement
/// for those of the submissions `part` that have room in `?2` bytes. The first always has.
fn beside_sql<T: DeserializeOwned>(bytes: &str, rows: &str) -> Result<String> {
    Ok(format!(
        "WITH part AS MATERIALIZED (
             SELECT one.id, one.place = 0 OR sum(one.bytes) OVER (ORDER BY one.place) <= ?2 AS has_room
             FROM (SELECT wanted.value AS id, wanted.key AS place, {bytes} AS bytes FROM json_each(?1) wanted) one)
         SELECT {} AS items, (SELECT json_group_array(part.id) FROM part WHERE NOT part.has_room) AS left_out",
        nested_list::<T>(rows)?
    ))
}

/// The work that was handed in, attempt by attempt.
pub(crate) async fn versions(db: &Db, ids: &[SubmissionId]) -> Result<Beside<Version>> {
    // Each is answered with about as many bytes beside its text as each of its files.
    const BYTES: &str = "(SELECT total(
            ifnull(length(CAST(v.body AS BLOB)), 0) + ifnull(length(CAST(v.url AS BLOB)), 0)
            + 1024 * (1 + (SELECT count(*) FROM submission_attachments t
                           WHERE t.submission_id = v.submission_id AND t.attempt = v.attempt)))
        FROM submission_versions v WHERE v.submission_id = wanted.value)";
    const ROWS: &str =
        "SELECT v.submission_id, v.attempt, v.submission_type, v.body, v.url, v.submitted_at, v.score, v.grade,
            (SELECT json_group_array(attachment_id) FROM (
                SELECT t.attachment_id FROM submission_attachments t
                WHERE t.submission_id = v.submission_id AND t.attempt = v.attempt ORDER BY t.position)
            ) AS attachment_ids
        FROM part CROSS JOIN submission_versions v WHERE part.has_room AND v.submission_id = part.id
        ORDER BY v.submission_id, v.attempt";
    Ok(db.fetch_one(&beside_sql::<Version>(BYTES, ROWS)?, (Json(ids), MAX_BESIDE_BYTES)).await?)
}

/// The comments on submissions, in the order in which they were made.
pub(crate) async fn comments(db: &Db, ids: &[SubmissionId]) -> Result<Beside<Comment>> {
    const BYTES: &str = "(SELECT total(512 + length(CAST(c.comment AS BLOB))) FROM submission_comments c
        WHERE c.submission_id = wanted.value)";
    const ROWS: &str =
        "SELECT c.submission_id, c.id, c.author_id, u.name AS author_name, c.attempt, c.comment, c.created_at
        FROM part CROSS JOIN submission_comments c JOIN users u ON u.id = c.author_id
        WHERE part.has_room AND c.submission_id = part.id ORDER BY c.id";
    Ok(db.fetch_one(&beside_sql::<Comment>(BYTES, ROWS)?, (Json(ids), MAX_BESIDE_BYTES)).await?)
}

/// The names of users.
pub(crate) async fn names(db: &Db, ids: Vec<i64>) -> db::Result<Vec<Person>> {
    db.fetch_all(
        "SELECT id, name, sortable_name, short_name FROM users WHERE id IN (SELECT value FROM json_each(?1))",
        (Json(Value::from(ids)),),
    )
    .await
}

/// A user by name.
#[derive(Deserialize, Clone)]
pub(crate) struct Person {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
}
