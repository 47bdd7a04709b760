//! The number of times that something may be done: a rolling window, counted exactly however many ask at the same moment.

use std::time::Duration;

use database::{Db, Json};
use serde::{Deserialize, Serialize};
use types::clock::Timestamp;
use web::after_response::{after_response, unless_busy};
use web::error::{Error, Result};
use web::{Context, LimitKind};

/// The time for which a read waits to be counted. Many reads at once keep one another waiting, but not for so long.
const READS_WAIT: Duration = Duration::from_millis(1_500);

/// So many times within so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

impl Turn {
    /// How often it may be done yet; 429 of that kind where it was once too often.
    pub fn require(self, kind: LimitKind) -> Result<i64> {
        match self {
            Self::Taken { left } => Ok(left),
            Self::Wait { seconds } => Err(Error::throttled(kind, seconds)),
        }
    }
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

/// The same; 429 of that kind where the limit is reached.
pub async fn require_turn(cx: &Context, kind: LimitKind, key: &str, limit: Limit) -> Result<()> {
    take(&cx.db, key, limit, cx.now).await?.require(kind)?;
    Ok(())
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

/// A try of what `key` names, for [`take_all`].
#[derive(Debug, Serialize)]
pub struct Try {
    /// The name of the thing and of whoever does it.
    pub key: String,
    /// The number of times that it may be done.
    #[serde(flatten)]
    pub limit: Limit,
}

/// The tries so far of what `wanted`, an element of a list of [`Try`], names.
macro_rules! tries_so_far {
    ($column:literal, $condition:literal) => {
        concat!(
            "(SELECT ",
            $column,
            " FROM throttle_hits AS earlier WHERE earlier.key = wanted.value ->> 'key' AND earlier.until > ?2",
            $condition,
            ")"
        )
    };
}

/// Counts a try of each of these in one statement, or of none where one of the limits is reached.
pub async fn take_all(db: &Db, tries: &[Try], now: Timestamp) -> database::Result<Turn> {
    take_several_of_all(db, tries, 1, now).await
}

/// Counts `times` tries of each of these at once, or of none where they are more than one of the limits leaves.
pub async fn take_several_of_all(db: &Db, tries: &[Try], times: i64, now: Timestamp) -> database::Result<Turn> {
    #[derive(Deserialize)]
    struct Remaining {
        remaining: i64,
    }
    #[derive(Deserialize)]
    struct Count {
        most: i64,
        seconds: i64,
        taken: i64,
        oldest: Option<i64>,
    }
    if tries.is_empty() || times < 1 {
        return Ok(Turn::Taken { left: i64::MAX });
    }
    let now = now.to_utc().timestamp_millis();
    let taken: Option<Remaining> = db
        .fetch(
            concat!(
                "INSERT INTO throttle_hits (key, at, until)
                 WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < ?3)
                 SELECT named.value ->> 'key', ?2, ?2 + 1000 * (named.value ->> 'seconds')
                 FROM json_each(?1) AS named CROSS JOIN numbered
                 WHERE NOT EXISTS (SELECT 1 FROM json_each(?1) AS wanted WHERE ",
                tries_so_far!("count(*)", ""),
                " + ?3 > wanted.value ->> 'most')
                 RETURNING (SELECT min((wanted.value ->> 'most') - ?3 - ",
                tries_so_far!("count(*)", " AND earlier.id < throttle_hits.id"),
                ") FROM json_each(?1) AS wanted) AS remaining"
            ),
            (Json(tries), now, times),
        )
        .await?;
    if let Some(Remaining { remaining }) = taken {
        return Ok(Turn::Taken { left: remaining.max(0) });
    }
    let counts: Vec<Count> = db
        .fetch_all(
            concat!(
                "SELECT wanted.value ->> 'most' AS most, wanted.value ->> 'seconds' AS seconds, ",
                tries_so_far!("count(*)", ""),
                " AS taken, ",
                tries_so_far!("min(earlier.until)", ""),
                " AS oldest FROM json_each(?1) AS wanted"
            ),
            (Json(tries), now),
        )
        .await?;
    let waits = counts.into_iter().filter(|count| count.taken.saturating_add(times) > count.most).map(|count| {
        let Count { most, seconds, taken, oldest } = count;
        match wait(&Row { taken, oldest }, Limit { most, seconds }, now) {
            Turn::Wait { seconds } => seconds,
            Turn::Taken { .. } => 1,
        }
    });
    Ok(Turn::Wait { seconds: waits.max().unwrap_or(1) })
}

/// The same as [`take`] for reads, which nobody may keep waiting: where one writer keeps all others out, the try is judged and not
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

/// The number of tries of a key that count at a moment, as an expression of a statement that reads more: both are expressions,
/// the moment in milliseconds since 1970 began.
pub fn taken_sql(key: &str, now: &str) -> String {
    format!("(SELECT count(*) FROM throttle_hits WHERE key = {key} AND until > {now})")
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
