//! The requests that change courses: each is written beside the first of its events, once.

use std::cell::Cell;

use http::header::USER_AGENT;
use types::clock::Timestamp;
use types::ids::TokenId;
use web::Context;
use web::error::Result;

const MAX_PATH_CHARS: usize = 2000;
const MAX_USER_AGENT_CHARS: usize = 255;
/// Longer than any address of a network.
const MAX_ADDRESS_CHARS: usize = 64;

/// A request as it is kept: without its query and its body, in which secrets may stand.
pub(super) struct PageView {
    pub(super) id: String,
    pub(super) http_method: String,
    pub(super) path: String,
    pub(super) remote_ip: Option<String>,
    pub(super) user_agent: Option<String>,
    /// The token of the call; `None` on a page of ours.
    pub(super) token: Option<TokenId>,
    pub(super) created_at: Timestamp,
    is_written: Cell<bool>,
}

impl PageView {
    /// The request that is being answered.
    pub(super) fn of(cx: &Context) -> Result<Self> {
        Ok(Self {
            id: cx.request_id().to_owned(),
            http_method: cx.parts().method.to_string(),
            path: shortened(cx.path(), MAX_PATH_CHARS),
            remote_ip: cx.client_address().map(|address| shortened(address, MAX_ADDRESS_CHARS)),
            user_agent: cx.header(USER_AGENT).map(|agent| shortened(agent, MAX_USER_AGENT_CHARS)),
            token: cx.caller()?.token,
            created_at: cx.now,
            is_written: Cell::new(false),
        })
    }

    /// Whether the request is still to be written down: it is, for the first event of a transaction alone.
    pub(super) fn is_first_mention(&self) -> bool {
        !self.is_written.replace(true)
    }
}

fn shortened(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}
