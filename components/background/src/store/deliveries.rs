//! Which deliveries are due, and what became of them.

use serde::{Deserialize, Serialize};
use shared::clock::MINUTE;
use shared::db::{self, Json};
use shared::ids::{AccountId, DeliveryId, SubscriptionId};
use shared::live_events::Recorded;
use shared::{Db, Timestamp, accounts_above};
use uuid::Uuid;

/// The number of deliveries to one subscription that may be under way, wherever.
const AT_ONCE: i64 = 16;
/// The same where none has succeeded for some minutes.
const AT_ONCE_WHILE_FAILING: i64 = 4;
const FAILING: i64 = 5 * MINUTE;
/// The time that a lease lasts: longer than any attempt. After a crash it is how long a delivery waits for the next one.
const LEASE: i64 = 60;

/// A delivery that is to be attempted.
#[derive(Debug, Deserialize)]
pub(crate) struct Due {
    pub(crate) id: DeliveryId,
    /// By this it is ours.
    pub(crate) lease: String,
    pub(crate) message_id: String,
    pub(crate) root_account_id: AccountId,
    /// The number of attempts that have failed.
    pub(crate) attempts: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) subscription_id: SubscriptionId,
    pub(crate) subscription_uuid: String,
    format: String,
    pub(crate) transport_type: String,
    pub(crate) url: String,
    pub(crate) sealed_secret: String,
    pub(crate) sealed_previous_secret: Option<String>,
    /// None: a test.
    pub(crate) event: Option<Json<Recorded>>,
    /// True if it tells of a course that is at or below the tool's account no more.
    is_of_left_course: bool,
}

impl Due {
    pub(crate) fn is_caliper(&self) -> bool {
        self.format == "caliper"
    }
}

/// An attempt that was made, and what becomes of its delivery.
pub(crate) struct Result {
    pub(crate) attempt: Attempt,
    pub(crate) fate: Fate,
}

/// The record of an attempt.
#[derive(Debug, Serialize)]
pub(crate) struct Attempt {
    pub(crate) delivery: DeliveryId,
    pub(crate) at: Timestamp,
    /// In milliseconds.
    pub(crate) latency: i64,
    /// What was sent; nothing where there was nothing to send.
    #[serde(flatten)]
    pub(crate) request: Option<SentRequest>,
    pub(crate) response_status: Option<u16>,
    pub(crate) response_body: Option<String>,
    pub(crate) error: Option<String>,
    /// Why there was no answer, for those who run the installation alone.
    pub(crate) reason: Option<String>,
}

/// What was sent to a receiver, as far as it is kept.
#[derive(Debug, Serialize)]
pub(crate) struct SentRequest {
    pub(crate) request_headers: Vec<RequestHeader>,
    /// The beginning of the body.
    pub(crate) request_body: String,
    /// The length of the whole body.
    pub(crate) request_bytes: usize,
}

/// A header as it is kept.
#[derive(Debug, Serialize)]
pub(crate) struct RequestHeader {
    pub(crate) name: String,
    /// Nothing where it would give a secret of the operator's away.
    pub(crate) value: Option<String>,
}

/// What becomes of a delivery after an attempt.
#[derive(Debug, Serialize)]
pub(crate) struct Fate {
    pub(crate) id: DeliveryId,
    pub(crate) lease: String,
    pub(crate) subscription: SubscriptionId,
    /// The address that was asked: the subscription may have another one by now, of which this says nothing.
    pub(crate) url: String,
    pub(crate) at: Timestamp,
    pub(crate) failed: bool,
    /// `delivered`, `pending` or `dead`.
    pub(crate) status: &'static str,
    /// When it is due again.
    pub(crate) next_at: Option<Timestamp>,
    /// Until when the receiver wants to be left alone.
    pub(crate) held_until: Option<Timestamp>,
    /// The receiver wants nothing any more.
    pub(crate) gone: bool,
}

