//! The requests that change courses: each is written beside the first of its events.

use http::header::USER_AGENT;
use serde::Serialize;
use types::ids::TokenId;
use web::Context;
use web::error::Result;

const MAX_PATH_CHARS: usize = 2000;
const MAX_USER_AGENT_CHARS: usize = 255;
/// Longer than any address of a network.
const MAX_ADDRESS_CHARS: usize = 64;

/// A request as it is kept: without its query and its body, in which secrets may stand.
#[derive(Serialize)]
pub(super) struct PageView {
    id: String,
    http_method: String,
    path: String,
    remote_ip: Option<String>,
    user_agent: Option<String>,
    /// The token of the call; `None` on a page of ours.
    token: Option<TokenId>,
    /// With microseconds, as events have it.
    created_at: String,
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
            created_at: cx.now.with_microseconds(),
        })
    }
}

fn shortened(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}
