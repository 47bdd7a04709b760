//! The page of an award: whether it is good, whose it is, what it was for, and ways to pass it on.

use std::fmt::Display;

use maud::{Markup, html};
use shared::html::fill;
use shared::texts::{Language, badge as texts};
use shared::{Reply, Timestamp};

use super::{Preview, criteria, date, day, issuer_link, sentence, show};
use crate::model::markdown;
use crate::model::public::{PublicAssertion, PublicClass};
use crate::model::sharing::{add_to_profile, linkedin};
use crate::model::validity::Validity;

/// What somebody was told who asked whether an address is the earner's.
pub(crate) enum Earner {
    /// The award was made to it.
    Same,
    /// The award was made to another.
    Other,
    /// It is no address.
    Unreadable,
}

/// The page as somebody is shown it at an address and a moment.
pub(crate) struct View<'a> {
    pub(crate) language: Language,
    pub(crate) base: &'a str,
    pub(crate) now: Timestamp,
}

pub(crate) fn award(view: &View<'_>, assertion: &PublicAssertion, earner: Option<&Earner>) -> Reply {
    let View { language, base, now } = *view;
    let (class, id) = (&assertion.class.0, &assertion.entity_id);
    let address = format!("{base}/public/assertions/{id}");
    let validity = Validity::of_award(assertion, now);
    let is_revoked = assertion.revoked_at.is_some();
    let awarded: [(&str, &dyn Display); 2] =
        [("issuer", &class.issuer.0.name), ("day", &day(language, assertion.issued_on))];
    let description = format!("{} {}", texts::AWARDED.fill(language, &awarded), class.description);
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("format", "json")
        .append_pair("url", &address)
        .finish();
    let preview = Preview {
        language,
        title: &class.name,
        description: &description,
        image: (!is_revoked).then(|| format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: Some(format!("{base}/public/oembed?{query}")),
        address: address.clone(),
        forms_to: "'self'",
    };
    let content = html! {
        h1 { (class.name) }
        @if !is_revoked {
            img class="badge" src={ (address) "/image" } alt=(class.image_alt_text.as_deref().unwrap_or(&class.name));
        }
        (verdict(view, assertion, &validity))
        p class="text" { (class.description) }
        @if !is_revoked { (achievement(assertion, language)) }
        (criteria(class, language))
        @if !is_revoked {
            (earner_form(&address, earner, language))
            (documents(&address, language))
            (sharing(view, &address, assertion, class))
            p { (fill(&texts::ADDRESS, language, &[("address", &html! { code { (address) } })])) }
        }
    };
    show(&preview, &content)
}

/// Whether the award is good at this moment, and why.
pub(super) fn verdict(view: &View<'_>, assertion: &PublicAssertion, validity: &Validity) -> Markup {
    let View { language, base, .. } = *view;
    let issuer = issuer_link(base, &assertion.class.0.issuer.0);
    html! {
        div class="verdict" role=[(!validity.is_good()).then_some("alert")] {
            p { strong { (sentence(language, validity)) } }
            p {
                (fill(&texts::AWARDED, language, &[("issuer", &issuer), ("day", &date(language, assertion.issued_on))]))
                @if validity.is_good() {
                    " "
                    @match assertion.expires {
                        Some(end) => (fill(&texts::LASTS_UNTIL, language, &[("day", &date(language, end))])),
                        None => (texts::LASTS.get(language)),
                    }
                }
            }
        }
    }
}

pub(super) fn achievement(assertion: &PublicAssertion, language: Language) -> Markup {
    html! {
        @if let Some(narrative) = &assertion.narrative { h2 { (texts::ACHIEVEMENT.get(language)) } (markdown::show(narrative)) }
        @if !assertion.evidence.0.is_empty() {
            h2 { (texts::EVIDENCE.get(language)) }
            ul {
                @for evidence in &assertion.evidence.0 {
                    li {
                        @if let Some(url) = &evidence.url {
                            a href=(url) rel="noopener nofollow" { (evidence.name.as_deref().unwrap_or(url)) } " "
                        }
                        @if let Some(narrative) = &evidence.narrative { (markdown::show(narrative)) }
                    }
                }
            }
        }
    }
}

/// The address of an earner is nobody's business; but whoever was told one may check it.
fn earner_form(address: &str, earner: Option<&Earner>, language: Language) -> Markup {
    html! {
        h2 id="earner" { (texts::WHOSE.get(language)) }
        @match earner {
            Some(Earner::Same) => p class="verdict" role="status" { (texts::SAME_EARNER.get(language)) },
            Some(Earner::Other) => p class="problem" role="alert" { (texts::OTHER_EARNER.get(language)) },
            Some(Earner::Unreadable) => p class="problem" role="alert" { (texts::NO_ADDRESS.get(language)) },
            None => {}
        }
        form method="post" action={ (address) "/earner#earner" } {
            label for="email" { (texts::EARNER_ADDRESS.get(language)) }
            input id="email" type="email" name="email" required maxlength="254" autocomplete="off";
            button { (texts::CHECK.get(language)) }
        }
    }
}

fn documents(address: &str, language: Language) -> Markup {
    html! {
        h2 { (texts::VERIFY.get(language)) }
        ul {
            li { a href={ (address) ".json" } { "Open Badges 2.0" } }
            li { a href={ (address) "/credential" } { (texts::SIGNED_CREDENTIAL.get(language)) } }
            li { a href={ (address) "/credential?alg=RS256" } {
                (texts::SIGNED_CREDENTIAL_BY.fill(language, &[("algorithm", &"RS256")]))
            } }
        }
    }
}

pub(super) fn sharing(view: &View<'_>, address: &str, assertion: &PublicAssertion, class: &PublicClass) -> Markup {
    let View { language, base, .. } = *view;
    html! {
        h2 { (texts::SHARE.get(language)) }
        ul class="actions" {
            li { a href=(add_to_profile(base, assertion)) rel="noopener nofollow" { (texts::ADD_TO_PROFILE.get(language)) } }
            li { a href=(linkedin(address)) rel="noopener nofollow" { (texts::POST.get(language)) } }
            li { a href={ (address) "/credential?iss=did" } download={ (class.name) ".jwt" } { (texts::WALLET.get(language)) } }
            li { a href={ (address) "/image" } download { (texts::BAKED_IMAGE.get(language)) } }
        }
    }
}
