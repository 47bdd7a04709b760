//! The operator's view: what was sent to subscriptions, what was answered, and what is to be sent again.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::ids::AccountId;
use shared::needs::{NeededAccount, may};
use shared::pagination::Key;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Query, Reply, Result, Timestamp, background, endpoint, endpoints};

use crate::model::deliveries::{Delivery, DeliveryWithAttempts, Filter, KEPT, require_known};
use crate::store::deliveries::{self as store, Shown};

pub(crate) const NEWEST_FIRST: Key = Key::descending(&["id"]);

endpoints![list_webhook_deliveries, get_webhook_delivery, replay_webhook_delivery, replay_dead_webhook_deliveries];

#[derive(Deserialize, JsonSchema)]
struct Since {
    /// When the oldest of them was made.
    since: Timestamp,
    /// Only those of this subscription.
    subscription_id: Option<String>,
    /// `dead` or `kept`; both unless given.
    status: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Replayed {
    /// The number of deliveries that are due again.
    replayed: i64,
}

/// Lists deliveries to webhook subscriptions, newest first.
#[endpoint(GET "/api/v1/webhook_deliveries", foreigners(200, "lists the caller's own"))]
async fn list_webhook_deliveries(
    cx: Context,
    tenant: NeededAccount<may::Administer>,
    body: Query<Filter>,
) -> Result<Reply<Vec<Delivery>>> {
    let filter = body.decode()?;
    require_known(filter.status.as_deref())?;
    Ok(Reply::page(store::list(&cx.db, tenant.root_account, &filter, NEWEST_FIRST, &cx.page().await?).await?))
}

/// Reads a delivery with all attempts at it.
#[endpoint(GET "/api/v1/webhook_deliveries/:id")]
async fn get_webhook_delivery(
    _: Context,
    tenant: NeededAccount,
    delivery: Prefetched<Shown>,
) -> Result<Reply<DeliveryWithAttempts>> {
    let (delivery, attempt_history) = delivery.record()?.into_parts().or_not_found()?;
    tenant.require_administrator()?;
    Ok(Reply::ok(DeliveryWithAttempts { delivery, attempt_history }))
}

/// Sends a delivery again.
///
/// Whatever became of it: a receiver may have lost what it has taken.
#[endpoint(
    POST "/api/v1/webhook_deliveries/:id/replay",
    answers(409, "The subscription has ended, or the delivery is being made."),
)]
async fn replay_webhook_delivery(
    cx: Context,
    tenant: NeededAccount,
    delivery: Prefetched<Delivery>,
) -> Result<Reply<Delivery>> {
    let delivery = delivery.record()?;
    tenant.require_administrator()?;
    again(&cx, delivery).await.map(Reply::ok)
}

/// Puts a delivery back to where it was when it was new.
pub(crate) async fn again(cx: &Context, delivery: Delivery) -> Result<Delivery> {
    if !store::replay(&cx.db, delivery.id, cx.now).await? {
        return Err(Error::conflict(
            "The subscription has ended or is disabled, its tool may not know of this any more, or the delivery is being sent.",
        ));
    }
    background::run_soon();
    store::find(&cx.db, None, delivery.id).await?.or_not_found()
}

/// Sends again whatever could not be delivered since that time, or was kept because its subscription was disabled.
///
/// They are queued in the order in which they happened, each with a schedule of its own. Those of disabled subscriptions
/// stay, and those that are queued already are left alone.
#[endpoint(POST "/api/v1/webhook_deliveries/replay", foreigners(400, "sends the caller's own; it asks since when"))]
async fn replay_dead_webhook_deliveries(
    cx: Context,
    tenant: NeededAccount<may::Administer>,
    body: Form<Since>,
) -> Result<Reply<Replayed>> {
    let Since { since, subscription_id, status } = body.decode()?;
    require_replayable(status.as_deref())?;
    let replayed = all_again(&cx, tenant.root_account, subscription_id, Some(since), status.as_deref()).await?;
    Ok(Reply::ok(Replayed { replayed }))
}

/// Makes due what could not be delivered, of one subscription or of all, and tells how many that are.
pub(crate) async fn all_again(
    cx: &Context,
    tenant: AccountId,
    subscription: Option<String>,
    since: Option<Timestamp>,
    status: Option<&str>,
) -> Result<i64> {
    let replayed = store::replay_dead(&cx.db, tenant, subscription, since, status, cx.now).await?;
    if replayed > 0 {
        background::run_soon();
    }
    Ok(replayed)
}

pub(crate) fn require_replayable(status: Option<&str>) -> Result<()> {
    match status {
        None | Some("dead" | KEPT) => Ok(()),
        Some(_) => Err(Error::invalid("status", "inclusion", "must be dead or kept")),
    }
}
