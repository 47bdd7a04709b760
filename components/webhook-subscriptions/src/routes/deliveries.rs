//! The operator's page: subscriptions, what was sent to them, what was answered, and buttons to send it again. A signed
//! link opens it, for a browser that has no token.

use http::StatusCode;
use serde::Deserialize;
use shared::auth::Caller;
use shared::error::OrNotFound;
use shared::ids::{AccountId, DeliveryId};
use shared::signed_pages::{self, Administrator, DELIVERIES as PAGES, DELIVERIES_PATH as PATH, SignedLink};
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::markup::{Reader, SHOWN, View};
use crate::model::deliveries::{Filter, Viewer, require_known};
use crate::routes::webhook_deliveries;
use crate::store::{deliveries as store, subscriptions};

endpoints![get_deliveries_page, get_delivery_page, replay_delivery_on_page, replay_dead_deliveries_on_page];

#[derive(Deserialize, JsonSchema)]
struct DeliveryPath {
    id: DeliveryId,
}

/// The parameters of the page.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct DeliveriesQuery {
    /// The right to see the page, which is in the address that an administrator is given.
    ticket: String,
    /// Only those of this subscription.
    subscription_id: Option<String>,
    /// `pending`, `delivered`, `dead` or `kept`
    status: Option<String>,
    /// Only deliveries that are older than this one.
    before: Option<DeliveryId>,
}

/// The fields of the form that sends again what could not be delivered.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct DeliveriesForm {
    /// The right to see the page, which is in the address that an administrator is given.
    ticket: String,
    /// Only those of this subscription.
    subscription_id: Option<String>,
    /// `dead` or `kept`; both unless given.
    status: Option<String>,
}

/// The tenant whose deliveries a link opens.
struct Deliveries {
    tenant: AccountId,
    viewer: Viewer,
}

type Opened = signed_pages::Opened<Deliveries>;

/// The deliveries that the ticket opens, if its holder still has the right.
async fn opened(cx: &Context, ticket: String) -> Result<Option<Opened>> {
    let find = async |Administrator { tenant, user }| {
        let viewer = store::viewer(&cx.db, tenant, user).await?;
        Ok(viewer.map(|viewer| Deliveries { tenant, viewer }))
    };
    let signed_in = |caller: &Caller| Administrator { tenant: caller.root_account, user: caller.user };
    PAGES.open(cx, PATH, ticket, signed_in, find).await
}

fn view(opened: &Opened) -> View<'_, Deliveries> {
    View { opened, reader: Reader::Operator }
}

/// Shows subscriptions and deliveries, the newest first: a page.
#[endpoint(
    GET "/webhooks/deliveries",
    signed_in_or_linked,
    page,
)]
async fn get_deliveries_page(cx: Context, link: Query<DeliveriesQuery>) -> Result<Reply> {
    let DeliveriesQuery { ticket, subscription_id, status, before } = link.decode()?;
    let Some(opened) = opened(&cx, ticket).await? else { return PAGES.ended(PATH).await };
    require_known(status.as_deref())?;
    let filter = Filter { subscription_id, status };
    let subscriptions = subscriptions::overview(&cx.db, opened.tenant).await?;
    let deliveries = store::newest(&cx.db, opened.tenant, &filter, before, SHOWN + 1).await?;
    Ok(view(&opened).overview((&filter).into(), &subscriptions, &deliveries))
}

/// Shows a delivery with all attempts at it, what was sent and what was answered: a page.
#[endpoint(
    GET "/webhooks/deliveries/:id",
    signed_in_or_linked,
    page,
)]
async fn get_delivery_page(cx: Context, Path(at): Path<DeliveryPath>, link: Query<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return PAGES.ended(PATH).await };
    let delivery = store::find(&cx.db, Some(opened.tenant), at.id).await?.or_not_found()?;
    let attempts = store::attempts(&cx.db, at.id, opened.viewer.detail()).await?;
    Ok(view(&opened).delivery(&delivery, &attempts))
}

/// Sends a delivery again, and leads back to its page.
///
/// The form shows that our page sent it, by its ticket or for the session, so that no other site can send it.
#[endpoint(
    POST "/webhooks/deliveries/:id/replay",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_delivery_on_page(cx: Context, Path(at): Path<DeliveryPath>, link: Form<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return PAGES.ended(PATH).await };
    let delivery = store::find(&cx.db, Some(opened.tenant), at.id).await?.or_not_found()?;
    webhook_deliveries::again(&cx, delivery).await?;
    Ok(Reply::redirect(&opened.address(&format!("/{}", at.id))).with_status(StatusCode::SEE_OTHER))
}

/// Sends again what could not be delivered to a subscription or was kept for it, and leads back to the page.
#[endpoint(
    POST "/webhooks/deliveries/replay",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_dead_deliveries_on_page(cx: Context, form: Form<DeliveriesForm>) -> Result<Reply> {
    let DeliveriesForm { ticket, subscription_id, status } = form.decode()?;
    let Some(opened) = opened(&cx, ticket).await? else { return PAGES.ended(PATH).await };
    webhook_deliveries::require_replayable(status.as_deref())?;
    webhook_deliveries::all_again(&cx, opened.tenant, subscription_id, None, status.as_deref()).await?;
    Ok(Reply::redirect(&opened.address("")).with_status(StatusCode::SEE_OTHER))
}
