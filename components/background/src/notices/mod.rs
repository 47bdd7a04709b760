//! What mail and text services tell of messages, in their own forms, and by what it is known that it is they who tell.

pub(crate) mod postmark;
pub(crate) mod sendgrid;
mod ses;
pub(crate) mod sns;
pub(crate) mod twilio;

use serde::de::DeserializeOwned;
use shared::error::TokenProblem;
use shared::{Context, Error, Result};

/// 401: it is not known who tells this.
fn unproven() -> Error {
    Error::token(TokenProblem::Invalid)
}

/// The body as that form of JSON. Who has proven to be the service and sends something else is told so.
fn json<T: DeserializeOwned>(cx: &Context) -> Result<T> {
    let read = serde_json::from_slice(&cx.bytes());
    read.map_err(|error| Error::bad_request(format!("the notice cannot be read: {error}")))
}
