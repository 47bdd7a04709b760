//! What students hand in: attempt by attempt, of which each is kept.

use ::submissions::late_policy::LatePolicyStatus;
use ::submissions::store::{Row, select};
use serde::Deserialize;
use shared::db::{Binds, Json};
use shared::ids::AttachmentId;
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::outbox::{Columns, Outbox};
use shared::{Db, Result, Timestamp};

use crate::store::submissions::{KnownSubmission, state_sql};

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

impl HandedIn {
    /// The submission that it is the next attempt of.
    pub(crate) fn over(&self, before: &Row, now: Timestamp) -> Row {
        // Who has handed something in misses nothing any more.
        let is_missing = before.late_policy_status == Some(LatePolicyStatus::Missing);
        Row {
            attempt: Some(before.attempt.unwrap_or_default().saturating_add(1)),
            submission_type: Some(self.submission_type.to_owned()),
            body: self.body.clone(),
            url: self.url.clone(),
            submitted_at: Some(self.submitted_at),
            workflow_state: "submitted".to_owned(),
            attachment_ids: Json(self.attachments.clone()),
            late_policy_status: before.late_policy_status.filter(|_| !is_missing),
            updated_at: now,
            ..before.clone()
        }
    }
}

/// What the caller has handed in for the assignment that is needed; a record without any where there is none.
#[derive(Deserialize)]
pub(crate) struct OwnWork {
    submission: Option<Json<Row>>,
    state: Option<String>,
}

impl OwnWork {
    /// The submission, to be changed.
    pub(crate) fn submission(self) -> Option<KnownSubmission> {
        self.submission.zip(self.state).map(|(submission, state)| KnownSubmission { submission, state })
    }
}

impl Record for OwnWork {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        const WORK: &str = "s.assignment_id = caller.needed ->> 'record' ->> 'id' AND s.user_id = caller.user_id";
        let (submission, state) = (nested::<Row>(&format!("{} WHERE {WORK}", select()))?, state_sql(WORK));
        Ok(Lookup::new(format!("SELECT {submission} AS submission, {state} AS state"), ()))
    }
}

/// Makes that row of the submission, an attempt more, and queues what is told of it, in one statement. `None` where the
/// submission is not any more in the state in which it was read, or no more attempts are allowed or kept. Tells whether events
/// are queued.
pub(crate) async fn hand_in(db: &Db, known: &KnownSubmission, row: &Row, outbox: Outbox) -> Result<Option<bool>> {
    #[derive(Deserialize)]
    struct HandedIn {
        has_events: bool,
    }
    let files = Some(&row.attachment_ids.0).filter(|ids| !ids.is_empty());
    let values = (
        row.id,
        row.attempt,
        row.submission_type.as_deref(),
        row.body.as_deref(),
        row.url.as_deref(),
        row.submitted_at,
        row.updated_at,
        files.map(|ids| Json(ids.clone())),
        row.assignment_id,
        MAX_VERSIONS,
        MAX_VERSION_BYTES,
        known.state.as_str(),
    );
    let mut values = values.values();
    let Columns { events, messages } = outbox.columns(&mut values);
    let sql = format!(
        "UPDATE handed_in_submissions
         SET attempt = ?2, submission_type = ?3, body = ?4, url = ?5, submitted_at = ?6, updated_at = ?7, attachments = ?8,
             events = {events}, messages = {messages}
         WHERE id = ?1 AND {} = ?12
           AND (SELECT a.allowed_attempts < 0 OR ?2 <= a.allowed_attempts FROM assignments a WHERE a.id = ?9)
           AND (SELECT count(*) < ?10 AND total(length(CAST(v.body AS BLOB))) + ifnull(length(CAST(?4 AS BLOB)), 0) <= ?11
                FROM submission_versions v WHERE v.submission_id = ?1)",
        state_sql("s.id = ?1")
    );
    let read = "SELECT ifnull(handed_in_submissions.events, '[]') <> '[]' AS has_events";
    let handed_in: Option<HandedIn> = db.write_and_read(&sql, read, values).await?;
    Ok(handed_in.map(|handed_in| handed_in.has_events))
}
