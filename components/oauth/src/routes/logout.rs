//! The end of a session on our pages.

use http::StatusCode;
use http::header::{LOCATION, SET_COOKIE};
use serde::Deserialize;
use shared::auth::session;
use shared::error::OrNotFound;
use shared::session::{LOGIN_PATH, PageSession, page_path};
use shared::{Context, Form, JsonSchema, Reply, Result, endpoint, endpoints};

endpoints![end_page_session];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct LogoutForm {
    /// Whether the user's sessions in other browsers end, too.
    everywhere: bool,
    /// The token of the page's form.
    #[serde(rename = "authenticity_token")]
    _authenticity_token: String,
}

/// Ends the session on our pages, or all sessions of its user, and leads to the log-in.
#[endpoint(POST "/logout", signed_in, page, answers(303, "It has ended, or there was none."))]
async fn end_page_session(cx: Context, form: Form<LogoutForm>) -> Result<Reply> {
    let everywhere = form.decode()?.everywhere;
    let session = cx.signed_in().or_not_found()?.session;
    session::end(&cx.db, session, everywhere, cx.now).await?;
    let reply = Reply::empty(StatusCode::SEE_OTHER).header(LOCATION, &page_path(LOGIN_PATH).await?);
    Ok(reply.header(SET_COOKIE, &PageSession::unset_cookie().await?))
}
