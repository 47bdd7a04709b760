//! The fields in which people give login and password, and why a page asks for them again.

use http::StatusCode;
use http::header::RETRY_AFTER;
use maud::{Markup, html};
use shared::auth::login;
use shared::texts::{Language, Text, log_in as texts};
use shared::{LimitKind, Reply, limits_hit};

/// The reason why a page asks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The page was open for too long, or is none of ours.
    Stale,
    /// The form was sent before.
    Repeated,
    /// The login or the password is wrong.
    Wrong,
    /// There were too many wrong passwords.
    TooMany,
}

impl Refusal {
    /// The reason as the page says it.
    pub(crate) fn words(self) -> Text {
        match self {
            Self::Stale => texts::STALE,
            Self::Repeated => texts::REPEATED,
            Self::Wrong => texts::WRONG,
            Self::TooMany => texts::TOO_MANY,
        }
    }

    /// The page that asks again, as an answer. Too many wrong passwords count as a limit that was hit.
    pub(crate) fn answer(self, page: Reply) -> Reply {
        match self {
            Self::Stale | Self::Repeated => page.with_status(StatusCode::BAD_REQUEST),
            Self::Wrong => page.with_status(StatusCode::FORBIDDEN),
            Self::TooMany => {
                limits_hit::note(LimitKind::LogIns);
                page.with_status(StatusCode::TOO_MANY_REQUESTS).header(RETRY_AFTER, &login::WINDOW.to_string())
            }
        }
    }
}

/// The name of the element in which the reason stands, for the fields that it concerns.
const PROBLEM: &str = "problem";

/// The reason, where there is one.
pub(super) fn problem(refusal: Option<Refusal>, language: Language) -> Markup {
    html! {
        @if let Some(refusal) = refusal { p class="problem" id=(PROBLEM) role="alert" { (refusal.words().get(language)) } }
    }
}

/// The fields, with the login that was tried before and was refused for that reason: each of them tells it to those who listen.
pub(super) fn fields(login: &str, refusal: Option<Refusal>, language: Language) -> Markup {
    let problem = refusal.map(|_| PROBLEM);
    let is_wrong = (refusal == Some(Refusal::Wrong)).then_some("true");
    html! {
        label for="login" { (texts::LOGIN.get(language)) }
        input id="login" name="login" value=(login) required aria-describedby=[problem] aria-invalid=[is_wrong]
            autocomplete="username" autocapitalize="none" spellcheck="false";
        label for="password" { (texts::PASSWORD.get(language)) }
        input id="password" name="password" type="password" required aria-describedby=[problem] aria-invalid=[is_wrong]
            autocomplete="current-password";
    }
}
