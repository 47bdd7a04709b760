//! The page behind the link of a confirmation: whoever has the link may use it, and it does nothing until the button is
//! pressed, because mail programs open links by themselves.

use http::StatusCode;
use maud::html;
use serde::Deserialize;
use shared::html::{Page, Width};
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::store::confirmations::{self as store, ConfirmationRow};

/// A long address is broken where the screen ends.
const STYLE: &str = "strong { overflow-wrap: anywhere; }";

endpoints![get_confirmation_page, confirm_registration];

#[derive(Deserialize, JsonSchema)]
struct CodePath {
    code: String,
}

/// Shows the page that confirms a channel.
#[endpoint(
    GET "/register/:code",
    public,
    page,
    nobody(404, "the page of a code that nobody can guess; there is none"),
)]
async fn get_confirmation_page(cx: Context, Path(at): Path<CodePath>) -> Result<Reply> {
    Ok(match store::of_code(&cx.db, &at.code, cx.now).await? {
        Some(found) => question(&found),
        None => unknown(),
    })
}

/// Confirms a channel from its page.
#[endpoint(
    POST "/register/:code",
    public,
    page,
    nobody(404, "the page of a code that nobody can guess; there is none"),
)]
async fn confirm_registration(cx: Context, Path(at): Path<CodePath>) -> Result<Reply> {
    Ok(match store::confirm_by_code(&cx.db, &at.code, cx.now).await? {
        Some(channel) => thanks(&channel.address),
        None => unknown(),
    })
}

fn question(found: &ConfirmationRow) -> Reply {
    let page = Page { title: "Confirm your address", forms_to: "'self'", ..page() };
    page.show(&html! {
        h1 { "Is this yours?" }
        p { "Messages to " strong { (found.user_name) } " at " strong { (found.account_name) } " are to come to "
            strong { (found.address) } "." }
        form method="post" { button { "Yes, it is mine" } }
        p { "If this is not you, or the address is not yours, close this page: nothing will be sent there." }
    })
}

fn thanks(address: &str) -> Reply {
    let page = Page { title: "Confirmed", ..page() };
    page.show(&html! {
        h1 { "Thank you" }
        p { "Messages can come to " strong { (address) } " from now on." }
    })
}

fn unknown() -> Reply {
    let page = Page { title: "This link is not good any more", ..page() };
    let reply = page.show(&html! {
        h1 { "This link is not good any more" }
        p { "It was used up, or a newer one was sent. Ask for another in your settings." }
    });
    reply.with_status(StatusCode::NOT_FOUND)
}

fn page() -> Page<'static> {
    Page { width: Width::Narrow, style: STYLE, ..Page::default() }
}
