//! The end of what is kept: what nobody can use any more is forgotten, a little every hour.

use shared::auth::REFRESH_TOKENS_LAST;
use shared::clock::{self, DAY, HOUR};
use shared::course_events;
use shared::db::Bind;
use shared::throttle::{self, Limit, Turn};
use shared::{Db, Result, Timestamp, background, config, db};

use crate::messages;

/// The interval at which there is something to remove.
const ONCE_AN_HOUR: Limit = Limit { most: 1, seconds: HOUR };

/// For how long an ended token can be told from one that never was.
const TOKENS_ARE_KEPT: i64 = 30 * DAY;

/// Wrong passwords count for minutes only.
const FAILURES_ARE_KEPT: i64 = DAY;

/// The networks from which logins came in: as long as they count.
const NETWORKS_ARE_KEPT: i64 = 90 * DAY;

/// The log of log-ins.
const EVENTS_ARE_KEPT: i64 = 365 * DAY;

/// Used and unused codes: a day more than they are good, in which a second use of them is noticed.
const CODES_ARE_KEPT: i64 = DAY;

/// The rows that go in one statement, because writers wait for each, and the statements of an hour for one kind of row: more
/// must go in an hour than is made in one.
const AT_ONCE: i64 = 1000;
const MAX_ROUNDS: usize = 200;

/// Removes it if that was not done within the last hour. The end by the real clock is meant, whatever the tick's says:
/// tokens end by that one.
pub(crate) async fn run(db: &Db) -> Result<()> {
    let now = clock::now();
    match throttle::take(db, "retention", ONCE_AN_HOUR, now).await? {
        Turn::Taken { .. } => clear(db, now).await,
        Turn::Wait { .. } => Ok(()),
    }
}

/// Takes all the steps. One that fails does not keep the others from being taken: the first failure is returned at the end, and
/// the log has the others.
async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    let before = |seconds: i64| now.plus_seconds(-seconds);
    let steps = [
        by_age(db, "throttle_hits", "id", "until", now.to_utc().timestamp_millis()).await,
        by_age(db, "login_failures", "id", "failed_at", before(FAILURES_ARE_KEPT)).await,
        by_age(db, "spent_forms", "token_hash", "expires_at", now).await,
        login_networks(db, before(NETWORKS_ARE_KEPT)).await,
        by_age(db, "confirmation_codes", "channel_id", "expires_at", before(CODES_ARE_KEPT)).await,
        by_age(db, "authorization_codes", "id", "expires_at", before(CODES_ARE_KEPT)).await,
        unused_refresh_tokens(db, now).await,
        by_age(db, "badge_refresh_tokens", "id", "expires_at", before(TOKENS_ARE_KEPT)).await,
        devices(db, before(TOKENS_ARE_KEPT)).await,
        access_tokens(db, before(TOKENS_ARE_KEPT)).await,
        refresh_tokens(db, before(TOKENS_ARE_KEPT)).await,
        by_age(db, "authentication_events", "id", "created_at", before(EVENTS_ARE_KEPT).with_microseconds()).await,
        // Those of districts: ended ones are no better than none.
        by_age(db, "mastery_tokens", "hash", "expires_at", now).await,
        in_rounds(async || messages::clear(db, now, AT_ONCE).await).await,
        error_reports(db, now).await,
        db.transaction(async |db| course_events::cut(db, now).await).await,
    ];
    let mut failure = None;
    steps.into_iter().filter_map(Result::err).for_each(|error| background::keep_first(&mut failure, error));
    failure.map_or(Ok(()), Err)
}

/// Removes what is older than that, the oldest first. `key` is the primary key, and `age` the column of an index.
async fn by_age(db: &Db, table: &str, key: &str, age: &str, before: impl Bind + Clone) -> Result<()> {
    let sql = format!(
        "DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE {age} < ?1 ORDER BY {age} LIMIT ?2)
         RETURNING 1 AS gone"
    );
    in_rounds(async || db.affects(&sql, (before.clone(), AT_ONCE)).await).await
}

/// Repeats a statement for some rows until it finds none, or the hour has had enough of it.
async fn in_rounds(round: impl AsyncFn() -> db::Result<bool>) -> Result<()> {
    for _ in 0..MAX_ROUNDS {
        if !round().await? {
            break;
        }
    }
    Ok(())
}

/// All at once: the key has three columns, of which `IN` would look up the first alone.
async fn login_networks(db: &Db, before: Timestamp) -> Result<()> {
    Ok(db.execute("DELETE FROM login_networks WHERE last_used_at < ?1", (before,)).await?)
}

async fn error_reports(db: &Db, now: Timestamp) -> Result<()> {
    let days: i64 = config::number("error_report_retention_days").await?;
    by_age(db, "error_reports", "id", "created_at", now.plus_seconds(-days * DAY)).await
}

/// Refresh tokens of clients that nobody used for long: they have ended, and with them what was made through their clients.
async fn unused_refresh_tokens(db: &Db, now: Timestamp) -> Result<()> {
    const REVOKE: &str = "UPDATE refresh_tokens SET revoked_at = ?1
         WHERE id IN (SELECT id FROM refresh_tokens WHERE revoked_at IS NULL AND last_used_at < ?2
                      ORDER BY last_used_at LIMIT ?3)
         RETURNING 1 AS gone";
    let unused_since = now.plus_seconds(-REFRESH_TOKENS_LAST);
    in_rounds(async || db.affects(REVOKE, (now, unused_since, AT_ONCE)).await).await
}

/// The devices that ended tokens had registered. A device stays as long as its token can be renewed.
async fn devices(db: &Db, before: Timestamp) -> Result<()> {
    const DELETE: &str = "DELETE FROM push_endpoints WHERE id IN (
             SELECT e.id FROM access_tokens t
             JOIN push_endpoints e ON e.access_token_id = t.id
             LEFT JOIN refresh_tokens r ON r.id = t.refresh_token_id
             WHERE t.expires_at < ?1 AND (r.id IS NULL OR r.revoked_at IS NOT NULL)
             LIMIT ?2)
         RETURNING 1 AS gone";
    in_rounds(async || db.affects(DELETE, (before, AT_ONCE)).await).await
}

/// Ended tokens that nothing names any more: neither a device nor what renews them.
async fn access_tokens(db: &Db, before: Timestamp) -> Result<()> {
    const DELETE: &str = "DELETE FROM access_tokens WHERE id IN (
             SELECT t.id FROM access_tokens t WHERE (t.expires_at < ?1 OR t.revoked_at < ?1)
               AND NOT EXISTS (SELECT 1 FROM push_endpoints WHERE access_token_id = t.id)
               AND NOT EXISTS (SELECT 1 FROM badge_refresh_tokens WHERE access_token_id = t.id)
             LIMIT ?2)
         RETURNING 1 AS gone";
    in_rounds(async || db.affects(DELETE, (before, AT_ONCE)).await).await
}

/// What renewed ended tokens, once these are removed.
async fn refresh_tokens(db: &Db, before: Timestamp) -> Result<()> {
    const DELETE: &str = "DELETE FROM refresh_tokens WHERE id IN (
             SELECT r.id FROM refresh_tokens r WHERE r.revoked_at < ?1
               AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE refresh_token_id = r.id)
               AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE made_through_refresh_token_id = r.id)
               AND NOT EXISTS (SELECT 1 FROM authorization_codes WHERE refresh_token_id = r.id)
             LIMIT ?2)
         RETURNING 1 AS gone";
    in_rounds(async || db.affects(DELETE, (before, AT_ONCE)).await).await
}
