//! The limits of exports: of those that somebody may ask for, of those that are kept, and of their bytes.

use shared::ids::UserId;
use shared::throttle::{self, Limit};
use shared::{Context, LimitKind, Result, config};

/// The most exports of a user that wait or are worked on, for one course, group or user.
pub(crate) const MAX_PENDING_EXPORTS: i64 = 5;
/// The most packages of a user that are kept, for one course, group or user: older ones are removed.
pub(crate) const MAX_KEPT_EXPORTS: i64 = 5;

/// The number of exports that a user may begin within an hour.
const HOURLY_LIMIT: &str = "content_export_hourly_limit";
const HOUR: i64 = 3600;

/// The number of megabytes that all packages of a user may have together.
const QUOTA: &str = "content_export_quota_megabytes";
const MEGABYTE: i64 = 1024 * 1024;

/// Counts an export; 429 where the user has begun too many.
pub(crate) async fn take(cx: &Context, user: UserId) -> Result<()> {
    let limit = Limit { most: config::number(HOURLY_LIMIT).await?, seconds: HOUR };
    throttle::require_turn(cx, LimitKind::ContentExports, &format!("content-export/{user}"), limit).await
}

/// The number of bytes that all packages of a user may have together; none of them has more.
pub(crate) async fn quota() -> Result<i64> {
    Ok(MEGABYTE.saturating_mul(config::number(QUOTA).await?))
}
