//! The end of what is kept: what nobody can use any more is forgotten, a little every hour.

use shared::auth::REFRESH_TOKENS_LAST;
use shared::clock::{self, DAY, HOUR};
use shared::course_events;
use shared::db::Bind;
use shared::throttle::{self, Limit, Turn};
use shared::{Db, Result, Timestamp, config, db};

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

/// The rows that go in one statement, and the statements of an hour: writers wait for each.
const AT_ONCE: i64 = 1000;
const MAX_ROUNDS: usize = 50;

/// Removes it if that was not done within the last hour. The end by the real clock is meant, whatever the tick's says:
/// tokens end by that one.
pub(crate) async fn run(db: &Db) -> Result<()> {
    let now = clock::now();
    match throttle::take(db, "retention", ONCE_AN_HOUR, now).await? {
        Turn::Taken { .. } => clear(db, now).await,
        Turn::Wait { .. } => Ok(()),
    }
}

async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    throttle::clear(db, now).await?;
    log_ins(db, now).await?;
    codes(db, now.plus_seconds(-CODES_ARE_KEPT)).await?;
    unused_refresh_tokens(db, now).await?;
    tokens(db, now.plus_seconds(-TOKENS_ARE_KEPT)).await?;
    authentication_events(db, now).await?;
    mastery_tokens(db, now).await?;
    messages::clear(db, now).await?;
    error_reports(db, now).await?;
    db.transaction(async |db| course_events::cut(db, now).await).await
}

async fn log_ins(db: &Db, now: Timestamp) -> db::Result<()> {
    let failures = now.plus_seconds(-FAILURES_ARE_KEPT);
    db.execute("DELETE FROM login_failures WHERE failed_at < ?1", (failures,)).await?;
    db.execute("DELETE FROM spent_forms WHERE expires_at < ?1", (now,)).await?;
    let networks = now.plus_seconds(-NETWORKS_ARE_KEPT);
    db.execute("DELETE FROM login_networks WHERE last_used_at < ?1", (networks,)).await
}

/// Refresh tokens of clients that nobody used for long: they have ended, and with them what was made through their clients.
async fn unused_refresh_tokens(db: &Db, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE refresh_tokens SET revoked_at = ?1 WHERE revoked_at IS NULL AND last_used_at < ?2",
        (now, now.plus_seconds(-REFRESH_TOKENS_LAST)),
    )
    .await
}

async fn authentication_events(db: &Db, now: Timestamp) -> db::Result<()> {
    by_age(db, "authentication_events", now.plus_seconds(-EVENTS_ARE_KEPT).with_microseconds()).await
}

async fn error_reports(db: &Db, now: Timestamp) -> Result<()> {
    let days: i64 = config::number("error_report_retention_days").await?;
    Ok(by_age(db, "error_reports", now.plus_seconds(-days * DAY)).await?)
}

/// Removes what was made before that moment, the oldest first.
async fn by_age(db: &Db, table: &str, before: impl Bind + Clone) -> db::Result<()> {
    let sql = format!(
        "DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)
         RETURNING 1 AS gone"
    );
    for _ in 0..MAX_ROUNDS {
        if !db.affects(&sql, (before.clone(), AT_ONCE)).await? {
            break;
        }
    }
    Ok(())
}

async fn codes(db: &Db, before: Timestamp) -> db::Result<()> {
    db.execute("DELETE FROM confirmation_codes WHERE expires_at < ?1", (before,)).await?;
    db.execute("DELETE FROM authorization_codes WHERE expires_at < ?1", (before,)).await
}

/// Those of districts: ended ones are no better than none.
async fn mastery_tokens(db: &Db, now: Timestamp) -> db::Result<()> {
    db.execute("DELETE FROM mastery_tokens WHERE expires_at <= ?1", (now,)).await
}

/// Ended tokens, what renewed them, and the devices they had registered. A device stays as long as its token can be renewed.
async fn tokens(db: &Db, before: Timestamp) -> db::Result<()> {
    db.transaction(async |db| {
        db.execute("DELETE FROM badge_refresh_tokens WHERE expires_at < ?1", (before,)).await?;
        db.execute(
            "DELETE FROM push_endpoints WHERE access_token_id IN (
                 SELECT t.id FROM access_tokens t LEFT JOIN refresh_tokens r ON r.id = t.refresh_token_id
                 WHERE t.expires_at < ?1 AND (r.id IS NULL OR r.revoked_at IS NOT NULL))",
            (before,),
        )
        .await?;
        db.execute(
            "DELETE FROM access_tokens WHERE (expires_at < ?1 OR revoked_at < ?1)
               AND NOT EXISTS (SELECT 1 FROM push_endpoints WHERE access_token_id = access_tokens.id)
               AND NOT EXISTS (SELECT 1 FROM badge_refresh_tokens WHERE access_token_id = access_tokens.id)",
            (before,),
        )
        .await?;
        db.execute(
            "DELETE FROM refresh_tokens WHERE revoked_at < ?1
               AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE refresh_token_id = refresh_tokens.id)
               AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE made_through_refresh_token_id = refresh_tokens.id)
               AND NOT EXISTS (SELECT 1 FROM authorization_codes WHERE refresh_token_id = refresh_tokens.id)",
            (before,),
        )
        .await
    })
    .await
}
