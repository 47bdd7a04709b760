//! The page of a tool's developer: subscriptions, what was sent to them, which status was answered, and buttons to send it again. A
//! signed link that the tool makes opens it; tools sign in nowhere.

use http::StatusCode;
use serde::Deserialize;
use shared::error::{Explanation, OrNotFound};
use shared::ids::DeliveryId;
use shared::signed_pages::{self, SignedLink};
use shared::texts::page;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints, params};

use crate::access::{self, TOOL_PAGES as PAGES, TOOL_PAGES_PATH as PATH};
use crate::markup::{Reader, SHOWN, View};
use crate::model::deliveries::ToolFilter;
use crate::model::tools::Tool;
use crate::routes::lti::deliveries::again_for_tool;
use crate::store::deliveries::{self as store, Listed};
use crate::store::tool_proxies::Subject;

endpoints![get_tool_deliveries_page, get_tool_delivery_page, replay_tool_delivery_on_page];

#[derive(Deserialize, JsonSchema)]
struct DeliveryPath {
    id: DeliveryId,
}

/// The parameters of the page.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct DeliveriesQuery {
    /// The right to see the page, which is in the address that a tool is given.
    ticket: String,
    /// Only deliveries that are older than this one.
    before: Option<DeliveryId>,
    #[serde(flatten)]
    _filter: ToolFilter,
}

/// The place where the page begins, and the right to see it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Place {
    ticket: String,
    before: Option<DeliveryId>,
}

type Opened = signed_pages::Opened<Tool>;

/// The tool whose deliveries the ticket opens, while the token is good for which it was made, but for its time.
async fn opened(cx: &Context, ticket: String) -> Result<Option<Opened>> {
    PAGES.open_linked(cx, PATH, ticket, async |subject: Subject| access::of_subject(cx, &subject).await).await
}

/// A tool logs in nowhere: the way on is another link.
fn ended() -> Error {
    Error::forbidden().explained(Explanation { title: page::ENDED_LINK, words: PAGES.lasts, way_on: None })
}

fn view(opened: &Opened) -> View<'_, Tool> {
    View { opened, reader: Reader::Tool }
}

/// Shows the tool's subscriptions and the deliveries to them, the newest first: a page.
#[endpoint(
    GET "/webhooks/tool_deliveries",
    public,
    page,
    nobody(403, "a page for who has its link"),
    answers(403, "The link has ended, or the tool has."),
)]
async fn get_tool_deliveries_page(cx: Context, link: Query<DeliveriesQuery>) -> Result<Reply> {
    let params = link.into_params()?;
    // Each by itself, because what is flattened does not say which field is wrong.
    let Place { ticket, before } = params::decode(params.clone())?;
    let Some(opened) = opened(&cx, ticket).await? else { return Err(ended()) };
    let filter = params::decode::<ToolFilter>(params)?.checked()?;
    let Listed { subscriptions, deliveries } =
        store::listed_for_tool(&cx.db, &opened, &filter, before, SHOWN + 1).await?;
    Ok(view(&opened).overview((&filter).into(), &subscriptions.0, &deliveries.0))
}

/// Shows a delivery to the tool with all attempts at it, what was sent and which status was answered: a page.
#[endpoint(
    GET "/webhooks/tool_deliveries/:id",
    public,
    page,
    nobody(403, "a page for who has its link"),
    answers(403, "The link has ended, or the tool has."),
)]
async fn get_tool_delivery_page(cx: Context, Path(at): Path<DeliveryPath>, link: Query<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return Err(ended()) };
    let (delivery, attempts) = store::shown_to_tool(&cx.db, &opened, at.id).await?.or_not_found()?;
    Ok(view(&opened).delivery(&delivery, &attempts))
}

/// Sends a delivery to the tool again, and leads back to its page.
///
/// The form shows by its ticket that our page sent it, so that no other site can send it.
#[endpoint(
    POST "/webhooks/tool_deliveries/:id/replay",
    public,
    page,
    nobody(403, "a page for who has its link"),
    throttled("deliveries that a tool has sent again"),
    answers(303, "It is done; the page is shown anew."),
    answers(403, "The link has ended, or the tool has."),
    answers(409, "The delivery is not over, or is kept, or its subscription has ended or is disabled."),
)]
async fn replay_tool_delivery_on_page(
    cx: Context,
    Path(at): Path<DeliveryPath>,
    link: Form<SignedLink>,
) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return Err(ended()) };
    let delivery = store::find_of_tool(&cx.db, &opened, at.id).await?.or_not_found()?;
    again_for_tool(&cx, &opened, delivery).await?;
    Ok(Reply::redirect(&opened.address(&format!("/{}", at.id))).with_status(StatusCode::SEE_OTHER))
}
