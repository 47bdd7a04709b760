//! The SQL of messages.

use serde::Deserialize;
use shared::channels::Kind;
use shared::clock::{DAY, MINUTE};
use shared::ids::{ChannelId, MessageId};
use shared::{Db, Timestamp, db};

/// The number of messages of one kind that may be on their way at once, wherever they are sent from.
const AT_ONCE: i64 = 16;

/// The time for which a message stays leased: longer than any attempt takes.
const LEASE: i64 = 2 * MINUTE;

/// The seconds for which a message is kept after it was made: those that were sent, and those that were given up.
const SENT_ARE_KEPT: i64 = 30 * DAY;
const DEAD_ARE_KEPT: i64 = 90 * DAY;

/// The work that there is to do.
#[derive(Deserialize)]
pub(crate) struct Due {
    /// Parts of digests that are due, or whose time is not known yet.
    pub(crate) digests: bool,
    email: bool,
    sms: bool,
    push: bool,
}

impl Due {
    /// The kinds of which there are messages to send. A digest may become any of them.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let kinds = [(self.email, Kind::Email), (self.sms, Kind::Sms), (self.push, Kind::Push)];
        kinds.into_iter().filter(|(due, _)| *due || self.digests).map(|(_, kind)| kind).collect()
    }
}

pub(crate) async fn due(db: &Db, now: Timestamp) -> db::Result<Due> {
    db.fetch_one(
        "SELECT EXISTS (SELECT 1 FROM messages WHERE state = 'queued' AND type = 'email' AND due_at <= ?1) AS email,
                EXISTS (SELECT 1 FROM messages WHERE state = 'queued' AND type = 'sms' AND due_at <= ?1) AS sms,
                EXISTS (SELECT 1 FROM messages WHERE state = 'queued' AND type = 'push' AND due_at <= ?1) AS push,
                EXISTS (SELECT 1 FROM messages WHERE state = 'gathered' AND due_at IS NULL)
                OR EXISTS (SELECT 1 FROM messages WHERE state = 'gathered' AND due_at <= ?1) AS digests",
        (now,),
    )
    .await
}

/// A message that is ours to send.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: MessageId,
    pub(crate) channel_id: ChannelId,
    pub(crate) recipient: String,
    pub(crate) notification: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    /// Attempts up to now, this one included.
    pub(crate) attempts: i64,
    /// The process that is sending it: ours, unless the lease has run out.
    lease: String,
    /// True if the channel's last message came back.
    pub(crate) bouncing: bool,
    pub(crate) push_endpoint_id: Option<i64>,
    /// The name of the device, and of the application on it, at the push service.
    pub(crate) endpoint_arn: Option<String>,
    pub(crate) application_arn: Option<String>,
    /// True if more of its kind were due than were leased with it.
    pub(crate) others_due: bool,
}

/// Takes up to so many due messages of a kind, so that nobody else sends them. When the lease has run out they are due again.
pub(crate) async fn lease(db: &Db, kind: Kind, most: i64, now: Timestamp) -> db::Result<Vec<Message>> {
    let lease = uuid::Uuid::new_v4().to_string();
    let taken = db
        .affects(
            "UPDATE messages SET lease = ?1, due_at = ?2, attempts = attempts + 1
             WHERE id IN (
                 SELECT id FROM messages WHERE state = 'queued' AND type = ?3 AND due_at <= ?4 ORDER BY due_at, id
                 LIMIT max(0, min(?5, ?6 - (
                     SELECT count(*) FROM messages WHERE lease IS NOT NULL AND type = ?3 AND due_at > ?4
                 )))
             )
             RETURNING id",
            (lease.as_str(), now.plus_seconds(LEASE), kind, now, most, AT_ONCE),
        )
        .await?;
    if !taken {
        return Ok(Vec::new());
    }
    db.fetch_all(
        "SELECT m.id, m.channel_id, m.recipient, m.notification, m.subject, m.body, m.attempts, m.lease,
                c.bounce_count > 0 AS bouncing, m.push_endpoint_id, e.endpoint_arn, k.push_topic_arn AS application_arn,
                EXISTS (SELECT 1 FROM messages o WHERE o.state = 'queued' AND o.type = ?2 AND o.due_at <= ?3) AS others_due
         FROM messages m
         JOIN communication_channels c ON c.id = m.channel_id
         LEFT JOIN push_endpoints e ON e.id = m.push_endpoint_id
         LEFT JOIN access_tokens t ON t.id = e.access_token_id
         LEFT JOIN developer_keys k ON k.id = t.developer_key_id
         WHERE m.lease = ?1 ORDER BY m.id",
        (lease, kind, now),
    )
    .await
}

/// The message has gone out, even if its channel was taken away meanwhile. Its secret, if it holds one, is forgotten unless it has nowhere else to be read.
pub(crate) async fn sent(
    db: &Db,
    message: &Message,
    reference: Option<&str>,
    forget: bool,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE messages SET state = 'sent', sent_at = ?3, lease = NULL, failure = NULL, reference = ?4,
                body = iif(confidential AND ?5, '', body)
         WHERE id = ?1 AND lease = ?2",
        (message.id, message.lease.as_str(), now, reference, forget),
    )
    .await?;
    if message.bouncing {
        let sql =
            "UPDATE communication_channels SET bounce_count = 0, updated_at = ?2 WHERE id = ?1 AND bounce_count > 0";
        db.execute(sql, (message.channel_id, now)).await?;
    }
    Ok(())
}

/// The message is to be tried again, unless its channel was taken away meanwhile.
pub(crate) async fn put_off(db: &Db, message: &Message, failure: &str, due_at: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE messages SET due_at = ?3, lease = NULL, failure = iif(state = 'queued', ?4, failure)
         WHERE id = ?1 AND lease = ?2",
        (message.id, message.lease.as_str(), due_at, failure),
    )
    .await
}

/// The message is given up, and kept.
pub(crate) async fn give_up(db: &Db, message: &Message, failure: &str) -> db::Result<()> {
    db.execute(
        "UPDATE messages SET state = 'dead', lease = NULL, failure = iif(state = 'queued', ?3, failure)
         WHERE id = ?1 AND lease = ?2",
        (message.id, message.lease.as_str(), failure),
    )
    .await
}

/// Notes what the push service calls a device.
pub(crate) async fn name_device(db: &Db, endpoint: i64, arn: &str) -> db::Result<()> {
    db.execute("UPDATE push_endpoints SET endpoint_arn = ?2 WHERE id = ?1", (endpoint, arn)).await
}

/// Forgets a device that is gone, with all that was still to be sent to it.
pub(crate) async fn forget_device(db: &Db, endpoint: i64) -> db::Result<()> {
    db.execute("DELETE FROM push_endpoints WHERE id = ?1", (endpoint,)).await
}

/// Forgets up to so many messages that were sent or given up long ago; false where there is none.
pub(crate) async fn clear(db: &Db, now: Timestamp, most: i64) -> db::Result<bool> {
    db.affects(
        "DELETE FROM messages WHERE id IN (
             SELECT id FROM messages
             WHERE state IN ('sent', 'dead') AND created_at < ?1 AND (state = 'sent' OR created_at < ?2)
             ORDER BY created_at LIMIT ?3
         )
         RETURNING 1 AS gone",
        (now.plus_seconds(-SENT_ARE_KEPT), now.plus_seconds(-DEAD_ARE_KEPT), most),
    )
    .await
}
