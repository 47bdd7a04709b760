//! The code that every area of Lectern shares, under one name: components use this crate, and it hands on those below it.
//!
//! [`ids`], [`clock`] and the like are of the crate `types`; [`db`] is `database`; the way of a request is `web`; and what
//! the areas have in common of their subject (rights, files, messages, events) is `domain`. Each knows those before it alone.
//!
//! A component lists its [`Endpoint`]s in an [`Api`], and `component!` hands each request to [`serve`]. The rest is what its
//! handlers use: the caller and the rights ([`auth`]), parameters ([`params`]), pages ([`pagination`]), the database ([`db`]),
//! blobs ([`blob`]), configuration ([`config`]) and errors ([`error`]).

mod component;

pub use domain::{
    accounts_above, accounts_below, administers_account, auth, background, blob, channels, course_events, courses, csv,
    date_shift, features, files, leases, live_events, may_come_in, needs, notify, outbox, people, progress, quiz_order,
    retries, rich_text, section_limit, selection, signed_forms, signed_links, signed_pages, standard_webhooks, status,
    throttle, time_zones, users, wiki_pages,
};
pub use http::Method;
pub use macros::{endpoint, endpoints};
pub use types::{Described, JsonSchema, Patch, Timestamp, clock, ids, period};
#[cfg(not(target_arch = "wasm32"))]
pub use web::openapi;
pub use web::{
    Api, Argument, BodyStream, Context, Created, Credential, Endpoint, Error, ErrorFormat, Form, Handler, LimitKind,
    LmsErrors, NoContent, OAuthErrors, Paged, Parameters, Path, Query, QuizEngineErrors, Redirect, Reply, Request,
    Response, ResponseBody, Result, accept, after_response, api, aws, config, error, error_format, html, limits_hit,
    multipart, outbound, pagination, params, prefetch, session, takes_gzip, texts,
};

/// The database: literal SQL in, typed rows out.
pub mod db {
    pub use database::*;
    pub use web::error::OnUnique;
}

pub use db::Db;

/// Answers a request with the endpoint of `api` that it names, for the holders of this service's tokens.
pub async fn serve(api: &Api, request: Request) -> Response {
    let ready = match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        _ => rich_text::read_frame_hosts().await,
    };
    let response = web::serve::<auth::Tokens>(api, request, ready).await;
    status::write_limits_hit();
    response
}
