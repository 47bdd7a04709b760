//! What every area of Lectern shares: the way of a request from the route to the reply, and the one way to do each
//! thing on that way.
//!
//! A component lists its [`Endpoint`]s in an [`Api`] and hands each request to [`serve`]. The rest of this crate is what
//! its handlers use: the caller and the rights ([`auth`]), parameters ([`params`]), pages ([`page`]), the database
//! ([`db`]), blobs ([`blob`]), time ([`clock`]), ids ([`ids`]), configuration ([`config`]) and errors ([`error`]).

pub mod api;
pub mod auth;
#[cfg(feature = "aws")]
pub mod aws;
#[cfg(feature = "outbound")]
pub mod background;
pub mod blob;
mod body;
pub mod channels;
mod client_network;
pub mod clock;
mod component;
pub mod config;
mod context;
mod cors;
pub mod course_events;
#[cfg(feature = "csv")]
pub mod csv;
pub mod db;
#[cfg(not(target_arch = "wasm32"))]
pub mod describe;
mod envelope;
pub mod error;
pub mod features;
pub mod files;
mod handler;
#[cfg(feature = "html")]
pub mod html;
pub mod ids;
pub mod later;
pub mod live_events;
pub mod multipart;
pub mod needs;
pub mod notify;
#[cfg(feature = "outbound")]
pub mod outbound;
pub mod page;
pub mod pages;
pub mod params;
pub mod people;
pub mod period;
pub mod quiz_order;
mod reply;
#[cfg(feature = "rich-text")]
pub mod rich_text;
mod service;
pub mod standard_webhooks;
mod string_ids;
pub mod throttle;
pub mod tickets;

pub use api::{Api, Credential, Endpoint};
pub use body::{BodyStream, Outgoing};
pub use clock::Timestamp;
pub use context::Context;
pub use db::Db;
pub use envelope::{Envelope, badges_error, mastery_error};
pub use error::{Error, Result};
pub use handler::{Argument, Form, Handler, Parameters, Path, Query};
pub use http::Method;
#[cfg(target_arch = "wasm32")]
pub use macros::JsonSchema;
pub use macros::{endpoint, endpoints};
pub use page::Paged;
pub use params::Patch;
pub use reply::{Created, NoContent, Redirect, Reply};
#[cfg(not(target_arch = "wasm32"))]
pub use schemars::JsonSchema;
pub use service::{Request, Response, serve};

/// What a type needs so that the API description can tell its shape.
///
/// The description is made natively: in a component the trait asks for nothing and costs nothing.
#[cfg(not(target_arch = "wasm32"))]
pub trait Described: schemars::JsonSchema {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> Described for T {}

/// What a type needs so that the API description can tell its shape.
///
/// The description is made natively: in a component the trait asks for nothing and costs nothing.
#[cfg(target_arch = "wasm32")]
pub trait Described {}
#[cfg(target_arch = "wasm32")]
impl<T> Described for T {}
