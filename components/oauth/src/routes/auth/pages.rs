//! The pages that users see: without script, and with nothing from elsewhere.

use maud::{Markup, html};
use shared::html::{Page, Width, fill, of_api};
use shared::texts::consent as texts;
use shared::{Context, Reply};

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
pub(crate) fn login(cx: &Context, page: &LoginPage<'_>, target: Option<&str>) -> Reply {
    let LoginPage { client, scopes, hidden, authenticity_token, login, refusal } = page;
    let language = cx.language();
    let title = texts::TITLE.get(language);
    let content = html! {
        h1 { (title) }
        p { (fill(&texts::ASKS, language, &[("client", &html! { strong { (client) } })])) }
        @match scopes {
            Some(scopes) => {
                p id="scopes" { (texts::SCOPES.get(language)) }
                ul aria-labelledby="scopes" { @for scope in *scopes { li { code { (scope) } } } }
            }
            None => p { (texts::EVERYTHING.get(language)) },
        }
        (credentials::problem(*refusal, language))
        form method="post" action="/login/oauth2/auth" {
            @for (name, value) in *hidden { input type="hidden" name=(name) value=(value); }
            input type="hidden" name="authenticity_token" value=(authenticity_token);
            (credentials::fields(login, *refusal, language))
            button name="decision" value="allow" { (texts::ALLOW.get(language)) }
            button class="plain" name="decision" value="cancel" formnovalidate { (texts::CANCEL.get(language)) }
        }
    };
    let targets = target.map_or_else(|| "'self'".to_owned(), |target| format!("'self' {target}"));
    reply(cx, title, &content, &targets)
}

/// The page that shows a code to a user whose client has no address.
pub(crate) fn code(cx: &Context, client: &str, code: &str) -> Reply {
    let language = cx.language();
    let title = texts::ALLOWED.get(language);
    let content = html! {
        h1 { (title) }
        p { (fill(&texts::CODE, language, &[("client", &html! { strong { (client) } })])) }
        p { code { (code) } }
    };
    reply(cx, title, &content, "")
}

/// The page that tells why there is nothing to allow.
pub(crate) fn error_page(cx: &Context, reason: &str) -> Reply {
    let language = cx.language();
    let title = texts::DOES_NOT_WORK.get(language);
    let content = html! {
        h1 { (title) }
        p { (fill(&texts::UNOBTAINABLE, language, &[("reason", &of_api(reason, language))])) }
    };
    reply(cx, title, &content, "")
}

fn reply(cx: &Context, title: &str, content: &Markup, forms_to: &str) -> Reply {
    Page { title, width: Width::Narrow, forms_to, ..Page::of(cx) }.show(content)
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
