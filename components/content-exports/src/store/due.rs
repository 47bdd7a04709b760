//! Whether the tick has anything to do.

use shared::{Db, Timestamp, db};

use crate::store::{import_jobs, jobs};

/// True if something is due: a package that is to be made or read, or one whose time is over. The tick asks before it writes,
/// so that it holds nobody up where there is nothing to do.
pub(crate) async fn is_due(db: &Db, now: Timestamp) -> db::Result<bool> {
    let exports = format!("SELECT 1 FROM content_exports e WHERE {}", jobs::IS_FREE);
    let due =
        [&exports, jobs::EXPIRED, &import_jobs::waiting(), import_jobs::EXPIRED].map(|one| format!("EXISTS ({one})"));
    db.affects(&format!("SELECT 1 AS due WHERE {}", due.join(" OR ")), (now,)).await
}