/// Ends what waits for tools that are gone, or whose account is, so that it is forgotten some day.
pub(crate) async fn end_of_gone_tools(db: &Db, now: Timestamp) -> db::Result<()> {
    let gone = format!(
        "{WAITING}
         SELECT s.id FROM waiting
         JOIN webhook_subscriptions s ON s.id = waiting.id
         JOIN tool_proxies t ON t.id = s.tool_proxy_id
         JOIN accounts a ON a.id = t.account_id
         JOIN accounts r ON r.id = t.root_account_id
         WHERE s.status = 'deleted' OR t.deleted_at IS NOT NULL
            OR a.workflow_state <> 'active' OR r.workflow_state <> 'active'"
    );
    // Most of the time there is nothing, and others may want to write.
    if !db.affects(&format!("{gone} LIMIT 1"), ()).await? {
        return Ok(());
    }
    let sql = format!(
        "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?1, lease = NULL
         WHERE status = 'pending' AND subscription_id IN ({gone})"
    );
    db.execute(&sql, (now,)).await
}

/// Forgets invitations of tools to register that none of them has followed in time.
pub(crate) async fn forget_invitations(db: &Db, now: Timestamp) -> db::Result<()> {
    // Most of the time there is none, and others may want to write.
    let lapsed = "SELECT id FROM tool_registrations WHERE status = 'invited' AND invited_until <= ?1 LIMIT 100";
    if !db.affects(lapsed, (now,)).await? {
        return Ok(());
    }
    db.execute(&format!("DELETE FROM tool_registrations WHERE id IN ({lapsed})"), (now,)).await
}

/// True if anything is due that may be sent now. It only reads.
pub(crate) async fn is_any_due(db: &Db, now: Timestamp) -> db::Result<bool> {
    db.affects(&format!("{WAITING}{DUE} SELECT 1 AS due FROM due LIMIT 1"), binds(now)).await
}

/// Takes up to so many due deliveries, which nobody else takes until the lease has ended. What tells of a course that has left
/// the tool's account since is dead.
///
/// Each subscription has so many under way and no more, and those that have the fewest come first: so a receiver that is
/// slow or dead holds up its own deliveries and nobody else's.
pub(crate) async fn lease(db: &Db, most: i64, now: Timestamp) -> db::Result<Vec<Due>> {
    // By a name of its own each lease is told from those that the same run took before.
    let lease = Uuid::new_v4().to_string();
    let mut values = db::Binds::values(binds(now));
    values.extend(db::Binds::values((lease.as_str(), now.plus_seconds(LEASE), most)));
    db.execute(
        &format!(
            "{WAITING}{DUE}
             UPDATE webhook_deliveries SET lease = ?5, next_at = ?6
             WHERE id IN (SELECT id FROM due ORDER BY place, next_at, id LIMIT ?7)"
        ),
        values,
    )
    .await?;
    let leased: Vec<Due> = db.fetch_all(LEASED, (lease.as_str(), now)).await?;
    let (left, due): (Vec<_>, Vec<_>) = leased.into_iter().partition(|due| due.is_of_left_course);
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(|due| due.id).collect();
        db.execute(
            "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?3, lease = NULL
             WHERE id IN (SELECT value FROM json_each(?1)) AND lease = ?2",
            (Json(left), lease, now),
        )
        .await?;
    }
    Ok(due)
}

/// What has the lease `?1`, as a [`Due`].
const LEASED: &str = concat!(
    "SELECT d.id, d.lease, d.message_id, d.root_account_id, d.attempts, d.created_at, d.subscription_id,
            s.uuid AS subscription_uuid, s.format, s.transport_type, s.url, s.sealed_secret,
            CASE WHEN s.previous_secret_until > ?2 THEN s.sealed_previous_secret END AS sealed_previous_secret,
            CASE WHEN e.id IS NOT NULL THEN json_object(
                'uuid', e.uuid, 'root_account_id', e.root_account_id, 'account_id', e.account_id,
                'course_id', e.course_id, 'event_time', e.event_time, 'cause', e.cause, 'data', e.data
            ) END AS event,
            c.id IS NOT NULL AND t.account_id NOT IN ",
    accounts_above!("c.account_id"),
    " AS is_of_left_course
     FROM webhook_deliveries d
     JOIN webhook_subscriptions s ON s.id = d.subscription_id
     JOIN tool_proxies t ON t.id = s.tool_proxy_id
     LEFT JOIN live_events e ON e.id = d.event_id
     LEFT JOIN courses c ON c.id = e.course_id
     WHERE d.lease = ?1"
);

