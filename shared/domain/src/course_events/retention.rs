//! The time for which events of courses are kept: for ever, unless the installation says for how many days.

use database::Db;
use types::clock::Timestamp;
use web::config;
use web::error::{Error, Result};

use super::store;

const VARIABLE: &str = "audit_retention_days";
const MAX_DAYS: i64 = 100_000;
const SECONDS_OF_A_DAY: i64 = 24 * 60 * 60;

/// Cuts off what is older, some of it at a time and no more than once a day when there is little of it. It is done
/// where events are written, and where things are cleared up; call it in a transaction.
pub async fn cut(db: &Db, now: Timestamp) -> Result<()> {
    match config::get(VARIABLE).await? {
        Some(days) => Ok(store::cut(db, oldest(now, &days)?, now.plus_seconds(-SECONDS_OF_A_DAY), now).await?),
        None => Ok(()),
    }
}

/// The time before which events are too old.
fn oldest(now: Timestamp, days: &str) -> Result<Timestamp> {
    match days.trim().parse() {
        Ok(days @ 1..=MAX_DAYS) => Ok(now.plus_seconds(-days * SECONDS_OF_A_DAY)),
        _ => Err(Error::internal(anyhow::anyhow!("{VARIABLE} is no number from 1 to {MAX_DAYS}: {days}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_back() {
        let now = Timestamp::parse("2026-03-04T05:06:07Z").unwrap();
        assert_eq!(oldest(now, "3").unwrap().to_string(), "2026-03-01T05:06:07Z");
        for days in ["0", "-1", "x", "1.5", "100001"] {
            assert!(oldest(now, days).is_err(), "{days}");
        }
    }
}
