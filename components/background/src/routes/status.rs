//! The state of the installation in figures, for those who watch it and for their programs.

use http::header::{ACCEPT, VARY};
use serde::Deserialize;
use shared::status::{CONTENT_TYPE, Status};
use shared::{Context, Error, JsonSchema, Query, Reply, Result, accept, background, endpoint, endpoints};

endpoints![get_status];

/// The form of the figures.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct FormatQuery {
    /// `json`, or `prometheus` for the text format of Prometheus, version 0.0.4. Without it the header `Accept` decides:
    /// who prefers `text/plain` to JSON gets the text.
    format: Option<String>,
}

/// Tells what waits, what has failed and how large the installation is, in figures.
///
/// They are those of all tenants and processes, and name nobody. Without the variable `status_token` only the
/// token of the tick opens them.
#[endpoint(
    GET "/internal/status",
    public,
    nobody(401, "it is called with a token of the operator's own"),
    takes(background::STATUS_TOKEN),
    answers(404, "The variable `status_token` is empty, and the token of the tick is not shown."),
    sends(&["application/json", "text/plain"]),
    quiet,
)]
async fn get_status(cx: Context, query: Query<FormatQuery>) -> Result<Reply<Status>> {
    background::require_watcher(&cx).await?;
    let is_text = match query.decode()?.format.as_deref() {
        Some("prometheus") => true,
        Some("json") => false,
        Some(_) => return Err(Error::invalid("format", "invalid", "must be json or prometheus")),
        None => prefers_text(cx.header(ACCEPT).unwrap_or_default()),
    };
    let status = Status::read(&cx.db).await?;
    let reply = match is_text {
        true => Reply::in_form(CONTENT_TYPE, status.to_prometheus()),
        false => Reply::ok(status),
    };
    Ok(reply.header(VARY, "Accept"))
}

/// True if plain text is worth more to the client than JSON. Prometheus also asks for forms of its own, and for anything.
fn prefers_text(accept: &str) -> bool {
    accept::prefers(accept, &["text/plain"], &["application/json"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_gets_text_and_others_json() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
        for accept in [prometheus, "text/plain", "Text/Plain; charset=utf-8", "application/json;q=0.5, text/plain"] {
            assert!(prefers_text(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "application/json",
            "text/html,*/*;q=0.8",
            "text/plain;q=0.2, application/json",
            "text/plain;q=x",
        ] {
            assert!(!prefers_text(accept), "{accept}");
        }
    }
}
