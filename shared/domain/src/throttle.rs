//! The number of times that something may be done: a rolling window, counted exactly however many ask at the same moment.

use std::time::Duration;

use database::Db;
use serde::Deserialize;
use types::clock::Timestamp;
use web::after_response::{after_response, unless_busy};

/// The time for which a read waits to be counted. Many reads at once keep one another waiting, but not for so long.
const READS_WAIT: Duration = Duration::from_millis(1_500);

/// So many times within so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The number of times within the window.
    pub most: i64,
    /// The length of the window, in seconds.
    pub seconds: i64,
}

/// The outcome of one try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It counts.
    Taken {
        /// The number of times that it may be done yet, within this window.
        left: i64,
    },
    /// It was once too often, and does not count.
    Wait {
        /// After how many seconds the next one is taken: at least one.
        seconds: i64,
    },
}

#[derive(Deserialize)]
struct Row {
    taken: i64,
    oldest: Option<i64>,
}

/// Counts a try of what `key` names, unless the limit is reached. `key` names the thing and whoever does it.
pub async fn take(db: &Db, key: &str, limit: Limit, now: Timestamp) -> database::Result<Turn> {
    take_several(db, key, 1, limit, now).await
}

/// Counts `tries` at once, or none of them where they are more than the limit leaves.
pub async fn take_several(db: &Db, key: &str, tries: i64, limit: Limit, now: Timestamp) -> database::Result<Turn> {
    if tries < 1 {
        return Ok(Turn::Taken { left: limit.most });
    }
    let now = now.to_utc().timestamp_millis();
    let until = limit.seconds.saturating_mul(1000).saturating_add(now);
    let row: Option<Row> = db
        .fetch(
            "INSERT INTO throttle_hits (key, at, until)
             WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < ?5)
             SELECT ?1, ?2, ?3 FROM numbered
             WHERE n <= ?5 AND (SELECT count(*) FROM throttle_hits WHERE key = ?1 AND until > ?2) + ?5 <= ?4
             RETURNING (SELECT count(*) FROM throttle_hits WHERE key = ?1 AND until > ?2) AS taken, NULL AS oldest",
            (key, now, until, limit.most, tries),
        )
        .await?;
    if let Some(row) = row {
        return Ok(Turn::Taken { left: limit.most.saturating_sub(row.taken).max(0) });
    }
    Ok(wait(&count(db, key, now).await?, limit, now))
}

/// The same for reads, which nobody may keep waiting: where one writer keeps all others out, the try is judged and not
/// counted.
pub async fn take_or_look(db: &Db, key: &str, limit: Limit, now: Timestamp) -> database::Result<Turn> {
    match take(&db.waiting_at_most(READS_WAIT), key, limit, now).await {
        Err(database::Error::Busy) => look(db, key, limit, now).await,
        turn => turn,
    }
}

async fn count(db: &Db, key: &str, now: i64) -> database::Result<Row> {
    db.fetch_one(
        "SELECT count(*) AS taken, min(until) AS oldest FROM throttle_hits WHERE key = ?1 AND until > ?2",
        (key, now),
    )
    .await
}

/// `now` is in milliseconds since 1970 began.
fn wait(row: &Row, limit: Limit, now: i64) -> Turn {
    let until = limit.seconds.saturating_mul(1000).saturating_add(now);
    let milliseconds = row.oldest.unwrap_or(until).saturating_sub(now);
    // The count of another request may be later than the moment of this one.
    Turn::Wait { seconds: milliseconds.saturating_add(999).div_euclid(1000).min(limit.seconds).max(1) }
}

/// Tells whether a try would be taken, without counting one: for what counts only if it fails.
pub async fn look(db: &Db, key: &str, limit: Limit, now: Timestamp) -> database::Result<Turn> {
    let now = now.to_utc().timestamp_millis();
    let row = count(db, key, now).await?;
    let left = limit.most.saturating_sub(row.taken);
    Ok(if left > 0 { Turn::Taken { left } } else { wait(&row, limit, now) })
}

/// Counts a try of a read, which must neither wait for those who write nor fail with them: it is judged by what is counted
/// so far, and counted after the response. Of several at the same moment a few more than the limit may pass, and a try is not
/// counted where the database stays busy.
pub async fn take_for_read(db: &Db, key: &str, limit: Limit, now: Timestamp) -> database::Result<Turn> {
    let turn = look(db, key, limit, now).await?;
    let Turn::Taken { left } = turn else { return Ok(turn) };
    let (db, key) = (Db::clone(db), key.to_owned());
    after_response(async move { unless_busy(take(&db, &key, limit, now).await.map(drop)) });
    Ok(Turn::Taken { left: left.saturating_sub(1) })
}

/// Takes a try back that turned out not to count: the newest of that key.
pub async fn give_back(db: &Db, key: &str) -> database::Result<()> {
    db.execute("DELETE FROM throttle_hits WHERE id = (SELECT max(id) FROM throttle_hits WHERE key = ?1)", (key,)).await
}

/// Forgets the windows that have passed, of keys that nobody asked for again.
pub async fn clear(db: &Db, now: Timestamp) -> database::Result<()> {
    db.execute("DELETE FROM throttle_hits WHERE until <= ?1", (now.to_utc().timestamp_millis(),)).await
}
