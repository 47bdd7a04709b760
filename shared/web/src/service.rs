//! The way in: every request of every component goes through [`serve`], and every answer leaves with the same headers.

use std::io::Write;
use std::pin::pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use database::Db;
use futures::future::{Either, select};
use http::header::{
    ACCEPT, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::Serialize;
use spin_sdk::time;
use types::ids::UserId;
use uuid::Uuid;

use crate::accept::{Reader, prefers_page};
use crate::api::{Access, Api, Endpoint, Reading, Refuse};
use crate::authentication::{Authentication, Demand, Holder, TOKEN_PARAMETER, presented};
use crate::body::{BodyStream, BoxError, RequestBody, ResponseBody};
use crate::caller::Caller;
use crate::compression::{compress, takes_gzip, vary};
use crate::config;
use crate::context::Context;
use crate::cors;
use crate::error::{Error, Kind, Result, TokenProblem};
use crate::error_format::{ErrorFormat, refuse};
use crate::handler::Parameters;
use crate::html;
use crate::limits_hit;
use crate::lookup::MatchedPath;
use crate::pagination::Page;
use crate::params::{self, Params};
use crate::reads::{Pages, ReadResults};
use crate::reply::UntypedReply;
use crate::session::{HOME_PATH, PageSession, SignedIn, login_first, page_path, require_own_form, signed_in_with};

/// A request as Spin hands it over.
pub type Request = spin_sdk::http::Request;

/// An answer as Spin takes it. Its length is known and sent: without it, the last bytes of a connection come late.
pub type Response = http::Response<ResponseBody>;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-context-id");
const USER_ID: HeaderName = HeaderName::from_static("x-canvas-user-id");
const REAL_USER_ID: HeaderName = HeaderName::from_static("x-canvas-real-user-id");

/// A token of somebody who shows it neither in the header nor in the query may stand in a body that is no longer than this …
const UNKNOWN_BODY_LIMIT: usize = 64 * 1024;
/// … and comes within this time.
const UNKNOWN_BODY_TIME: Duration = Duration::from_secs(5);

/// The path behind which programs alone call: nobody is shown a page there.
const API_PATH: &str = "/api/";

/// The number at which the global ids of a service begin.
const GLOBAL_IDS: i64 = 10_000_000_000_000;

/// Headers of every answer whose handler has not set them itself.
const DEFAULTS: [(HeaderName, HeaderValue); 4] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Answers a request with the endpoint of `api` that it names, for callers whom `A` knows. Where what was made ready for the
/// request has failed, it is refused.
pub async fn serve<A: Authentication>(api: &Api, request: Request, ready: Result<()>) -> Response {
    let began = Instant::now();
    let id = Uuid::new_v4().to_string();
    let (parts, body) = request.into_parts();
    let (method, origin) = (parts.method.clone(), parts.headers.get(ORIGIN).cloned());
    let takes_gzip = takes_gzip(&parts.headers);
    let found = api.find(&method, parts.uri.path());
    let endpoint = found.as_ref().ok().map(|(endpoint, _)| *endpoint);
    let refusal = Refusal::of(api, endpoint, &parts);

    let has_origin = origin.is_some();
    let (cors, ready) = match cors::headers(origin).await {
        Ok(cors) => (cors, ready),
        Err(error) => (HeaderMap::new(), Err(error)),
    };
    let (mut known, db) = (Known::default(), Db::default());
    let answered = match (ready, found) {
        (Ok(()), Ok((endpoint, path))) => {
            answer::<A>(endpoint, path, Context::new(&id, parts, db.clone()).await, body, &mut known).await
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    let (mut answer, cause) = match answered {
        Ok(answer) => (answer, None),
        Err(error) => {
            error.limit().into_iter().for_each(limits_hit::note);
            (refusal.answer(&error, &known).await, error.log_cause().map(|cause| format!("{cause:#}")))
        }
    };
    if has_origin {
        vary(&mut answer.headers, ORIGIN);
    }
    cors::allow(&mut answer, &method, cors);
    compress(&mut answer, takes_gzip);
    if !(endpoint.is_some_and(|endpoint| endpoint.is_quiet) && answer.status.is_success()) {
        log(&LogLine {
            area: api.name,
            method: method.as_str(),
            route: endpoint.map_or("", |endpoint| endpoint.path),
            status: answer.status.as_u16(),
            milliseconds: began.elapsed().as_millis(),
            statements: db.statements(),
            user: known.caller.as_ref().map(|caller| caller.user),
            request: &id,
            cause,
        });
    }
    let mut response = respond(answer, &method, &id, known.caller.as_ref());
    if config::flag("development").await.unwrap_or_default() {
        response.headers_mut().insert(SERVER_TIMING, server_timing(&db));
    }
    response
}

/// Who calls, as far as that was found out.
#[derive(Default)]
struct Known {
    caller: Option<Caller>,
    signed_in: Option<SignedIn>,
}

/// How a request is answered that is refused: in the format of its area, or as a page.
struct Refusal {
    format: &'static dyn ErrorFormat,
    refuse: Refuse,
    /// True if what answers sends pages.
    sends_page: bool,
    /// True if who asks is to see a page where nothing is found.
    wants_page: bool,
    languages: Option<HeaderValue>,
}

impl Refusal {
    fn of(api: &Api, endpoint: Option<&Endpoint>, parts: &Parts) -> Self {
        let path = parts.uri.path();
        let format = match endpoint {
            Some(endpoint) => endpoint.error_format.unwrap_or(api.error_format),
            None => api.error_format_near(path),
        };
        let sends_page = endpoint.is_some_and(|endpoint| endpoint.sends_page);
        let may_be_page = sends_page || (endpoint.is_none() && !path.starts_with(API_PATH));
        let is_read = [Method::GET, Method::HEAD].contains(&parts.method);
        Self {
            format,
            refuse: endpoint.map_or(refuse, |endpoint| endpoint.refuse),
            sends_page,
            wants_page: may_be_page && is_read && prefers_page(text(parts.headers.get(ACCEPT))),
            languages: parts.headers.get(ACCEPT_LANGUAGE).cloned(),
        }
    }

    /// The answer, for a caller of whom so much is known.
    async fn answer(&self, error: &Error, known: &Known) -> UntypedReply {
        let home = match self.sends_page || self.wants_page {
            true => page_path(HOME_PATH).await.unwrap_or_default(),
            false => String::new(),
        };
        let reader = Reader {
            locale: known.caller.as_ref().and_then(|caller| caller.locale.as_deref()),
            accept_language: text(self.languages.as_ref()),
            signed_in: known.signed_in.as_ref(),
            home: &home,
        };
        match error.kind() {
            Kind::NotFound if self.wants_page => {
                let mut page = html::refuse(self.format, error, reader);
                vary(&mut page.headers, ACCEPT);
                page
            }
            _ => (self.refuse)(self.format, error, reader),
        }
    }
}

/// What a request cost, for those who develop: its round trips to the database.
fn server_timing(db: &Db) -> HeaderValue {
    let metric = format!("db;desc=\"{} statements\"", db.statements());
    HeaderValue::from_str(&metric).unwrap_or(HeaderValue::from_static("db"))
}

async fn answer<A: Authentication>(
    endpoint: &Endpoint,
    path: Params,
    cx: Result<Context>,
    body: impl http_body::Body<Data = Bytes, Error: Into<BoxError>> + 'static,
    known: &mut Known,
) -> Result<UntypedReply> {
    let cx = cx?;
    let query = query(&cx).await;
    let nothing = Params::new();
    let base_url = if endpoint.reads.ask_for_base_url() { cx.base_url().await.ok() } else { None };
    let page = page(&cx, endpoint).await;
    let matched = MatchedPath::new(endpoint.path, &path, base_url.as_deref());
    let demand = endpoint.demand(matched.asking(query.as_ref().unwrap_or(&nothing), page.as_ref()));
    let holder = match presented(&cx, query.as_ref().unwrap_or(&nothing)) {
        // A token that stands before the body is judged before the body is read.
        Some(token) if endpoint.access.looks_at_tokens() => Some(A::holder(&cx, &token, &demand).await?),
        _ => None,
    };
    let scripted = match holder {
        None if endpoint.access == Access::TokenOrPage => script::<A>(&cx, &demand).await?,
        _ => None,
    };
    let is_known = holder.is_some() || scripted.is_some() || !endpoint.access.needs_caller();
    let body = read(body, endpoint, &cx, is_known).await?;
    let cx = cx.with_body(body);
    let (query, params) = match query {
        Ok(query) => (query.clone(), parameters(&cx, endpoint, query).await),
        Err(error) => (nothing, Err(error)),
    };
    let named = params.as_ref().unwrap_or(&query);
    // A read may have parameters in a body, which were not known when the token of the header was looked at. A write's
    // records are named by its path.
    let is_stale =
        holder.is_some() && endpoint.method == Method::GET && endpoint.reads.prefetch.is_some() && *named != query;
    let demand = endpoint.demand(matched.asking(named, page.as_ref()));
    let (cx, caller, results) = if endpoint.access.needs_session(named) {
        let Some((signed_in, holder)) = session::<A>(&cx, endpoint, named, &demand, known).await? else {
            return login_first(&cx).await;
        };
        (cx.with_signed_in(signed_in), Some(holder.caller), holder.results)
    } else if let Some(holder) = scripted {
        (cx, Some(holder.caller), holder.results)
    } else {
        let (caller, results) = match with_token::<A>(&cx, endpoint, holder, named, &demand).await? {
            Some(holder) => {
                let Holder { caller, results } = A::masked(&cx, holder, named, &demand, is_stale).await?;
                (Some(caller), results)
            }
            None => (None, ReadResults::default()),
        };
        (cx, caller, results)
    };
    known.caller.clone_from(&caller);
    // A scope that cannot be read may have asked for less than the caller may do: such a request goes no further. Where the
    // handler looks at a credential first, it says itself what cannot be read.
    let others = if endpoint.credential.is_some() { params } else { Ok(params?) };
    let parameters = Parameters { path, others, unsupported: endpoint.unsupported, results };
    endpoint.call(cx.with_caller(caller), parameters).await
}

/// Whose token the request shows, be it one that stands behind the header; nobody's where the endpoint asks for none.
async fn with_token<A: Authentication>(
    cx: &Context,
    endpoint: &Endpoint,
    of_header: Option<Holder>,
    params: &Params,
    demand: &Demand<'_>,
) -> Result<Option<Holder>> {
    match (of_header, presented(cx, params)) {
        _ if !endpoint.access.looks_at_tokens() => Ok(None),
        (Some(holder), _) => Ok(Some(holder)),
        (None, Some(token)) => A::holder(cx, &token, demand).await.map(Some),
        (None, None) if endpoint.access.needs_caller() => Err(Error::token(TokenProblem::Missing)),
        (None, None) => Ok(None),
    }
}

/// The text of a header; empty where it has none.
fn text(header: Option<&HeaderValue>) -> &str {
    header.and_then(|header| header.to_str().ok()).unwrap_or_default()
}

/// Who is signed in on our pages; nobody where there is no session, or it has ended. Nobody acts as somebody else there. What
/// changes something was sent by a page of the session.
async fn session<A: Authentication>(
    cx: &Context,
    endpoint: &Endpoint,
    params: &Params,
    demand: &Demand<'_>,
    known: &mut Known,
) -> Result<Option<(SignedIn, Holder)>> {
    let Some(session) = PageSession::of_request(cx).await? else { return Ok(None) };
    let Some(holder) = A::signed_in(cx, &session, demand).await? else { return Ok(None) };
    let signed_in = signed_in_with(session.id, &holder.caller.name).await?;
    *known = Known { caller: Some(holder.caller.clone()), signed_in: Some(signed_in.clone()) };
    if endpoint.method != Method::GET {
        require_own_form(cx, session.id, params).await?;
    }
    Ok(Some((signed_in, holder)))
}

/// Who is signed in on the page whose script calls. Nobody acts as somebody else there.
async fn script<A: Authentication>(cx: &Context, demand: &Demand<'_>) -> Result<Option<Holder>> {
    match PageSession::of_script(cx).await? {
        Some(session) => A::signed_in(cx, &session, demand).await,
        None => Ok(None),
    }
}

/// The page of the list that the endpoint reads with the caller. A page that is none is refused when the handler asks
/// for it.
async fn page(cx: &Context, endpoint: &Endpoint) -> Option<Page> {
    match endpoint.reads.prefetch?.pages()? {
        Pages::Numbered | Pages::Keyset(_) => cx.page().await.ok(),
        Pages::Cursor(_) => cx.cursor_page().await.ok(),
        Pages::NumberedOrWhole => cx.page_or_whole().await.ok(),
        Pages::Whole => None,
    }
}

/// The body as the endpoint takes it. Of somebody who has shown no token yet it is only read as far as a token may stand
/// in it: who shows none costs no more than that.
async fn read(
    body: impl http_body::Body<Data = Bytes, Error: Into<BoxError>> + 'static,
    endpoint: &Endpoint,
    cx: &Context,
    is_known: bool,
) -> Result<RequestBody> {
    // To ask a body that is not there for its end costs as much as to read the request's headers.
    if endpoint.method == Method::GET && endpoint.reading == Reading::Parameters && !announces_body(cx) {
        return Ok(RequestBody::Whole(Bytes::new()));
    }
    if is_known {
        let body = BodyStream::new(body, endpoint.body_limit);
        return Ok(match endpoint.reading {
            Reading::Streamed => RequestBody::Stream(body),
            Reading::Parameters | Reading::Raw => RequestBody::Whole(body.collect().await?),
        });
    }
    let nobody = || Error::token(TokenProblem::Missing);
    if endpoint.reading != Reading::Parameters || !has_parameters(cx) {
        return Err(nobody());
    }
    let body = pin!(BodyStream::new(body, endpoint.body_limit.min(UNKNOWN_BODY_LIMIT)).collect());
    match select(body, pin!(time::sleep(UNKNOWN_BODY_TIME))).await {
        Either::Left((Ok(body), _)) => Ok(RequestBody::Whole(body)),
        Either::Left((Err(error), _)) if !matches!(error.kind(), Kind::TooLarge { .. }) => Err(error),
        Either::Left(_) | Either::Right(_) => Err(nobody()),
    }
}

/// True if the headers tell of a body. One that comes in chunks is told by its type alone: that header does not reach us.
fn announces_body(cx: &Context) -> bool {
    cx.header(CONTENT_LENGTH).is_some_and(|length| length != "0") || cx.header(CONTENT_TYPE).is_some()
}

/// True if the body, if there is one, is of a type in which parameters come.
fn has_parameters(cx: &Context) -> bool {
    let content_type = cx.header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    matches!(essence, "" | "application/x-www-form-urlencoded" | "multipart/form-data" | "application/json")
        || essence.ends_with("+json")
}

/// The parameters of the query. Where the operator wants no tokens in addresses, which stand in many a log, one that stands
/// there is left out.
async fn query(cx: &Context) -> Result<Params> {
    let mut query = params::parse_pairs(params::pairs(cx.query().as_bytes())?.into_iter())?;
    if query.contains_key(TOKEN_PARAMETER) && config::get("access_token_in_query").await?.as_deref() == Some("false") {
        query.remove(TOKEN_PARAMETER);
    }
    Ok(query)
}

/// The parameters of the query and the body.
async fn parameters(cx: &Context, endpoint: &Endpoint, mut params: Params) -> Result<Params> {
    if endpoint.reading != Reading::Parameters {
        return Ok(params);
    }
    params.extend(params::parse_body(&cx.parts().headers, &cx.bytes(), endpoint.file_parts).await?);
    Ok(params)
}

fn respond(answer: UntypedReply, method: &Method, id: &str, caller: Option<&Caller>) -> Response {
    let UntypedReply { status, body, mut headers } = answer;
    for (name, value) in DEFAULTS {
        headers.entry(name).or_insert(value);
    }
    if let Some(length) = body.length()
        && !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
    {
        headers.insert(CONTENT_LENGTH, length.into());
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(caller) = caller {
        headers.insert(USER_ID, global(caller.user));
        headers.extend(caller.real_user.map(|real| (REAL_USER_ID, global(real))));
    }
    let body = if *method == Method::HEAD { ResponseBody::default() } else { body };
    let mut response = http::Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// An id as it is known beyond this service, which is the first of its kind.
fn global(user: UserId) -> HeaderValue {
    user.0.saturating_add(GLOBAL_IDS).into()
}

/// What the log says of a request: no token, no body, no address of a person.
#[derive(Serialize)]
struct LogLine<'a> {
    area: &'a str,
    method: &'a str,
    route: &'a str,
    status: u16,
    milliseconds: u128,
    statements: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<UserId>,
    request: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
}

/// Writes a line of JSON on standard error.
fn log(line: &LogLine<'_>) {
    // Written at once, so that the lines of requests that run together stay whole. A log that cannot be written is no
    // reason to fail the request.
    if let Ok(mut line) = serde_json::to_vec(line) {
        line.push(b'\n');
        let _ = std::io::stderr().write_all(&line);
    }
}
