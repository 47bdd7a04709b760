//! The pages that users see: without script, and with nothing from elsewhere.

use maud::{Markup, html};
use shared::Reply;
use shared::html::{Page, Width};

use crate::routes::credentials::{self, Refusal};

/// The content of the login page.
pub(crate) struct LoginPage<'a> {
    /// The client's name.
    pub(crate) client: &'a str,
    /// The scopes that the client asks for; `None`: everything.
    pub(crate) scopes: Option<&'a [String]>,
    /// Fields that are sent along.
    pub(crate) hidden: &'a [(&'static str, &'a str)],
    pub(crate) authenticity_token: &'a str,
    /// The login that was tried before.
    pub(crate) login: &'a str,
    /// The reason why that was refused.
    pub(crate) refusal: Option<Refusal>,
}

/// The page on which a user logs in and allows. Its form may lead to the client in the end: `target` is where that is.
pub(crate) fn login(page: &LoginPage<'_>, target: Option<&str>) -> Reply {
    let LoginPage { client, scopes, hidden, authenticity_token, login, refusal } = page;
    let content = html! {
        h1 { "Log in and allow access" }
        p { strong { (client) } " asks to act for you." }
        @match scopes {
            Some(scopes) => {
                p id="scopes" { "It asks for no more than this:" }
                ul aria-labelledby="scopes" { @for scope in *scopes { li { code { (scope) } } } }
            }
            None => p { "It could do everything that you can do." },
        }
        (credentials::problem(*refusal))
        form method="post" action="/login/oauth2/auth" aria-describedby=[refusal.map(|_| credentials::PROBLEM)] {
            @for (name, value) in *hidden { input type="hidden" name=(name) value=(value); }
            input type="hidden" name="authenticity_token" value=(authenticity_token);
            (credentials::fields(login))
            button name="decision" value="allow" { "Log in and allow" }
            button class="plain" name="decision" value="cancel" formnovalidate { "Cancel" }
        }
    };
    let targets = target.map_or_else(|| "'self'".to_owned(), |target| format!("'self' {target}"));
    reply("Log in and allow access", &content, &targets)
}

/// The page that shows a code to a user whose client has no address.
pub(crate) fn code(client: &str, code: &str) -> Reply {
    let content = html! {
        h1 { "Access is allowed" }
        p { "Give this code to " strong { (client) } ". It is good for ten minutes." }
        p { code { (code) } }
    };
    reply("Access is allowed", &content, "")
}

/// The page that tells why there is nothing to allow.
pub(crate) fn error_page(reason: &str) -> Reply {
    let content = html! {
        h1 { "This does not work" }
        p { "The application that sent you here asked for something that it cannot get: " (reason) }
    };
    reply("This does not work", &content, "")
}

fn reply(title: &str, content: &Markup, forms_to: &str) -> Reply {
    Page { title, width: Width::Narrow, forms_to, ..Page::default() }.show(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_text() {
        let markup = html! { p title=("\"><script>") { ("<script>") } }.into_string();
        assert_eq!(markup, "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;script&gt;</p>");
    }
}