/// The table `waiting`: the subscriptions that something waits for, and a null behind them. They are found by leaps through
/// the index, whatever the number of deliveries.
const WAITING: &str = "
WITH RECURSIVE waiting (id) AS (
    SELECT min(subscription_id) FROM webhook_deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(d.subscription_id) FROM webhook_deliveries d
            WHERE d.status = 'pending' AND d.subscription_id > waiting.id)
    FROM waiting WHERE waiting.id IS NOT NULL
)";

/// Behind it the table `due`: what may be sent now, with its place among the deliveries to its subscription.
const DUE: &str = ",
leased AS MATERIALIZED (
    SELECT subscription_id, count(*) AS number
    FROM webhook_deliveries INDEXED BY webhook_deliveries_leased
    WHERE lease IS NOT NULL AND next_at > ?1 GROUP BY subscription_id
),
receivers AS MATERIALIZED (
    SELECT s.id, s.status, ifnull(l.number, 0) AS under_way, iif(s.failing_since <= ?2, ?4, ?3) AS at_once
    FROM waiting JOIN webhook_subscriptions s ON s.id = waiting.id LEFT JOIN leased l ON l.subscription_id = s.id
    WHERE s.status <> 'deleted' AND ifnull(s.held_until, '') <= ?1 AND EXISTS (
        SELECT 1 FROM tool_proxies t JOIN accounts a ON a.id = t.account_id JOIN accounts r ON r.id = t.root_account_id
        WHERE t.id = s.tool_proxy_id AND t.deleted_at IS NULL
          AND a.workflow_state = 'active' AND r.workflow_state = 'active')
),
placed AS (
    SELECT d.id, d.next_at, receivers.at_once,
           receivers.under_way + row_number() OVER (PARTITION BY d.subscription_id ORDER BY d.next_at, d.id) AS place
    FROM receivers JOIN webhook_deliveries d ON d.id IN (
        SELECT id FROM webhook_deliveries
        WHERE subscription_id = receivers.id AND status = 'pending' AND next_at <= ?1
          AND (receivers.status = 'active' OR event_id IS NULL)
        ORDER BY next_at, id
        LIMIT ?3
    )
    WHERE receivers.under_way < receivers.at_once
),
due AS (
    SELECT id, next_at, place FROM placed WHERE place <= at_once
)";

fn binds(now: Timestamp) -> (Timestamp, Timestamp, i64, i64) {
    (now, now.plus_seconds(-FAILING), AT_ONCE, AT_ONCE_WHILE_FAILING)
}

/// Writes what became of attempts: the attempts, the deliveries, and what it says of their subscriptions.
///
/// A failure is written only by whoever holds the lease; that a delivery was taken is true whoever has sent it.
pub(crate) async fn record(db: &Db, results: &[Result], failing_too_long: i64) -> db::Result<()> {
    db.transaction(async |db| {
        insert_attempts(db, results).await?;
        let fates: Vec<_> = results.iter().map(|result| &result.fate).collect();
        settle(db, &fates).await?;
        match judge_receivers(db, &fates, failing_too_long).await? {
            true => give_up_disabled(db, &fates).await,
            false => Ok(()),
        }
    })
    .await
}

async fn insert_attempts(db: &Db, results: &[Result]) -> db::Result<()> {
    let attempts: Vec<_> = results.iter().map(|result| &result.attempt).collect();
    db.execute(
        "INSERT INTO webhook_attempts
             (delivery_id, attempted_at, latency_ms, request_headers, request_body, request_bytes, response_status,
              response_body, error, reason)
         SELECT value ->> 'delivery', value ->> 'at', value ->> 'latency', value -> 'request_headers',
                value ->> 'request_body', value ->> 'request_bytes', value ->> 'response_status',
                value ->> 'response_body', value ->> 'error', value ->> 'reason'
         FROM json_each(?1)",
        (Json(attempts),),
    )
    .await
}

