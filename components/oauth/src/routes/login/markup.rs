//! The markup of the log-in.

use maud::html;
use shared::html::{Page, Width};
use shared::texts::log_in as texts;
use shared::{Context, Reply};

use crate::routes::credentials::{self, Refusal};

/// The content of the log-in.
pub(super) struct LoginPage<'a> {
    /// The path to which its form leads.
    pub(super) action: &'a str,
    pub(super) return_to: &'a str,
    pub(super) authenticity_token: &'a str,
    /// The login that was tried before.
    pub(super) login: &'a str,
    /// The reason why that was refused.
    pub(super) refusal: Option<Refusal>,
}

/// The page on which a person logs in.
pub(super) fn login(cx: &Context, page: &LoginPage<'_>) -> Reply {
    let LoginPage { action, return_to, authenticity_token, login, refusal } = page;
    let language = cx.language();
    let title = texts::LOG_IN.get(language);
    Page { title, width: Width::Narrow, forms_to: "'self'", ..Page::of(cx) }.show(&html! {
        h1 { (title) }
        (credentials::problem(*refusal, language))
        form method="post" action=(action) {
            input type="hidden" name="return_to" value=(return_to);
            input type="hidden" name="authenticity_token" value=(authenticity_token);
            (credentials::fields(login, *refusal, language))
            button { (title) }
        }
    })
}
