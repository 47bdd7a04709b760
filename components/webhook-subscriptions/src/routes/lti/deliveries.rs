//! A tool's own view: what was sent to its subscriptions, which status was answered, and what is to be sent again.
//!
//! All endpoints are for tools alone: they take the access token of [`crate::access`], and a tool knows of no other tool's
//! deliveries.

use serde::Deserialize;
use serde_json::Value;
use shared::clock::HOUR;
use shared::ids::DeliveryId;
use shared::throttle::{self, Limit};
use shared::{
    Context, Error, Form, JsonSchema, LimitKind, Path, Query, Reply, Result, background, endpoint, endpoints, params,
};

use crate::access::{self, Call, unknown};
use crate::model::deliveries::{Delivery, DeliveryWithAttempts, KEPT, ToolFilter};
use crate::model::tools::Tool;
use crate::routes::webhook_deliveries::{NEWEST_FIRST, again};
use crate::store::deliveries as store;

/// The number of times that a tool may have deliveries sent again: every attempt is kept with what was answered.
const REPLAYS: Limit = Limit { most: 300, seconds: HOUR };

endpoints![list_tool_deliveries, get_tool_delivery, replay_tool_delivery];

#[derive(Deserialize, JsonSchema)]
struct DeliveryPath {
    id: DeliveryId,
}

/// Lists the deliveries to the tool's subscriptions, newest first.
///
/// Those of subscriptions that have ended are among them, for as long as they are kept.
#[endpoint(
    GET "/api/lti/deliveries",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn list_tool_deliveries(cx: Context, query: Query<ToolFilter>) -> Result<Reply<Vec<Delivery>>> {
    let Call { tool, params } = access::call(&cx, query.into_params()).await?;
    let filter = params::decode::<ToolFilter>(params)?.checked()?;
    Ok(Reply::page(store::list_of_tool(&cx.db, &tool, &filter, NEWEST_FIRST, &cx.page().await?).await?))
}

/// Reads a delivery with all attempts at it: what was sent, and which status was answered.
///
/// The body of the answer is told to administrators alone.
#[endpoint(
    GET "/api/lti/deliveries/:id",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn get_tool_delivery(
    cx: Context,
    Path(at): Path<DeliveryPath>,
    query: Query<Value>,
) -> Result<Reply<DeliveryWithAttempts>> {
    let Call { tool, .. } = access::call(&cx, query.into_params()).await?;
    let found = store::shown_to_tool(&cx.db, &tool, at.id).await?;
    let (delivery, attempt_history) = found.ok_or_else(unknown)?;
    Ok(Reply::ok(DeliveryWithAttempts { delivery, attempt_history }))
}

/// Sends a delivery again that came or was given up.
///
/// Its receiver may have lost what it has taken. What was kept while the subscription was disabled is sent when an
/// administrator asks for it.
#[endpoint(
    POST "/api/lti/deliveries/:id/replay",
    public,
    nobody(401, "tools have tokens of their own"),
    throttled("deliveries that a tool has sent again"),
    answers(409, "The delivery is not over, or is kept, or its subscription has ended or is disabled."),
    takes(access::TOOL_TOKEN),
)]
async fn replay_tool_delivery(cx: Context, Path(at): Path<DeliveryPath>, body: Form<Value>) -> Result<Reply<Delivery>> {
    let Call { tool, .. } = access::call(&cx, body.into_params()).await?;
    let delivery = store::find_of_tool(&cx.db, &tool, at.id).await?.ok_or_else(unknown)?;
    again_for_tool(&cx, &tool, delivery).await.map(Reply::ok)
}

/// Puts a delivery of the tool back to where it was when it was new, if it is over and the tool has not asked too often.
pub(crate) async fn again_for_tool(cx: &Context, tool: &Tool, delivery: Delivery) -> Result<Delivery> {
    if !delivery.is_over() {
        return Err(Error::conflict(match delivery.status.as_str() {
            KEPT => "What was kept while the subscription was disabled is sent when an administrator asks for it.",
            _ => "The delivery is not over: it will be tried again by itself.",
        }));
    }
    let replays = format!("webhook deliveries sent again for tool {}", tool.id);
    throttle::require_turn(cx, LimitKind::WebhookReplays, &replays, REPLAYS).await?;
    let sent = again(cx, delivery).await;
    if sent.is_err() {
        // What is refused does not count.
        background::log_if_failed(throttle::give_back(&cx.db, &replays).await);
    }
    sent
}
