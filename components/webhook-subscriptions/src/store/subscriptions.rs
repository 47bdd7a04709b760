//! Subscriptions.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::db::{self, BuiltList, IdRow, Json};
use shared::ids::{AccountId, SubscriptionId, ToolProxyId};
use shared::needs::nested;
use shared::{Db, Result, Timestamp};

use crate::model::form::SubscriptionFields;
use crate::model::subscriptions::{KnownSubscription, Subscription};
use crate::model::tools::Tool;

fn as_json(wanted: &SubscriptionFields) -> (Json<Value>, Json<Value>) {
    let names: Vec<_> = wanted.event_types.iter().map(|kind| kind.name()).collect();
    (Json(json!(names)), Json(json!(wanted.given)))
}

/// Makes a subscription, unless the tool has so many already. That it may have one was judged by its capabilities: it must
/// have them still.
pub(crate) async fn insert(
    db: &Db,
    tool: &Tool,
    uuid: String,
    wanted: &SubscriptionFields,
    sealed_secret: String,
    most: i64,
    now: Timestamp,
) -> db::Result<Option<KnownSubscription>> {
    let (event_types, parameters) = as_json(wanted);
    db.fetch(
        "INSERT INTO webhook_subscriptions
             (uuid, root_account_id, tool_proxy_id, context_type, context_id, event_types, format, transport_type, url,
              parameters, sealed_secret, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12
         WHERE EXISTS (SELECT 1 FROM tool_proxies WHERE id = ?3 AND deleted_at IS NULL AND capabilities = ?14)
           AND (SELECT count(*) FROM webhook_subscriptions WHERE tool_proxy_id = ?3 AND status <> 'deleted') < ?15
         RETURNING id, uuid, root_account_id, tool_proxy_id, ?13 AS account_id, parameters, status",
        (
            uuid,
            tool.root_account,
            tool.id,
            wanted.place.context_type,
            wanted.place.id,
            event_types,
            &wanted.given.format,
            &wanted.given.transport_type,
            &wanted.given.transport_metadata.url,
            parameters,
            sealed_secret,
            now,
            tool.account,
            capabilities(tool),
            most,
        ),
    )
    .await
}

/// As they are stored with the tool.
fn capabilities(tool: &Tool) -> Json<Value> {
    Json(Value::from(tool.capabilities.clone()))
}

/// True if the tool has so many subscriptions.
pub(crate) async fn has_as_many(db: &Db, tool: ToolProxyId, most: i64) -> db::Result<bool> {
    db.affects(
        "SELECT 1 AS one WHERE (
             SELECT count(*) FROM webhook_subscriptions WHERE tool_proxy_id = ?1 AND status <> 'deleted') >= ?2",
        (tool, most),
    )
    .await
}

/// A subscription as it is answered, in the column `record`. Its parameters are kept as they are shown, but stand among the other members.
const RECORD: &str = r#"concat('{"Id":"', uuid, '","RootAccountId":"', root_account_id, '",',
                substr(parameters, 2, length(parameters) - 2), ',"Status":"', status, '"}') AS record"#;

/// So many of the tool's subscriptions, in the order in which they were made, and the uuid of the last of them where more follow.
pub(crate) async fn of_tool(
    db: &Db,
    tool: ToolProxyId,
    after: Option<SubscriptionId>,
    most: i64,
) -> db::Result<(BuiltList<Subscription>, Option<String>)> {
    #[derive(Deserialize)]
    struct Row {
        found: String,
    }
    let sql = format!(
        "SELECT {} AS found FROM (
             SELECT uuid, {RECORD} FROM webhook_subscriptions
             WHERE tool_proxy_id = ?1 AND id > ifnull(?2, 0) AND status <> 'deleted' ORDER BY id LIMIT ?3 + 1)",
        db::built_list(&db::json_list("json_quote(uuid)"))
    );
    let Row { found } = db.fetch_one(&sql, (tool, after, most)).await?;
    let (mut list, uuids) = BuiltList::split(found)?;
    let uuids: Vec<String> = db::decode_text(&uuids)?;
    let length = usize::try_from(most).unwrap_or(usize::MAX);
    list.truncate(length);
    let more_follow = uuids.len() > length;
    Ok((list, uuids.into_iter().take(length).next_back().filter(|_| more_follow)))
}

/// The place of a subscription of the tool among them, even if it has ended.
pub(crate) async fn place(db: &Db, tool: ToolProxyId, uuid: &str) -> db::Result<Option<SubscriptionId>> {
    let sql = "SELECT id FROM webhook_subscriptions WHERE uuid = ?1 AND tool_proxy_id = ?2";
    Ok(db.fetch::<IdRow<SubscriptionId>>(sql, (uuid, tool)).await?.map(|row| row.id))
}

pub(crate) async fn of_tenant(db: &Db, tenant: Option<AccountId>, uuid: &str) -> db::Result<Option<KnownSubscription>> {
    db.fetch(
        "SELECT s.id, s.uuid, s.root_account_id, s.tool_proxy_id, t.account_id, s.parameters, s.status
         FROM webhook_subscriptions s JOIN tool_proxies t ON t.id = s.tool_proxy_id
         WHERE s.uuid = ?1 AND (?2 IS NULL OR s.root_account_id = ?2) AND s.status <> 'deleted'",
        (uuid, tenant),
    )
    .await
}

/// A subscription that was changed.
#[derive(Deserialize)]
pub(crate) struct Updated {
    pub(crate) subscription: Json<KnownSubscription>,
    /// True if there is something to be sent to it, now or later.
    pub(crate) has_pending: bool,
}

