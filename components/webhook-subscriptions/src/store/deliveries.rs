//! Deliveries and the attempts at them.

use serde::Deserialize;
use shared::db::{IdRow, Json};
use shared::ids::{AccountId, DeliveryId, ToolProxyId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested, nested_list};
use shared::pagination::{Key, Page};
use shared::signed_pages::Administrator;
use shared::{Db, Paged, Result, Timestamp, accounts_above, db, users};

use crate::model::deliveries::{Attempt, Delivery, Filter, KEPT, ToolFilter};
use crate::model::subscriptions::KnownSubscription;
use crate::model::tools::Tool;
use crate::store::subscriptions::{Overview, overview_sql};

/// The columns of [`Delivery`]; a condition follows.
const SELECT: &str = "SELECT d.id, s.uuid AS subscription_id, d.message_id, d.event_type,
        s.url, iif(d.kept_for_tool_id IS NULL, d.status, 'kept') AS status, d.earlier_attempts + d.attempts AS attempts,
        CASE d.status WHEN 'pending' THEN d.next_at END AS next_attempt_at, d.created_at, d.ended_at,
        (SELECT response_status FROM webhook_attempts WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) AS response_status,
        (SELECT error FROM webhook_attempts WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) AS error
 FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id ";

pub(crate) async fn insert_test(db: &Db, subscription: &KnownSubscription, now: Timestamp) -> db::Result<DeliveryId> {
    let row: IdRow<DeliveryId> = db
        .fetch_one(
            "INSERT INTO webhook_deliveries (root_account_id, subscription_id, tool_proxy_id, next_at, created_at)
             VALUES (?1, ?2, (SELECT tool_proxy_id FROM webhook_subscriptions WHERE id = ?2), ?3, ?3) RETURNING id",
            (subscription.root_account_id, subscription.id, now),
        )
        .await?;
    Ok(row.id)
}

/// True if the user administers the tenant or the site.
pub(crate) async fn may_view(db: &Db, tenant: AccountId, user: UserId) -> db::Result<bool> {
    db.affects(&users::administrator_sql("?2", "?1"), (tenant, user)).await
}

/// What the page of deliveries shows: subscriptions and deliveries, the newest first.
#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) subscriptions: Json<Vec<Overview>>,
    pub(crate) deliveries: Json<Vec<Delivery>>,
}

/// What a page shows of one delivery: the latest 100 attempts at it, in their order.
#[derive(Deserialize)]
pub(crate) struct Shown {
    pub(crate) delivery: Option<Json<Delivery>>,
    pub(crate) attempts: Json<Vec<Attempt>>,
}

impl Shown {
    /// The delivery with the attempts, if it is there.
    pub(crate) fn into_parts(self) -> Option<(Delivery, Vec<Attempt>)> {
        Some((self.delivery?.0, self.attempts.0))
    }
}

/// The columns of [`Shown`]: of the delivery `?1`, if that is true. Answers and reasons are shown where these expressions are.
fn shown(condition: &str, answers: &str, reasons: &str) -> Result<String> {
    Ok(format!(
        "{} AS delivery, {} AS attempts",
        nested::<Delivery>(&format!("{SELECT}WHERE d.id = ?1 AND {condition}"))?,
        nested_list::<Attempt>(&format!(
            "SELECT * FROM (
                 SELECT id, attempted_at, latency_ms AS latency, request_headers, request_body, request_bytes,
                        response_status, iif({answers}, response_body, NULL) AS response_body,
                        error || iif({reasons}, ifnull(': ' || reason, ''), '') AS error
                 FROM webhook_attempts WHERE delivery_id = ?1 ORDER BY id DESC LIMIT 100
             ) ORDER BY id"
        ))?,
    ))
}

