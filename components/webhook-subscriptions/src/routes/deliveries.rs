//! The operator's page: subscriptions, what was sent to them, what was answered, and buttons to send it again. A signed
//! link opens it, for a browser that has no token.

mod markup;

use http::StatusCode;
use serde::Deserialize;
use shared::error::OrNotFound;
use shared::ids::{AccountId, DeliveryId};
use shared::signed_pages::{self, Administrator, DELIVERIES as PAGES, DELIVERIES_PATH as PATH, SignedLink};
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::deliveries::Filter;
use crate::routes::webhook_deliveries;
use crate::store::{deliveries as store, subscriptions};

/// The number of deliveries that the page shows.
const SHOWN: i64 = 50;

endpoints![get_deliveries_page, get_delivery_page, replay_delivery_on_page, replay_dead_deliveries_on_page];

#[derive(Deserialize, JsonSchema)]
struct DeliveryPath {
    id: DeliveryId,
}

/// The parameters of the pages, and of their forms.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct DeliveriesLink {
    /// The right to see the page, which is in the address that an administrator is given.
    ticket: String,
    /// Only those of this subscription.
    subscription_id: Option<String>,
    /// `pending`, `delivered`, `dead` or `kept`
    status: Option<String>,
}

/// The tenant whose deliveries a link opens.
struct Deliveries {
    tenant: AccountId,
}

type Opened = signed_pages::Opened<Deliveries>;

/// The deliveries that the ticket opens, if its holder still has the right.
async fn opened(cx: &Context, ticket: String) -> Result<Option<Opened>> {
    let find = async |Administrator { tenant, user }| {
        let holds = store::is_administrator(&cx.db, tenant, user).await?;
        Ok(holds.then_some(Deliveries { tenant }))
    };
    PAGES.open(cx, PATH, ticket, find).await
}

/// Shows subscriptions and deliveries: a page.
#[endpoint(
    GET "/webhooks/deliveries",
    public,
    page,
    nobody(403, "the link must be signed"),
)]
async fn get_deliveries_page(cx: Context, link: Query<DeliveriesLink>) -> Result<Reply> {
    let DeliveriesLink { ticket, subscription_id, status } = link.decode()?;
    let Some(opened) = opened(&cx, ticket).await? else { return Ok(PAGES.ended()) };
    webhook_deliveries::require_known(status.as_deref())?;
    let filter = Filter { subscription_id, status };
    let subscriptions = subscriptions::overview(&cx.db, opened.tenant).await?;
    let deliveries = store::newest(&cx.db, opened.tenant, &filter, SHOWN).await?;
    Ok(markup::overview(&opened, &filter, &subscriptions, &deliveries))
}

/// Shows a delivery with all attempts at it: a page.
#[endpoint(
    GET "/webhooks/deliveries/:id",
    public,
    page,
    nobody(403, "the link must be signed"),
)]
async fn get_delivery_page(cx: Context, Path(at): Path<DeliveryPath>, link: Query<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return Ok(PAGES.ended()) };
    let delivery = store::find(&cx.db, Some(opened.tenant), at.id).await?.or_not_found()?;
    let attempts = store::attempts(&cx.db, at.id).await?;
    Ok(markup::delivery(&opened, &delivery, &attempts))
}

/// Sends a delivery again, and leads back to its page.
///
/// The ticket is the right, so that no other site can send this form.
#[endpoint(
    POST "/webhooks/deliveries/:id/replay",
    public,
    page,
    nobody(403, "the link must be signed"),
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_delivery_on_page(cx: Context, Path(at): Path<DeliveryPath>, link: Form<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return Ok(PAGES.ended()) };
    let delivery = store::find(&cx.db, Some(opened.tenant), at.id).await?.or_not_found()?;
    webhook_deliveries::again(&cx, delivery).await?;
    Ok(Reply::redirect(&opened.address(&format!("/{}", at.id))).with_status(StatusCode::SEE_OTHER))
}

/// Sends again what could not be delivered to a subscription or was kept for it, and leads back to the page.
#[endpoint(
    POST "/webhooks/deliveries/replay",
    public,
    page,
    nobody(403, "the link must be signed"),
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_dead_deliveries_on_page(cx: Context, link: Form<DeliveriesLink>) -> Result<Reply> {
    let DeliveriesLink { ticket, subscription_id, .. } = link.decode()?;
    let Some(opened) = opened(&cx, ticket).await? else { return Ok(PAGES.ended()) };
    webhook_deliveries::all_again(&cx, opened.tenant, subscription_id, None, None).await?;
    Ok(Reply::redirect(&opened.address("")).with_status(StatusCode::SEE_OTHER))
}
