//! Pages for people, with what those need who share them.

pub(crate) mod award;
pub(crate) mod backpack;
pub(crate) mod import;

use maud::{Markup, html};
use shared::html::{Page, fill};
use shared::texts::{Language, backpack as backpack_texts, badge as texts};
use shared::{Reply, Timestamp};

use crate::model::markdown;
use crate::model::public::{CollectedBadge, ListedBadge, PublicClass, PublicCollection, PublicIssuer};
use crate::model::validity::Validity;

const STYLE: &str = "img.badge { width: 10rem; height: 10rem; object-fit: contain; display: block; margin-block: 1rem }
ul.badges { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1.5rem }
ul.badges img { width: 6rem; height: 6rem; object-fit: contain; display: block }
p.text { white-space: pre-line }
.verdict { padding: .6rem; border: 2px solid var(--accent); border-radius: .4rem }
.verdict > :first-child { margin-top: 0 } .verdict > :last-child { margin-bottom: 0 }
ul.actions { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem }";

/// The preview of a page that others are shown.
struct Preview<'a> {
    language: Language,
    title: &'a str,
    description: &'a str,
    address: String,
    image: Option<String>,
    /// The document that says the same to programs.
    document: String,
    oembed: Option<String>,
    /// Where the forms of the page lead, as its policy says it.
    forms_to: &'a str,
}

fn head(preview: &Preview<'_>) -> Markup {
    html! {
        meta name="description" content=(preview.description);
        // Authors link what they like: search engines need not follow.
        meta name="robots" content="nofollow";
        meta property="og:type" content="website";
        meta property="og:site_name" content="Lectern";
        meta property="og:title" content=(preview.title);
        meta property="og:description" content=(preview.description);
        meta property="og:url" content=(preview.address);
        meta name="twitter:card" content="summary";
        meta name="twitter:title" content=(preview.title);
        meta name="twitter:description" content=(preview.description);
        @if let Some(image) = &preview.image {
            meta property="og:image" content=(image);
            meta name="twitter:image" content=(image);
        }
        link rel="canonical" href=(preview.address);
        link rel="alternate" type="application/ld+json" href=(preview.document);
        @if let Some(oembed) = &preview.oembed {
            link rel="alternate" type="application/json+oembed" href=(oembed) title=(preview.title);
        }
    }
}

fn show(preview: &Preview<'_>, content: &Markup) -> Reply {
    let head = head(preview);
    let page = Page {
        language: preview.language,
        title: preview.title,
        head: Some(&head),
        style: STYLE,
        images_from: "'self'",
        forms_to: preview.forms_to,
        ..Page::default()
    };
    page.show(content)
}

fn day(language: Language, moment: Timestamp) -> String {
    language.day(moment.to_utc())
}

fn date(language: Language, moment: Timestamp) -> Markup {
    html! { time datetime=(moment) { (day(language, moment)) } }
}

/// Whether a badge is good, in a sentence.
fn sentence(language: Language, validity: &Validity) -> Markup {
    match validity {
        Validity::Good => html! { (texts::VALID.get(language)) },
        Validity::Verified(day) => fill(&backpack_texts::VERIFIED, language, &[("day", &date(language, *day))]),
        Validity::Revoked(reason) => html! {
            (texts::REVOKED.get(language)) @if reason.is_empty() { "." } @else { ": " (reason) }
        },
        Validity::Expired(end) => fill(&texts::EXPIRED, language, &[("day", &date(language, *end))]),
        Validity::Unconfirmed(address) => fill(&backpack_texts::UNCONFIRMED, language, &[("address", address)]),
    }
}

fn issuer_link(base: &str, issuer: &PublicIssuer) -> Markup {
    html! { a href={ (base) "/public/issuers/" (issuer.entity_id) ".html" } { (issuer.name) } }
}

fn criteria(class: &PublicClass, language: Language) -> Markup {
    html! {
        h2 { (texts::CRITERIA.get(language)) }
        @if let Some(narrative) = &class.criteria_narrative { (markdown::show(narrative)) }
        @if let Some(url) = &class.criteria_url { p { a href=(url) rel="noopener nofollow" { (url) } } }
    }
}

pub(crate) fn class(language: Language, base: &str, class: &PublicClass) -> Reply {
    let address = format!("{base}/public/badges/{}", class.entity_id);
    let preview = Preview {
        language,
        title: &class.name,
        description: &class.description,
        image: Some(format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: None,
        forms_to: "",
        address,
    };
    let content = html! {
        h1 { (class.name) }
        img class="badge" src={ (base) "/public/badges/" (class.entity_id) "/image" } alt=(class.image_alt_text.as_deref().unwrap_or(&class.name));
        p { (fill(&texts::OF_ISSUER, language, &[("issuer", &issuer_link(base, &class.issuer.0))])) }
        p class="text" { (class.description) }
        (criteria(class, language))
        @if !class.alignments.0.is_empty() {
            h2 { (texts::ALIGNMENTS.get(language)) }
            ul { @for alignment in &class.alignments.0 { li { a href=(alignment.target_url) rel="noopener nofollow" { (alignment.target_name) } } } }
        }
        @if !class.tags.0.is_empty() { p { (texts::TAGS.fill(language, &[("tags", &class.tags.0.join(", "))])) } }
    };
    show(&preview, &content)
}

pub(crate) fn issuer(language: Language, base: &str, issuer: &PublicIssuer, classes: &[ListedBadge]) -> Reply {
    let address = format!("{base}/public/issuers/{}", issuer.entity_id);
    let preview = Preview {
        language,
        title: &issuer.name,
        description: &issuer.description,
        image: issuer.image.as_ref().map(|_| format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: None,
        forms_to: "",
        address,
    };
    let content = html! {
        h1 { (issuer.name) }
        @if issuer.image.is_some() { img class="badge" src={ (base) "/public/issuers/" (issuer.entity_id) "/image" } alt=""; }
        p class="text" { (issuer.description) }
        p { a href=(issuer.url) rel="noopener nofollow" { (issuer.url) } }
        h2 { (texts::BADGES.get(language)) }
        ul class="badges" {
            @for class in classes {
                li { a href={ (base) "/public/badges/" (class.entity_id) ".html" } {
                    img src={ (base) "/public/badges/" (class.entity_id) "/image" } alt=""; (class.name)
                } }
            }
        }
    };
    show(&preview, &content)
}

pub(crate) fn collection(language: Language, base: &str, hash: &str, collection: &PublicCollection) -> Reply {
    let badges = &collection.badges.0;
    let address = format!("{base}/public/collections/{hash}");
    let image = |badge: &CollectedBadge| {
        let kind = if badge.source.is_some() { "imports" } else { "assertions" };
        badge.has_image.then(|| format!("{base}/public/{kind}/{}/image", badge.entity_id))
    };
    let preview = Preview {
        language,
        title: &collection.name,
        description: &collection.description,
        image: badges.iter().find_map(image),
        document: format!("{address}.json"),
        oembed: None,
        forms_to: "",
        address,
    };
    let content = html! {
        h1 { (collection.name) }
        p class="text" { (collection.description) }
        ul class="badges" {
            @for badge in badges {
                @let shown = html! {
                    @if let Some(image) = image(badge) { img src=(image) alt=""; }
                    (badge.name.as_deref().or(badge.source.as_deref()).unwrap_or_default())
                };
                li {
                    @match &badge.source {
                        Some(source) => { a href=(source) rel="noopener nofollow" { (shown) } }
                        None => { a href={ (base) "/public/assertions/" (badge.entity_id) ".html" } { (shown) } }
                    }
                }
            }
        }
    };
    show(&preview, &content)
}
