//! The time for which events of courses are kept: for ever, unless the installation says for how many days.

use database::Db;
use types::clock::{DAY, Timestamp};
use web::config;
use web::error::Result;

use super::store;

const VARIABLE: &str = "audit_retention_days";

/// Cuts off what is older, some of it at a time and no more than once a day when there is little of it. It is done
/// where events are written, and where things are cleared up; call it in a transaction.
pub async fn cut(db: &Db, now: Timestamp) -> Result<()> {
    let Some(days) = config::optional_number::<i64>(VARIABLE).await? else { return Ok(()) };
    let oldest = now.plus_seconds(-days.saturating_mul(DAY));
    Ok(store::cut(db, oldest, now.plus_seconds(-DAY), now).await?)
}
