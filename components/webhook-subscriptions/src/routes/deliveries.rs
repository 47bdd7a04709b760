//! The operator's page: subscriptions, what was sent to them, what was answered, and buttons to send it again. A signed
//! link opens it, for a browser that has no token.

use http::StatusCode;
use serde::Deserialize;
use shared::auth::Caller;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AccountId, DeliveryId};
use shared::signed_pages::{Administrator, DELIVERIES as PAGES, DELIVERIES_PATH as PATH, Opened, SignedLink};
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::markup::{Reader, SHOWN, View};
use crate::model::deliveries::{Filter, require_known};
use crate::routes::webhook_deliveries;
use crate::store::deliveries as store;

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

/// The content that the ticket opens, or the session: `find` asks what its holder may see now.
async fn opened<T>(
    cx: &Context,
    ticket: String,
    find: impl AsyncFnOnce(Administrator) -> Result<Option<T>>,
) -> Result<Option<Opened<T>>> {
    let signed_in = |caller: &Caller| Administrator { tenant: caller.root_account, user: caller.user };
    PAGES.open(cx, PATH, ticket, signed_in, find).await
}

/// The tenant whose deliveries the holder may see.
async fn tenant(cx: &Context, Administrator { tenant, user }: Administrator) -> Result<Option<AccountId>> {
    Ok(store::may_view(&cx.db, tenant, user).await?.then_some(tenant))
}

fn view<T>(opened: &Opened<T>) -> View<'_, T> {
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
    let filter = Filter { subscription_id, status };
    let find = async |holder| store::listed(&cx.db, &holder, &filter, before, SHOWN + 1).await;
    let Some(opened) = opened(&cx, ticket, find).await? else { return PAGES.ended(PATH).await };
    require_known(filter.status.as_deref())?;
    Ok(view(&opened).overview((&filter).into(), &opened.subscriptions.0, &opened.deliveries.0))
}

/// Shows a delivery with all attempts at it, what was sent and what was answered: a page.
#[endpoint(
    GET "/webhooks/deliveries/:id",
    signed_in_or_linked,
    page,
)]
async fn get_delivery_page(cx: Context, Path(at): Path<DeliveryPath>, link: Query<SignedLink>) -> Result<Reply> {
    let find = async |holder| store::shown_to_viewer(&cx.db, &holder, at.id).await;
    let Some(opened) = opened(&cx, link.decode()?.ticket, find).await? else { return PAGES.ended(PATH).await };
    let Json(delivery) = opened.delivery.as_ref().or_not_found()?;
    Ok(view(&opened).delivery(delivery, &opened.attempts.0))
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
    let find = async |holder| tenant(&cx, holder).await;
    let Some(opened) = opened(&cx, link.decode()?.ticket, find).await? else { return PAGES.ended(PATH).await };
    let delivery = store::find(&cx.db, Some(*opened), at.id).await?.or_not_found()?;
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
    let find = async |holder| tenant(&cx, holder).await;
    let Some(opened) = opened(&cx, ticket, find).await? else { return PAGES.ended(PATH).await };
    webhook_deliveries::require_replayable(status.as_deref())?;
    webhook_deliveries::all_again(&cx, *opened, subscription_id, None, status.as_deref()).await?;
    Ok(Reply::redirect(&opened.address("")).with_status(StatusCode::SEE_OTHER))
}