/// Changes all of it. It starts anew: what failed before does not count any more. The tool must have the capabilities still by
/// which it was judged. A subscription that its tool disables is sent nothing more: what waits for it is dead.
pub(crate) async fn update(
    db: &Db,
    tool: &Tool,
    id: SubscriptionId,
    wanted: &SubscriptionFields,
    enabled: bool,
    now: Timestamp,
) -> Result<Option<Updated>> {
    if enabled {
        return change(db, tool, id, wanted, enabled, now).await;
    }
    db.transaction(async |db| {
        let changed = change(db, tool, id, wanted, enabled, now).await?;
        if changed.is_some() {
            db.execute(
                "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?2, lease = NULL
                 WHERE subscription_id = ?1 AND status = 'pending' AND event_id IS NOT NULL",
                (id, now),
            )
            .await?;
        }
        Ok(changed)
    })
    .await
}

async fn change(
    db: &Db,
    tool: &Tool,
    id: SubscriptionId,
    wanted: &SubscriptionFields,
    enabled: bool,
    now: Timestamp,
) -> Result<Option<Updated>> {
    let (event_types, parameters) = as_json(wanted);
    let subscription = nested::<KnownSubscription>(
        "SELECT s.id, s.uuid, s.root_account_id, s.tool_proxy_id, t.account_id, s.parameters, s.status
         FROM webhook_subscriptions s JOIN tool_proxies t ON t.id = s.tool_proxy_id WHERE s.id = webhook_subscriptions.id",
    )?;
    let sql = format!(
        "UPDATE webhook_subscriptions
         SET context_type = ?2, context_id = ?3, event_types = ?4, format = ?5, transport_type = ?6, url = ?7,
             parameters = ?8, status = ?11, disabled_because = ?12, failing_since = NULL, held_until = NULL,
             updated_at = ?9
         WHERE id = ?1 AND status <> 'deleted'
           AND EXISTS (SELECT 1 FROM tool_proxies WHERE id = tool_proxy_id AND deleted_at IS NULL AND capabilities = ?10)
         RETURNING {subscription} AS subscription, EXISTS (
             SELECT 1 FROM webhook_deliveries d WHERE d.subscription_id = webhook_subscriptions.id AND d.status = 'pending'
         ) AS has_pending"
    );
    let (status, because) = if enabled { ("active", None) } else { ("disabled", Some("its tool has disabled it")) };
    let changed = db.fetch(
        &sql,
        (
            id,
            wanted.place.context_type,
            wanted.place.id,
            event_types,
            &wanted.given.format,
            &wanted.given.transport_type,
            &wanted.given.transport_metadata.url,
            parameters,
            now,
            capabilities(tool),
            status,
            because,
        ),
    );
    Ok(changed.await?)
}

/// Ends it, and what was still to be sent to it. Deliveries that were sent stay on record. Of two who do it at once, one finds
/// it gone.
pub(crate) async fn delete(db: &Db, id: SubscriptionId, now: Timestamp) -> db::Result<bool> {
    let end = "UPDATE webhook_subscriptions SET status = 'deleted', updated_at = ?2
         WHERE id = ?1 AND status <> 'deleted' RETURNING id";
    db.transaction(async |db| {
        if !db.affects(end, (id, now)).await? {
            return Ok(false);
        }
        db.execute(
            "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?2, lease = NULL
             WHERE subscription_id = ?1 AND status = 'pending'",
            (id, now),
        )
        .await?;
        Ok(true)
    })
    .await
}

/// Gives it a new secret; the one before signs too until that moment.
pub(crate) async fn rotate(
    db: &Db,
    id: SubscriptionId,
    sealed: String,
    until: Timestamp,
    now: Timestamp,
) -> db::Result<Option<KnownSubscription>> {
    db.fetch(
        "UPDATE webhook_subscriptions
         SET sealed_previous_secret = sealed_secret, previous_secret_until = ?3, sealed_secret = ?2, updated_at = ?4
         WHERE id = ?1 AND status <> 'deleted'
         RETURNING id, uuid, root_account_id, tool_proxy_id, parameters, status,
                   (SELECT account_id FROM tool_proxies WHERE id = tool_proxy_id) AS account_id",
        (id, sealed, until, now),
    )
    .await
}

/// A subscription as its operator sees it.
#[derive(Deserialize)]
pub(crate) struct Overview {
    pub(crate) uuid: String,
    pub(crate) url: String,
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) event_types: Json<Vec<String>>,
    pub(crate) status: String,
    pub(crate) disabled_because: Option<String>,
    pub(crate) failing_since: Option<Timestamp>,
    pub(crate) pending: i64,
    /// Without those that are kept.
    pub(crate) dead: i64,
    /// The number of deliveries of what happened while it was disabled.
    pub(crate) kept: i64,
}

/// The columns of [`Overview`]; a condition follows.
const OVERVIEW: &str =
    "SELECT s.uuid, s.url, s.context_type, s.context_id, s.event_types, s.status, s.disabled_because, s.failing_since,
            (SELECT count(*) FROM webhook_deliveries WHERE subscription_id = s.id AND status = 'pending') AS pending,
            (SELECT count(*) FROM webhook_deliveries WHERE subscription_id = s.id AND status = 'dead')
                - s.kept_deliveries AS dead,
            s.kept_deliveries AS kept
     FROM webhook_subscriptions s ";

/// The newest subscriptions of which that is true, as rows of an [`Overview`].
pub(crate) fn overview_sql(condition: &str) -> String {
    format!("{OVERVIEW}WHERE {condition} AND s.status <> 'deleted' ORDER BY s.id DESC LIMIT 100")
}
