//! The limits of exports: of those that wait, of those that are kept, and of their bytes.

use shared::{Result, config};

/// The most exports of a user that wait or are worked on, for one course, group or user.
pub(crate) const MAX_PENDING_EXPORTS: i64 = 5;
/// The most packages of a user that are kept, for one course, group or user: older ones are removed.
pub(crate) const MAX_KEPT_EXPORTS: i64 = 5;

/// The number of megabytes that all packages of a user may have together.
const QUOTA: &str = "content_export_quota_megabytes";
const MEGABYTE: i64 = 1024 * 1024;

/// The number of bytes that all packages of a user may have together; none of them has more.
pub(crate) async fn quota() -> Result<i64> {
    Ok(MEGABYTE.saturating_mul(config::number(QUOTA).await?))
}
