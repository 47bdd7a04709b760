//! HTTP: the way of a request from the route to the reply, and requests to others.
//!
//! An area lists its [`Endpoint`]s in an [`Api`], and [`serve`] answers each request with one of them. This crate knows no
//! table of the database: who calls is found out by an [`Authentication`], and records are found by the statements of those
//! who declare them.

pub mod accept;
pub mod after_response;
pub mod api;
mod authentication;
pub mod aws;
mod body;
mod caller;
mod client_network;
mod compression;
pub mod config;
mod context;
mod cors;
mod details;
pub mod error;
pub mod error_format;
mod handler;
pub mod html;
pub mod limits_hit;
pub mod lookup;
pub mod multipart;
#[cfg(not(target_arch = "wasm32"))]
pub mod openapi;
#[cfg(not(target_arch = "wasm32"))]
pub mod operation;
pub mod outbound;
pub mod pagination;
pub mod params;
pub mod prefetch;
pub mod reads;
mod reply;
pub mod secrets;
mod service;
pub mod session;
mod string_ids;
#[cfg(not(target_arch = "wasm32"))]
mod webhook;

pub use api::{Api, Credential, Endpoint};
pub use authentication::{Authentication, Demand, Holder, bearer, presented};
pub use body::{BodyStream, ResponseBody};
pub use caller::Caller;
pub use compression::takes_gzip;
pub use context::Context;
pub use error::{Error, Result};
pub use error_format::{ErrorFormat, LmsErrors, OAuthErrors, QuizEngineErrors};
pub use handler::{Argument, Form, Handler, Parameters, Path, Query};
pub use limits_hit::LimitKind;
pub use pagination::Paged;
pub use reply::{Created, NoContent, Redirect, Reply};
pub use service::{Request, Response, serve};
pub use texts;
