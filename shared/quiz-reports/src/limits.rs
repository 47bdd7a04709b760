//! Limits: of exports, of which a report is one, how many somebody may ask for, and how long they are kept; of statistics, how many
//! attempts they are made of.

use shared::clock::{DAY, HOUR};
use shared::ids::UserId;
use shared::throttle::{self, Limit};
use shared::{Context, Db, Error, LimitKind, Result, Timestamp, config};

/// The number of exports that a user may begin within an hour.
const HOURLY_LIMIT: &str = "content_export_hourly_limit";
/// For how many days a file is kept.
const RETENTION: &str = "content_export_retention_days";

/// The most attempts of which statistics are made, and the bytes of their questions and answers.
pub const MAX_ATTEMPTS: i64 = 2000;
const MAX_BYTES: i64 = 32 * 1024 * 1024;
/// The bytes of the questions and answers that are read at a time: one attempt is read whatever it has.
pub const BATCH_BYTES: i64 = 4 * 1024 * 1024;

/// Counts an export with the transaction in which it is made, so that one that is refused is none; 429 where the user has begun
/// too many.
pub async fn take_turn(db: &Db, user: UserId, now: Timestamp) -> Result<()> {
    let limit = Limit { most: config::number(HOURLY_LIMIT).await?, seconds: HOUR };
    throttle::take(db, &format!("content-export/{user}"), limit, now).await?.require(LimitKind::ContentExports)?;
    Ok(())
}

/// When an export that is asked for now is removed.
pub async fn expiry(cx: &Context) -> Result<Timestamp> {
    Ok(cx.now.plus_seconds(config::number::<i64>(RETENTION).await?.saturating_mul(DAY)))
}

/// 400 where there are too many attempts for statistics, whose bytes these are; `called` is what the quiz calls them.
pub fn require_few(bytes: impl ExactSizeIterator<Item = i64>, called: &str) -> Result<()> {
    let count = bytes.len();
    if i64::try_from(count).is_ok_and(|count| count <= MAX_ATTEMPTS) && bytes.sum::<i64>() <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::bad_request(format!("the quiz has too many {called} (maximum is {MAX_ATTEMPTS})")))
}