/// The tenant's newest subscriptions, and so many of its deliveries: those before that one, if one is named. Nothing for users
/// who do not administer the tenant.
pub(crate) async fn listed(
    db: &Db,
    Administrator { tenant, user }: &Administrator,
    filter: &Filter,
    before: Option<DeliveryId>,
    most: i64,
) -> Result<Option<Listed>> {
    let (condition, (tenant, subscription, status)) = filtered(*tenant, filter);
    let sql = format!(
        "SELECT {} AS subscriptions, {} AS deliveries FROM ({}) viewer",
        nested_list::<Overview>(&overview_sql("s.root_account_id = ?1"))?,
        nested_list::<Delivery>(&format!("{SELECT}{condition} AND d.id < ?4 ORDER BY d.id DESC LIMIT ?5"))?,
        users::administrator_sql("?6", "?1"),
    );
    let before = before.unwrap_or(DeliveryId(i64::MAX));
    Ok(db.fetch(&sql, (tenant, subscription, status, before, most, *user)).await?)
}

/// A delivery of the tenant. Nothing for users who do not administer the tenant; those who run the installation see reasons.
pub(crate) async fn shown_to_viewer(
    db: &Db,
    Administrator { tenant, user }: &Administrator,
    id: DeliveryId,
) -> Result<Option<Shown>> {
    let columns = shown("d.root_account_id = ?2", "TRUE", "viewer.is_of_site")?;
    let viewer = users::administrator_sql("?3", "?2");
    Ok(db.fetch(&format!("SELECT {columns} FROM ({viewer}) viewer"), (id, *tenant, *user)).await?)
}

/// A delivery of the tenant that is needed, with the attempts at it.
impl Record for Shown {
    const IDS: &'static [&'static str] = &["webhook_deliveries"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: DeliveryId = path.id("webhook_deliveries")?;
        let columns = shown(OF_NEEDED_TENANT, "TRUE", "FALSE")?;
        Ok(Lookup::new(format!("SELECT {columns}"), (id,)))
    }
}

/// A delivery of the tenant that is needed.
impl Record for Delivery {
    const IDS: &'static [&'static str] = &["webhook_deliveries"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: DeliveryId = path.id("webhook_deliveries")?;
        Ok(Lookup::new(format!("{SELECT}WHERE d.id = ?1 AND {OF_NEEDED_TENANT}"), (id,)))
    }
}

const OF_NEEDED_TENANT: &str = "d.root_account_id = caller.needed ->> 'root_account'";

/// One page of the tenant's deliveries.
pub(crate) async fn list(
    db: &Db,
    tenant: AccountId,
    filter: &Filter,
    key: Key,
    page: &Page,
) -> Result<Paged<Delivery>> {
    let (condition, binds) = filtered(tenant, filter);
    page.fetch_keyset(db, &format!("{SELECT}{condition}"), binds, key).await
}

type Filtered<'a> = (AccountId, Option<&'a str>, Option<&'a str>);

/// Each combination of filters reads an index in the order of the list.
fn filtered(tenant: AccountId, filter: &Filter) -> (&'static str, Filtered<'_>) {
    let condition = match (&filter.subscription_id, filter.status.as_deref()) {
        (Some(_), Some(KEPT)) => {
            "WHERE d.subscription_id = (SELECT id FROM webhook_subscriptions WHERE uuid = ?2 AND root_account_id = ?1)
               AND d.kept_for_tool_id IS NOT NULL AND ?3 IS NOT NULL"
        }
        (Some(_), _) => {
            "WHERE d.subscription_id = (SELECT id FROM webhook_subscriptions WHERE uuid = ?2 AND root_account_id = ?1)
               AND (?3 IS NULL OR (d.status = ?3 AND d.kept_for_tool_id IS NULL))"
        }
        (None, Some(KEPT)) => {
            "WHERE d.root_account_id = ?1 AND d.kept_for_tool_id IS NOT NULL AND ?2 IS NULL AND ?3 IS NOT NULL"
        }
        (None, Some(_)) => {
            "WHERE d.root_account_id = ?1 AND d.status = ?3 AND d.kept_for_tool_id IS NULL AND ?2 IS NULL"
        }
        (None, None) => "WHERE d.root_account_id = ?1 AND ?2 IS NULL AND ?3 IS NULL",
    };
    (condition, (tenant, filter.subscription_id.as_deref(), filter.status.as_deref()))
}

