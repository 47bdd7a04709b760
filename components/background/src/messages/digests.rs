//! Digests: what a channel wants to be told once a day or once a week, in one message.
//!
//! A daily digest is due at six in the evening of the user, a weekly one at that time on Saturdays. News until
//! then is in it.

use std::time::Instant;

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::db::Json;
use shared::ids::ChannelId;
use shared::notify::BOUNCING_RESTS;
use shared::{Db, Result, Timestamp, db, time_zones};

/// The local hour of all digests, and the day of those that come weekly.
const HOUR: i8 = 18;
const DAY: Weekday = Weekday::Saturday;

/// The number of parts of a digest, and of the characters of each: what is larger no service takes, and a few
/// such messages would fill the memory of whoever sends them.
const MAX_PARTS: i64 = 100;
const MAX_PART_CHARS: i64 = 4000;

/// The number of digests that are planned or made in one transaction.
const AT_ONCE: i64 = 200;

/// The frequency of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rhythm {
    Daily,
    Weekly,
}

/// Parts of a digest whose time is not known yet.
#[derive(Deserialize)]
struct Unplanned {
    channel_id: ChannelId,
    digest: Rhythm,
    since: Timestamp,
    own_zone: Option<String>,
    zone_of_account: String,
}

/// Plans and makes digests until the deadline; answers whether some are left.
pub(super) async fn make(db: &Db, now: Timestamp, until: Instant) -> Result<bool> {
    while plan(db).await? {
        if Instant::now() >= until {
            return Ok(true);
        }
    }
    while db.transaction(async |db| compose(db, now).await).await? {
        if Instant::now() >= until {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Works out when new parts are due; answers whether there were any.
async fn plan(db: &Db) -> db::Result<bool> {
    let unplanned: Vec<Unplanned> = db
        .fetch_all(
            "SELECT m.channel_id, m.digest, m.since, u.time_zone AS own_zone, a.default_time_zone AS zone_of_account
             FROM (SELECT channel_id, digest, min(created_at) AS since FROM messages
                   WHERE state = 'gathered' AND due_at IS NULL GROUP BY channel_id, digest LIMIT ?1) m
             JOIN communication_channels c ON c.id = m.channel_id
             JOIN users u ON u.id = c.user_id
             JOIN accounts a ON a.id = u.root_account_id",
            (AT_ONCE,),
        )
        .await?;
    if unplanned.is_empty() {
        return Ok(false);
    }
    let plans = unplanned.iter().map(|part| {
        let zone = time_zones::of(part.own_zone.as_deref(), &part.zone_of_account);
        json!([part.channel_id, part.digest, next(part.digest, part.since, &zone)])
    });
    db.execute(
        // The plans come first, so that each finds its parts in the index.
        "WITH planned (id, due_at) AS MATERIALIZED (
             SELECT m.id, plan.value ->> 2 FROM json_each(?1) plan
             CROSS JOIN messages m
             WHERE m.state = 'gathered' AND m.due_at IS NULL
               AND m.channel_id = plan.value ->> 0 AND m.digest = plan.value ->> 1
         )
         UPDATE messages SET due_at = planned.due_at FROM planned WHERE messages.id = planned.id",
        (Json(plans.collect::<serde_json::Value>()),),
    )
    .await?;
    Ok(true)
}

/// The first moment of a digest after that moment. Where the clock leaves that hour out, it is as much later as the clock
/// was moved; where it strikes twice, it is the first time.
fn next(rhythm: Rhythm, after: Timestamp, zone: &TimeZone) -> Timestamp {
    let Ok(moment) = jiff::Timestamp::from_second(after.unix()) else { return after };
    let today = zone.to_datetime(moment).date();
    let days = today.series(jiff::Span::new().days(1)).filter(|day| rhythm == Rhythm::Daily || day.weekday() == DAY);
    let moments = days.filter_map(|day| zone.to_timestamp(day.at(HOUR, 0, 0, 0)).ok());
    let next = moments.take(3).find(|found| *found > moment);
    next.and_then(|found| Timestamp::from_unix(found.as_second())).unwrap_or(after)
}

/// Makes digests of the parts that are due; answers whether there were any. Channels that rest or were never confirmed
/// have none: their parts are forgotten.
async fn compose(db: &Db, now: Timestamp) -> db::Result<bool> {
    db.execute(
        "INSERT INTO messages
             (root_account_id, channel_id, push_endpoint_id, type, recipient, notification, subject, body, due_at, created_at)
         SELECT c.root_account_id, c.id, e.id, c.type, ifnull(e.token, c.address), 'summaries', digest.subject, digest.body,
                ?1, ?1
         FROM (
             SELECT channel_id,
                    iif(digest = 'daily', 'Daily', 'Weekly') || ' summary: ' || total
                        || iif(total = 1, ' notification', ' notifications') AS subject,
                    so_far || iif(total > ?4, char(10) || char(10) || '---- and ' || (total - ?4) || ' more', '') AS body
             FROM (
                 SELECT channel_id, digest, place, total,
                        group_concat(part, char(10) || char(10) || '----' || char(10) || char(10))
                            OVER (PARTITION BY channel_id, digest ORDER BY place) AS so_far
                 FROM (
                     SELECT channel_id, digest, count(*) OVER (PARTITION BY channel_id, digest) AS total,
                            row_number() OVER (PARTITION BY channel_id, digest ORDER BY id) AS place,
                            subject || char(10) || char(10) || substr(body, 1, ?5) || iif(length(body) > ?5, '…', '') AS part
                     FROM messages
                     WHERE state = 'gathered' AND due_at <= ?1 AND (channel_id, digest) IN (
                         SELECT DISTINCT channel_id, digest FROM messages WHERE state = 'gathered' AND due_at <= ?1
                         ORDER BY channel_id, digest LIMIT ?2
                     )
                 )
                 WHERE place <= ?4
             )
             WHERE place = min(total, ?4)
         ) digest
         JOIN communication_channels c ON c.id = digest.channel_id
         LEFT JOIN push_endpoints e ON e.channel_id = c.id AND c.type = 'push'
         WHERE c.workflow_state = 'active' AND (c.bounce_count = 0 OR c.last_bounce_at <= ?3)
           AND (c.type <> 'push' OR e.id IS NOT NULL)",
        (now, AT_ONCE, now.plus_seconds(-BOUNCING_RESTS), MAX_PARTS, MAX_PART_CHARS),
    )
    .await?;
    db.affects(
        "DELETE FROM messages
         WHERE state = 'gathered' AND due_at <= ?1 AND (channel_id, digest) IN (
             SELECT DISTINCT channel_id, digest FROM messages WHERE state = 'gathered' AND due_at <= ?1
             ORDER BY channel_id, digest LIMIT ?2
         )
         RETURNING id",
        (now, AT_ONCE),
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn comes(rhythm: Rhythm, zone: &str, after: &str, expected: &str) {
        let zone = TimeZone::get(zone).unwrap();
        assert_eq!(next(rhythm, Timestamp::parse(after).unwrap(), &zone).to_string(), expected);
    }

    #[test]
    fn a_daily_digest_comes_at_six_in_the_evening() {
        comes(Rhythm::Daily, "Etc/UTC", "2026-03-04T17:59:59Z", "2026-03-04T18:00:00Z");
        comes(Rhythm::Daily, "Etc/UTC", "2026-03-04T18:00:00Z", "2026-03-05T18:00:00Z");
        comes(Rhythm::Daily, "Asia/Tokyo", "2026-03-04T08:00:00Z", "2026-03-04T09:00:00Z");
        comes(Rhythm::Daily, "Asia/Tokyo", "2026-03-04T09:30:00Z", "2026-03-05T09:00:00Z");
        // There it is Thursday already.
        comes(Rhythm::Daily, "Pacific/Kiritimati", "2026-03-04T12:00:00Z", "2026-03-05T04:00:00Z");
        comes(Rhythm::Daily, "Asia/Kathmandu", "2026-03-04T12:00:00Z", "2026-03-04T12:15:00Z");
    }

    #[test]
    fn it_stays_at_six_when_the_clocks_change() {
        comes(Rhythm::Daily, "America/Denver", "2026-03-07T12:00:00Z", "2026-03-08T01:00:00Z");
        comes(Rhythm::Daily, "America/Denver", "2026-03-08T12:00:00Z", "2026-03-09T00:00:00Z");
        comes(Rhythm::Daily, "Europe/Zurich", "2026-10-24T12:00:00Z", "2026-10-24T16:00:00Z");
        comes(Rhythm::Daily, "Europe/Zurich", "2026-10-25T12:00:00Z", "2026-10-25T17:00:00Z");
    }

    #[test]
    fn a_day_without_that_hour_has_a_digest_all_the_same() {
        // Samoa left out the whole of Friday, 2011-12-30.
        comes(Rhythm::Daily, "Pacific/Apia", "2011-12-30T05:00:00Z", "2011-12-31T04:00:00Z");
    }

    #[test]
    fn a_weekly_digest_comes_on_saturdays() {
        comes(Rhythm::Weekly, "Etc/UTC", "2026-03-02T00:00:00Z", "2026-03-07T18:00:00Z");
        comes(Rhythm::Weekly, "Etc/UTC", "2026-03-07T17:00:00Z", "2026-03-07T18:00:00Z");
        comes(Rhythm::Weekly, "Etc/UTC", "2026-03-07T18:00:00Z", "2026-03-14T18:00:00Z");
        // Six o'clock of that Saturday comes after the night in which the clocks went back.
        comes(Rhythm::Weekly, "America/Denver", "2026-10-26T00:00:00Z", "2026-11-01T00:00:00Z");
        comes(Rhythm::Weekly, "America/Denver", "2026-11-01T00:00:00Z", "2026-11-08T01:00:00Z");
    }
}
