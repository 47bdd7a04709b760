//! Reports on their way to the operator's receiver.

use serde::Deserialize;
use shared::ids::ErrorReportId;
use shared::{Db, Timestamp, db};

/// For how long nobody else sends what somebody is sending: longer than any attempt takes.
const LEASE: i64 = 60;

/// A report that is ours to send.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Due {
    pub(crate) report_id: ErrorReportId,
    /// The header `webhook-id` of every attempt.
    pub(crate) message_id: String,
    /// Attempts up to now, this one included.
    pub(crate) attempts: i64,
    /// The process that is sending it: ours, unless the lease has run out.
    lease: String,
}

pub(crate) async fn insert(db: &Db, report: ErrorReportId, now: Timestamp) -> db::Result<()> {
    db.execute("INSERT INTO error_report_forwards (report_id, next_at) VALUES (?1, ?2)", (report, now)).await
}

/// Takes up to so many that are due, so that nobody else sends them. When the lease has run out they are due again.
pub(crate) async fn lease(db: &Db, most: i64, now: Timestamp) -> db::Result<Vec<Due>> {
    const DUE: &str = "SELECT report_id FROM error_report_forwards WHERE status = 'pending' AND next_at <= ";
    // Most of the time there is nothing, and others may want to write.
    if !db.affects(&format!("{DUE} ?1 LIMIT 1"), (now,)).await? {
        return Ok(Vec::new());
    }
    let lease = uuid::Uuid::new_v4().to_string();
    db.execute(
        &format!(
            "UPDATE error_report_forwards SET lease = ?1, next_at = ?2, attempts = attempts + 1
             WHERE report_id IN ({DUE} ?3 ORDER BY next_at, report_id LIMIT ?4)"
        ),
        (lease.as_str(), now.plus_seconds(LEASE), now, most),
    )
    .await?;
    db.fetch_all(
        "SELECT report_id, message_id, attempts, lease FROM error_report_forwards WHERE lease = ?1 ORDER BY report_id",
        (lease,),
    )
    .await
}

/// The receiver has taken it. That is true whoever has sent it.
pub(crate) async fn delivered(db: &Db, due: &Due) -> db::Result<()> {
    db.execute(
        "UPDATE error_report_forwards SET status = 'delivered', lease = NULL, error = NULL WHERE report_id = ?1",
        (due.report_id,),
    )
    .await
}

/// It is to be tried again then, or is given up where there is no such moment.
pub(crate) async fn failed(db: &Db, due: &Due, error: &str, next_at: Option<Timestamp>) -> db::Result<()> {
    db.execute(
        "UPDATE error_report_forwards
         SET status = iif(?3 IS NULL, 'dead', 'pending'), next_at = ifnull(?3, next_at), lease = NULL, error = ?4
         WHERE report_id = ?1 AND lease = ?2 AND status = 'pending'",
        (due.report_id, due.lease.as_str(), next_at, error),
    )
    .await
}