/// The delivery, if it is one of the tenant.
pub(crate) async fn find(db: &Db, tenant: Option<AccountId>, id: DeliveryId) -> db::Result<Option<Delivery>> {
    db.fetch(&format!("{SELECT}WHERE d.id = ?1 AND (?2 IS NULL OR d.root_account_id = ?2)"), (id, tenant)).await
}

/// One page of the tool's deliveries.
pub(crate) async fn list_of_tool(
    db: &Db,
    tool: &Tool,
    filter: &ToolFilter,
    key: Key,
    page: &Page,
) -> Result<Paged<Delivery>> {
    page.fetch_keyset(db, &of_tool(filter), tool_binds(tool, filter), key).await
}

/// The tool's newest subscriptions, and so many of its deliveries: those before that one, if one is named.
pub(crate) async fn listed_for_tool(
    db: &Db,
    tool: &Tool,
    filter: &ToolFilter,
    before: Option<DeliveryId>,
    most: i64,
) -> Result<Listed> {
    let sql = format!(
        "SELECT {} AS subscriptions, {} AS deliveries",
        nested_list::<Overview>(&overview_sql("s.tool_proxy_id = ?1"))?,
        nested_list::<Delivery>(&format!("{} AND d.id < ?6 ORDER BY d.id DESC LIMIT ?7", of_tool(filter)))?,
    );
    let mut values = db::Binds::values(tool_binds(tool, filter));
    values.extend(db::Binds::values((before.unwrap_or(DeliveryId(i64::MAX)), most)));
    Ok(db.fetch_one(&sql, values).await?)
}

/// The delivery with the attempts at it, if it is one to the tool, which sees no answers.
pub(crate) async fn shown_to_tool(db: &Db, tool: &Tool, id: DeliveryId) -> Result<Option<(Delivery, Vec<Attempt>)>> {
    let columns = shown("d.tool_proxy_id = ?2 AND d.root_account_id = ?3", "FALSE", "FALSE")?;
    let shown: Shown = db.fetch_one(&format!("SELECT {columns}"), (id, tool.id, tool.root_account)).await?;
    Ok(shown.into_parts())
}

/// The delivery, if it is one to the tool.
pub(crate) async fn find_of_tool(db: &Db, tool: &Tool, id: DeliveryId) -> db::Result<Option<Delivery>> {
    let sql = format!("{SELECT}WHERE d.id = ?1 AND d.tool_proxy_id = ?2 AND d.root_account_id = ?3");
    db.fetch(&sql, (id, tool.id, tool.root_account)).await
}

type ToolBinds<'a> = (ToolProxyId, AccountId, Option<&'a str>, Option<&'a str>, Option<&'a str>);

fn tool_binds<'a>(tool: &Tool, filter: &'a ToolFilter) -> ToolBinds<'a> {
    let ToolFilter { subscription_id, status, event_type } = filter;
    (tool.id, tool.root_account, subscription_id.as_deref(), status.as_deref(), event_type.as_deref())
}

