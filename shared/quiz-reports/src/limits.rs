//! The limits of exports, of which a report is one: how many somebody may ask for, and how long they are kept.

use shared::clock::{DAY, HOUR};
use shared::ids::UserId;
use shared::throttle::{self, Limit};
use shared::{Context, LimitKind, Result, Timestamp, config};

/// The number of exports that a user may begin within an hour.
const HOURLY_LIMIT: &str = "content_export_hourly_limit";
/// For how many days a file is kept.
const RETENTION: &str = "content_export_retention_days";

/// Counts an export; 429 where the user has begun too many.
pub async fn take_turn(cx: &Context, user: UserId) -> Result<()> {
    let limit = Limit { most: config::number(HOURLY_LIMIT).await?, seconds: HOUR };
    throttle::require_turn(cx, LimitKind::ContentExports, &format!("content-export/{user}"), limit).await
}

/// When an export that is asked for now is removed.
pub async fn expiry(cx: &Context) -> Result<Timestamp> {
    Ok(cx.now.plus_seconds(config::number::<i64>(RETENTION).await?.saturating_mul(DAY)))
}
