//! The page on which administrators work through reports. A signed link opens it, for a browser that has no token.

mod markup;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{ErrorReportId, UserId};
use shared::needs::{NeededAccount, may};
use shared::params::Params;
use shared::signed_pages::{ERROR_REPORTS as PAGES, ERROR_REPORTS_PATH as PATH, Opened, SignedLink};
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints, params};

use crate::model::reports::Filter;
use crate::routes::error_reports::Update;
use crate::store::reports::{self as store, Listed};

/// The number of reports that the page shows.
const SHOWN: i64 = 50;

endpoints![create_error_reports_link, get_error_reports_page, get_error_report_page, update_error_report_on_page];

#[derive(Deserialize, JsonSchema)]
struct ReportPath {
    id: ErrorReportId,
}

/// The fields of its form.
#[derive(Deserialize, JsonSchema)]
struct Sent {
    #[serde(default)]
    ticket: String,
    #[serde(flatten)]
    update: Update,
}

/// The question to the page. A field of its form that is empty asks for nothing.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PageQuery {
    /// The right to see the page, which is in the address that an administrator is given.
    ticket: String,
    #[serde(flatten)]
    _place: Place,
    #[serde(flatten)]
    _filter: Filter,
}

/// The place where the page begins.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Place {
    /// Only reports that are older than this one.
    before: Option<ErrorReportId>,
}

#[derive(Serialize, JsonSchema)]
struct Address {
    /// Good for two hours.
    url: String,
}

/// Makes a link to the page on which error reports are read and closed.
#[endpoint(POST "/api/v1/error_reports/live_link", foreigners(200, "leads to the caller's own"))]
async fn create_error_reports_link(cx: Context, _tenant: NeededAccount<may::Administer>) -> Result<Reply<Address>> {
    let (url, _ends) = PAGES.link(&cx, (PATH, ""), &cx.caller()?.user).await?;
    Ok(Reply::ok(Address { url }))
}

/// The content that the ticket opens, or the session: `find` asks what the administrator may see now.
async fn opened<T>(
    cx: &Context,
    ticket: String,
    find: impl AsyncFnOnce(UserId) -> Result<Option<T>>,
) -> Result<Option<Opened<T>>> {
    PAGES.open(cx, PATH, ticket, |caller| caller.user, find).await
}

/// Shows error reports: a page.
#[endpoint(
    GET "/error_reports",
    signed_in_or_linked,
    page,
)]
async fn get_error_reports_page(cx: Context, link: Query<PageQuery>) -> Result<Reply> {
    let mut params = link.into_params()?;
    params.retain(|_, value| value.as_str() != Some(""));
    let ticket = params.get("ticket").and_then(|ticket| ticket.as_str()).unwrap_or_default().to_owned();
    let asked = asked(params);
    let find = async |user| match &asked {
        Ok((Place { before }, filter)) => store::listed(&cx.db, user, filter, *before, SHOWN + 1).await,
        // What is wrong with the question is told to those who may ask.
        Err(_) => Ok(store::opened_to(&cx.db, user).await?.map(|_| Listed { reports: Json(Vec::new()) })),
    };
    let Some(opened) = opened(&cx, ticket, find).await? else { return PAGES.ended(PATH).await };
    let (_, filter) = asked?;
    Ok(markup::overview(&opened, &filter, &opened.reports.0))
}

/// The place and the filter: each by itself, because what is flattened does not say which field is wrong.
fn asked(params: Params) -> Result<(Place, Filter)> {
    let place = params::decode(params.clone())?;
    let filter: Filter = params::decode(params)?;
    filter.term()?;
    Ok((place, filter))
}

/// Shows an error report: a page.
#[endpoint(
    GET "/error_reports/:id",
    signed_in_or_linked,
    page,
)]
async fn get_error_report_page(cx: Context, Path(at): Path<ReportPath>, link: Query<SignedLink>) -> Result<Reply> {
    let find = async |user| match store::shown(&cx.db, user, at.id).await? {
        Some(report) => Ok(Some(Some(report))),
        // Who administers nothing is told so, whatever report is named.
        None => Ok(store::opened_to(&cx.db, user).await?.map(|_| None)),
    };
    let Some(opened) = opened(&cx, link.decode()?.ticket, find).await? else { return PAGES.ended(PATH).await };
    let report = opened.as_ref().or_not_found()?;
    Ok(markup::report(&opened, report))
}

/// Closes an error report or opens it again, and leads back to its page.
///
/// The form shows that our page sent it, by its ticket or for the session, so that no other site can send it.
#[endpoint(
    POST "/error_reports/:id",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn update_error_report_on_page(cx: Context, Path(at): Path<ReportPath>, form: Form<Sent>) -> Result<Reply> {
    let Sent { ticket, update } = form.decode()?;
    let find = async |user| Ok(store::opened_to(&cx.db, user).await?.map(|tenant| (user, tenant)));
    let Some(opened) = opened(&cx, ticket, find).await? else { return PAGES.ended(PATH).await };
    let (user, tenant) = *opened;
    store::find(&cx.db, tenant, at.id).await?.or_not_found()?;
    let change = update.with_plain_line_ends().change(user)?;
    store::update(&cx.db, tenant, at.id, change, cx.now).await?.or_not_found()?;
    Ok(Reply::redirect(&opened.address(&format!("/{}", at.id))).with_status(StatusCode::SEE_OTHER))
}