/// The tool's deliveries that pass the filter. The first condition reads an index in the order of the list; the rest looks at
/// the rows, and its signs keep it from choosing another.
fn of_tool(filter: &ToolFilter) -> String {
    let first = match (&filter.subscription_id, filter.status.as_deref(), &filter.event_type) {
        (Some(_), ..) => {
            "d.subscription_id = (SELECT id FROM webhook_subscriptions WHERE uuid = ?3 AND tool_proxy_id = ?1)"
        }
        (None, Some(KEPT), _) => "d.kept_for_tool_id = ?1",
        (None, Some("dead"), _) => "d.tool_proxy_id = ?1 AND d.status = 'dead'",
        (None, Some("pending"), _) => "d.root_account_id = ?2 AND d.status = 'pending'",
        (None, _, Some(_)) => "d.tool_proxy_id = ?1 AND d.event_type = ?5",
        (None, _, None) => "d.tool_proxy_id = ?1",
    };
    format!(
        "{SELECT}WHERE {first} AND +d.tool_proxy_id = ?1 AND +d.root_account_id = ?2 AND (?3 IS NULL OR s.uuid = ?3)
           AND (?4 IS NULL OR iif(d.kept_for_tool_id IS NULL, d.status, 'kept') = ?4)
           AND (?5 IS NULL OR +d.event_type = ?5)"
    )
}

/// Makes the delivery due, unless its subscription has ended or is disabled, its tool may not know of the event any more, or
/// it is being sent at this moment.
pub(crate) async fn replay(db: &Db, id: DeliveryId, now: Timestamp) -> db::Result<bool> {
    db.affects(
        &format!(
            "UPDATE webhook_deliveries SET status = 'pending', earlier_attempts = earlier_attempts + attempts, attempts = 0, next_at = ?2, lease = NULL, ended_at = NULL,
             kept_for_tool_id = NULL
         WHERE id = ?1 AND (lease IS NULL OR next_at <= ?2)
           AND EXISTS (SELECT 1 FROM webhook_subscriptions WHERE id = subscription_id AND status = 'active')
           AND {MAY_BE_TOLD}
         RETURNING id"
        ),
        (id, now),
    )
    .await
}

/// A test, or an event of a type that the subscription tells of, at or below the account of its tool.
const MAY_BE_TOLD: &str = concat!(
    "(event_id IS NULL OR EXISTS (
    SELECT 1 FROM live_events e JOIN webhook_subscriptions s ON s.id = webhook_deliveries.subscription_id
    JOIN tool_proxies t ON t.id = s.tool_proxy_id
    WHERE e.id = webhook_deliveries.event_id AND t.account_id IN ",
    accounts_above!("ifnull((SELECT c.account_id FROM courses c WHERE c.id = e.course_id), e.account_id)"),
    " AND EXISTS (SELECT 1 FROM json_each(s.event_types) WHERE value = e.event_type)))"
);

/// Makes due what could not be delivered since that time, or was kept, and tells how many that are. What is due at the same
/// moment is sent in the order of the events, and what was sent again already is not dead any more.
pub(crate) async fn replay_dead(
    db: &Db,
    tenant: AccountId,
    subscription: Option<String>,
    since: Option<Timestamp>,
    status: Option<&str>,
    now: Timestamp,
) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Count {
        count: i64,
    }
    let kind = match status {
        Some(KEPT) => "kept_for_tool_id IS NOT NULL",
        Some(_) => "status = 'dead' AND kept_for_tool_id IS NULL",
        None => "status = 'dead'",
    };
    let dead = format!(
        "{kind} AND root_account_id = ?1 AND created_at >= ifnull(?3, '') AND EXISTS (
        SELECT 1 FROM webhook_subscriptions
        WHERE id = subscription_id AND status = 'active' AND (?2 IS NULL OR uuid = ?2)) AND {MAY_BE_TOLD}"
    );
    db.transaction(async |db| {
        let binds = (tenant, subscription.as_deref(), since);
        let count: Count =
            db.fetch_one(&format!("SELECT count(*) AS count FROM webhook_deliveries WHERE {dead}"), binds).await?;
        db.execute(
            &format!(
                "UPDATE webhook_deliveries SET status = 'pending', earlier_attempts = earlier_attempts + attempts, attempts = 0, next_at = ?4, ended_at = NULL,
                     kept_for_tool_id = NULL
                 WHERE {dead}"
            ),
            (tenant, subscription.as_deref(), since, now),
        )
        .await?;
        Ok(count.count)
    })
    .await
}