/// Writes what became of the deliveries. An attempt counts also where somebody has ended the delivery meanwhile.
async fn settle(db: &Db, fates: &[&Fate]) -> db::Result<()> {
    db.execute(
        "UPDATE webhook_deliveries
         SET attempts = attempts + 1,
             status = iif(r.decides, r.status, webhook_deliveries.status),
             next_at = iif(r.decides, ifnull(r.next_at, webhook_deliveries.next_at), webhook_deliveries.next_at),
             lease = iif(r.decides, NULL, webhook_deliveries.lease),
             ended_at = iif(r.decides, iif(r.status = 'pending', NULL, r.at), webhook_deliveries.ended_at)
         FROM (SELECT d.id, fate.value ->> 'status' AS status, fate.value ->> 'next_at' AS next_at,
                      fate.value ->> 'at' AS at,
                      iif(fate.value ->> 'status' = 'delivered', d.status <> 'delivered',
                          d.status = 'pending' AND d.lease = fate.value ->> 'lease') AS decides
               FROM json_each(?1) fate CROSS JOIN webhook_deliveries d ON d.id = fate.value ->> 'id') r
         WHERE webhook_deliveries.id = r.id",
        (Json(fates),),
    )
    .await
}

/// Writes what it says of the subscriptions: since when they fail, how long they are held, and that they are disabled. Tells whether
/// any has failed, or did before. Most of the time none has, and nothing is written.
async fn judge_receivers(db: &Db, fates: &[&Fate], failing_too_long: i64) -> db::Result<bool> {
    db.affects(
        "UPDATE webhook_subscriptions
         SET failing_since = CASE
                 WHEN r.delivered THEN NULL
                 WHEN r.failed_at IS NULL THEN failing_since
                 ELSE ifnull(failing_since, r.failed_at)
             END,
             held_until = nullif(max(ifnull(held_until, ''), ifnull(r.hold, '')), ''),
             status = CASE
                 WHEN status <> 'active' THEN status
                 WHEN r.gone THEN 'disabled'
                 WHEN NOT r.delivered AND failing_since <= strftime('%Y-%m-%dT%H:%M:%SZ', r.last_at, ?2) THEN 'disabled'
                 ELSE status
             END,
             disabled_because = CASE
                 WHEN status <> 'active' THEN disabled_because
                 WHEN r.gone THEN 'the receiver answered 410'
                 WHEN NOT r.delivered AND failing_since <= strftime('%Y-%m-%dT%H:%M:%SZ', r.last_at, ?2)
                 THEN 'nothing was delivered for days'
             END
         FROM (SELECT value ->> 'subscription' AS id, value ->> 'url' AS url,
                      max(value ->> 'status' = 'delivered') AS delivered,
                      min(iif(value ->> 'failed', value ->> 'at', NULL)) AS failed_at,
                      max(value ->> 'at') AS last_at, max(value ->> 'held_until') AS hold,
                      max(value ->> 'gone') AS gone
               FROM json_each(?1) GROUP BY 1, 2) r
         WHERE webhook_subscriptions.id = r.id AND webhook_subscriptions.url = r.url
           AND (r.failed_at IS NOT NULL OR failing_since IS NOT NULL)
         RETURNING 1",
        (Json(fates), format!("-{failing_too_long} seconds")),
    )
    .await
}

/// A delivery to a receiver that is given up is kept, and can be sent again by hand.
async fn give_up_disabled(db: &Db, fates: &[&Fate]) -> db::Result<()> {
    db.execute(
        "UPDATE webhook_deliveries
         SET status = 'dead', ended_at = (SELECT max(value ->> 'at') FROM json_each(?1)), lease = NULL
         WHERE status = 'pending' AND event_id IS NOT NULL AND subscription_id IN (
             SELECT s.id FROM webhook_subscriptions s JOIN json_each(?1) r ON s.id = r.value ->> 'subscription'
             WHERE s.status = 'disabled')",
        (Json(fates),),
    )
    .await
}
