//! The page behind the link of a confirmation: whoever has the link may use it, and it does nothing until the button is
//! pressed, because mail programs open links by themselves.

use http::StatusCode;
use maud::html;
use serde::Deserialize;
use shared::html::{Page, Width, fill};
use shared::texts::confirmation as texts;
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
        Some(found) => question(&cx, &found),
        None => unknown(&cx),
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
        Some(channel) => thanks(&cx, &channel.address),
        None => unknown(&cx),
    })
}

fn question(cx: &Context, found: &ConfirmationRow) -> Reply {
    let language = cx.language();
    let [user, account, address] =
        [&found.user_name, &found.account_name, &found.address].map(|name| html! { strong { (name) } });
    let page = Page { title: texts::TITLE.get(language), forms_to: "'self'", ..page(cx) };
    page.show(&html! {
        h1 { (texts::IS_IT_YOURS.get(language)) }
        p { (fill(&texts::MESSAGES_TO, language, &[("user", &user), ("account", &account), ("address", &address)])) }
        form method="post" { button { (texts::YES.get(language)) } }
        p { (texts::IF_NOT.get(language)) }
    })
}

fn thanks(cx: &Context, address: &str) -> Reply {
    let language = cx.language();
    let page = Page { title: texts::CONFIRMED.get(language), ..page(cx) };
    page.show(&html! {
        h1 { (texts::THANK_YOU.get(language)) }
        p { (fill(&texts::MESSAGES_COME, language, &[("address", &html! { strong { (address) } })])) }
    })
}

fn unknown(cx: &Context) -> Reply {
    let language = cx.language();
    let title = texts::NOT_GOOD.get(language);
    let page = Page { title, ..page(cx) };
    let reply = page.show(&html! {
        h1 { (title) }
        p { (texts::USED_UP.get(language)) }
    });
    reply.with_status(StatusCode::NOT_FOUND)
}

fn page(cx: &Context) -> Page<'_> {
    Page { width: Width::Narrow, style: STYLE, ..Page::of(cx) }
}
