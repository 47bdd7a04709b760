//! The operator's home: the state of the installation or of a tenant on one page, and the messages that were given up, with
//! buttons to send them again. A log-in opens it, or a signed link.

mod markup;
pub(crate) mod outbox;

use serde::Serialize;
use shared::ids::UserId;
use shared::needs::{NeededAccount, may};
use shared::signed_pages::{self, Administrator, SignedLink, SignedPages};
use shared::status::Status;
use shared::texts::ended_link;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::operator::{Figures, Operator};
use crate::store::operator as store;

const PAGES: SignedPages = SignedPages { purpose: "operator", lasts: ended_link::OPERATOR };
const PATH: &str = "/operator";
const OUTBOX: &str = "/outbox";
/// The number of messages that a page of the outbox shows.
const SHOWN: i64 = 50;

endpoints![create_operator_link, get_operator_page];

#[derive(Serialize, JsonSchema)]
struct Address {
    /// Good for two hours.
    url: String,
}

type Opened = signed_pages::Opened<Operator>;

/// Makes a link to the operator's home.
///
/// Administrators of the site see the figures of the whole installation there, and those of a root account its own.
#[endpoint(POST "/api/v1/operator/live_link", foreigners(200, "leads to the caller's own"))]
async fn create_operator_link(cx: Context, _tenant: NeededAccount<may::Administer>) -> Result<Reply<Address>> {
    let (url, _ends) = PAGES.link(&cx, (PATH, ""), &cx.caller()?.user).await?;
    Ok(Reply::ok(Address { url }))
}

/// The one for whom the ticket was made, if that one still has the right.
async fn opened(cx: &Context, ticket: String) -> Result<Option<Opened>> {
    let find = async |user: UserId| Ok(store::operator(&cx.db, user).await?);
    PAGES.open(cx, PATH, ticket, |caller| caller.user, find).await
}

/// Shows what is wrong, figures, storage, tokens that end, and the newest imports and exports: a page.
#[endpoint(
    GET "/operator",
    signed_in_or_linked,
    page,
)]
async fn get_operator_page(cx: Context, link: Query<SignedLink>) -> Result<Reply> {
    let Some(opened) = opened(&cx, link.decode()?.ticket).await? else { return PAGES.ended(PATH).await };
    let figures = match opened.scope() {
        None => Figures::Site(Box::new(Status::read(&cx.db).await?)),
        Some(tenant) => Figures::Tenant(store::queues(&cx.db, tenant).await?),
    };
    let overview = store::overview(&cx.db, opened.scope(), cx.now).await?;
    let holder = Administrator { tenant: opened.tenant, user: opened.user };
    let deliveries = signed_pages::DELIVERIES.beside(&opened, signed_pages::DELIVERIES_PATH, &holder).await?;
    let reports = signed_pages::ERROR_REPORTS.beside(&opened, signed_pages::ERROR_REPORTS_PATH, &opened.user).await?;
    Ok(markup::home(&opened, &figures, &overview, &markup::Links { deliveries, reports }))
}
