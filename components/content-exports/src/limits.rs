//! The limits of exports: of those that somebody may ask for, of those that are kept, and of their bytes.

use shared::ids::UserId;
use shared::throttle::{self, Limit, Turn};
use shared::{Context, Error, Result, config};

/// The most exports of a user that wait or are worked on, for one course, group or user.
pub(crate) const MAX_PENDING_EXPORTS: i64 = 5;
/// The most packages of a user that are kept, for one course, group or user: older ones are removed.
pub(crate) const MAX_KEPT_EXPORTS: i64 = 5;

/// The number of exports that a user may begin within an hour, unless the variable says otherwise.
const EXPORTS_AN_HOUR: i64 = 60;
const HOURLY_LIMIT: &str = "content_export_hourly_limit";
const HOUR: i64 = 3600;

/// The number of megabytes that all packages of a user may have together, unless the variable says otherwise.
const QUOTA_MEGABYTES: i64 = 5000;
const QUOTA: &str = "content_export_quota_megabytes";
const MEGABYTE: i64 = 1024 * 1024;

/// Counts an export; 429 where the user has begun too many.
pub(crate) async fn take(cx: &Context, user: UserId) -> Result<()> {
    let limit = Limit { most: number(HOURLY_LIMIT, EXPORTS_AN_HOUR).await?, seconds: HOUR };
    match throttle::take(&cx.db, &format!("content-export/{user}"), limit, cx.now).await? {
        Turn::Taken { .. } => Ok(()),
        Turn::Wait { seconds } => Err(Error::throttled(seconds)),
    }
}

/// The number of bytes that all packages of a user may have together; none of them has more.
pub(crate) async fn quota() -> Result<i64> {
    Ok(MEGABYTE.saturating_mul(number(QUOTA, QUOTA_MEGABYTES).await?))
}

async fn number(variable: &str, otherwise: i64) -> Result<i64> {
    let Some(text) = config::get(variable).await? else { return Ok(otherwise) };
    match text.trim().parse() {
        Ok(number @ 1..=1_000_000) => Ok(number),
        _ => Err(Error::internal(anyhow::anyhow!("{variable} is no number from 1 to 1000000: {text}"))),
    }
}
