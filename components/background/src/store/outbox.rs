//! The SQL of the outbox.

use shared::ids::{AccountId, MessageId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp, db};

use crate::model::outbox::{DeadMessage, Message};

/// The messages to the users of a tenant, or of all tenants, the newest first.
pub(crate) async fn page(db: &Db, tenant: Option<AccountId>, page: &Page) -> Result<Paged<Message>> {
    // A condition that may be none would keep SQLite from the index of the tenant's messages.
    let whose = if tenant.is_some() { "root_account_id = ?1" } else { "?1 IS NULL" };
    let sql = format!(
        "SELECT id, channel_id, type, recipient AS \"to\", notification, subject, body, state, attempts, failure,
                iif(state = 'queued', due_at, NULL) AS due_at, created_at, sent_at
         FROM messages WHERE {whose} AND state <> 'gathered'"
    );
    page.fetch_keyset(db, &sql, (tenant,), Key::descending(&["id"])).await
}

/// The most messages that are made due again at once.
pub(crate) const MAX_REPLAYED: i64 = 1000;

/// The messages of a tenant, or of all, that were given up, the newest first: those before that one, if one is named.
pub(crate) async fn dead(
    db: &Db,
    tenant: Option<AccountId>,
    before: Option<MessageId>,
    most: i64,
) -> db::Result<Vec<DeadMessage>> {
    let whose = if tenant.is_some() { "m.root_account_id = ?1" } else { "?1 IS NULL" };
    let sql = format!(
        "SELECT m.id, m.root_account_id AS tenant, m.type, m.recipient AS \"to\", m.notification, m.subject,
                m.attempts, m.failure, m.created_at, {OBSTACLE} AS obstacle
         FROM messages m JOIN communication_channels c ON c.id = m.channel_id
         WHERE {whose} AND m.state = 'dead' AND m.id < ?2 ORDER BY m.id DESC LIMIT ?3"
    );
    db.fetch_all(&sql, (tenant, before.unwrap_or(MessageId(i64::MAX)), most)).await
}

/// Why a message `m` to a channel `c` cannot be sent again; null: it can.
const OBSTACLE: &str = "CASE
    WHEN c.workflow_state = 'retired' THEN 'address'
    WHEN (SELECT workflow_state FROM accounts WHERE id = m.root_account_id) = 'deleted' THEN 'address'
    WHEN m.type = 'push' AND m.push_endpoint_id IS NULL THEN 'device'
    WHEN m.confidential AND m.body = '' THEN 'secret' END";

/// Makes messages of a tenant, or of all, that were given up due again: that one, or the oldest of them. False: there was
/// none to be sent again.
///
/// Each counts as tried once: it is tried as often again as a new one, less one time, and no newer message of the same kind
/// about the same takes its place.
pub(crate) async fn replay(
    db: &Db,
    tenant: Option<AccountId>,
    id: Option<MessageId>,
    now: Timestamp,
) -> db::Result<bool> {
    let whose = if tenant.is_some() { "m.root_account_id = ?1" } else { "?1 IS NULL" };
    let (which, through) = match (id, tenant) {
        (Some(_), _) => ("m.id = ?2", ""),
        (None, Some(_)) => ("?2 IS NULL", "INDEXED BY messages_dead_by_account"),
        // By id SQLite would go through all messages there are.
        (None, None) => ("?2 IS NULL", "INDEXED BY messages_dead"),
    };
    let sql = format!(
        "UPDATE messages SET state = 'queued', due_at = ?3, attempts = 1, lease = NULL
         WHERE id IN (
             SELECT m.id FROM messages m {through} JOIN communication_channels c ON c.id = m.channel_id
             WHERE {whose} AND {which} AND m.state = 'dead' AND {OBSTACLE} IS NULL ORDER BY m.id LIMIT ?4
         )
         RETURNING 1"
    );
    db.affects(&sql, (tenant, id, now, MAX_REPLAYED)).await
}

/// True if the tenant, or any, has that message.
pub(crate) async fn exists(db: &Db, tenant: Option<AccountId>, id: MessageId) -> db::Result<bool> {
    let sql = "SELECT 1 AS one FROM messages WHERE id = ?2 AND ifnull(root_account_id = ?1, ?1 IS NULL)";
    db.affects(sql, (tenant, id)).await
}
