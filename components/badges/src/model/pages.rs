//! Pages for people, with what those need who share them.

use maud::{Markup, html};
use shared::html::Page;
use shared::{Reply, Timestamp};

use crate::model::linkedin::add_to_profile;
use crate::model::markdown;
use crate::model::public::{ListedBadge, ListedImport, PublicAssertion, PublicClass, PublicCollection, PublicIssuer};

const STYLE: &str = "img.badge { width: 10rem; height: 10rem; object-fit: contain; display: block; margin-block: 1rem }
ul.badges { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1.5rem }
ul.badges img { width: 6rem; height: 6rem; object-fit: contain; display: block }
p.text { white-space: pre-line }";

/// The preview of a page that others are shown.
struct Preview<'a> {
    title: &'a str,
    description: &'a str,
    address: String,
    image: Option<String>,
    /// The document that says the same to programs.
    document: String,
    oembed: Option<String>,
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
    let page = Page { title: preview.title, head: Some(&head), style: STYLE, images_from: "'self'", ..Page::default() };
    page.show(content)
}

fn day(moment: Timestamp) -> String {
    moment.to_utc().format("%-d %B %Y").to_string()
}

pub(crate) fn assertion(base: &str, assertion: &PublicAssertion, now: Timestamp) -> Reply {
    let (class, id) = (&assertion.class.0, &assertion.entity_id);
    let address = format!("{base}/public/assertions/{id}");
    let is_over = assertion.revoked_at.is_some();
    let has_ended = assertion.expires.is_some_and(|end| end <= now);
    let description =
        format!("Awarded by {} on {}. {}", class.issuer.0.name, day(assertion.issued_on), class.description);
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("format", "json")
        .append_pair("url", &address)
        .finish();
    let oembed = format!("{base}/public/oembed?{query}");
    let preview = Preview {
        title: &class.name,
        description: &description,
        image: (!is_over).then(|| format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: Some(oembed),
        address,
    };
    let content = html! {
        h1 { (class.name) }
        @if is_over {
            p role="alert" { strong { "This award was revoked" } @if let Some(reason) = &assertion.revocation_reason { ": " (reason) } }
        } @else {
            @if has_ended { p role="alert" { strong { "This award has expired." } } }
            img class="badge" src={ "/public/assertions/" (id) "/image" } alt=(class.image_alt_text.as_deref().unwrap_or(&class.name));
        }
        p { "Awarded by " a href={ "/public/issuers/" (class.issuer.0.entity_id) ".html" } { (class.issuer.0.name) }
            " on " time datetime=(assertion.issued_on) { (day(assertion.issued_on)) }
            @if let Some(end) = assertion.expires { ", good until " time datetime=(end) { (day(end)) } } "." }
        p class="text" { (class.description) }
        @if !is_over {
            @if let Some(narrative) = &assertion.narrative { h2 { "What the earner did" } (markdown::show(narrative)) }
            @if !assertion.evidence.0.is_empty() {
                h2 { "Evidence" }
                ul {
                    @for evidence in &assertion.evidence.0 {
                        li {
                            @if let Some(url) = &evidence.url { a href=(url) rel="noopener nofollow" { (evidence.name.as_deref().unwrap_or(url)) } " " }
                            @if let Some(narrative) = &evidence.narrative { (markdown::show(narrative)) }
                        }
                    }
                }
            }
        }
        (criteria(class))
        @if !is_over {
            h2 { "Verify" }
            ul {
                li { a href={ "/public/assertions/" (id) ".json" } { "Open Badges 2.0" } }
                li { a href={ "/public/assertions/" (id) "/credential" } { "Open Badges 3.0 (signed credential)" } }
                li { a href={ "/public/assertions/" (id) "/credential?alg=RS256" } { "Open Badges 3.0 (signed credential, RS256)" } }
                li { a href={ "/public/assertions/" (id) "/credential?iss=did" } { "Open Badges 3.0 (signed credential for wallets)" } }
                li { a href={ "/public/assertions/" (id) "/image" } download { "Image with the badge baked in" } }
            }
            h2 { "Share" }
            p { a href=(add_to_profile(base, assertion)) rel="noopener nofollow" { "Add to my LinkedIn profile" } }
        }
    };
    show(&preview, &content)
}

fn criteria(class: &PublicClass) -> Markup {
    html! {
        h2 { "Criteria" }
        @if let Some(narrative) = &class.criteria_narrative { (markdown::show(narrative)) }
        @if let Some(url) = &class.criteria_url { p { a href=(url) rel="noopener nofollow" { (url) } } }
    }
}

pub(crate) fn class(base: &str, class: &PublicClass) -> Reply {
    let address = format!("{base}/public/badges/{}", class.entity_id);
    let preview = Preview {
        title: &class.name,
        description: &class.description,
        image: Some(format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: None,
        address,
    };
    let content = html! {
        h1 { (class.name) }
        img class="badge" src={ "/public/badges/" (class.entity_id) "/image" } alt=(class.image_alt_text.as_deref().unwrap_or(&class.name));
        p { "A badge of " a href={ "/public/issuers/" (class.issuer.0.entity_id) ".html" } { (class.issuer.0.name) } "." }
        p class="text" { (class.description) }
        (criteria(class))
        @if !class.alignments.0.is_empty() {
            h2 { "Alignments" }
            ul { @for alignment in &class.alignments.0 { li { a href=(alignment.target_url) rel="noopener nofollow" { (alignment.target_name) } } } }
        }
        @if !class.tags.0.is_empty() { p { "Tags: " (class.tags.0.join(", ")) } }
    };
    show(&preview, &content)
}

pub(crate) fn issuer(base: &str, issuer: &PublicIssuer, classes: &[ListedBadge]) -> Reply {
    let address = format!("{base}/public/issuers/{}", issuer.entity_id);
    let preview = Preview {
        title: &issuer.name,
        description: &issuer.description,
        image: issuer.image.as_ref().map(|_| format!("{address}/image")),
        document: format!("{address}.json"),
        oembed: None,
        address,
    };
    let content = html! {
        h1 { (issuer.name) }
        @if issuer.image.is_some() { img class="badge" src={ "/public/issuers/" (issuer.entity_id) "/image" } alt=""; }
        p class="text" { (issuer.description) }
        p { a href=(issuer.url) rel="noopener nofollow" { (issuer.url) } }
        h2 { "Badges" }
        ul class="badges" {
            @for class in classes {
                li { a href={ "/public/badges/" (class.entity_id) ".html" } {
                    img src={ "/public/badges/" (class.entity_id) "/image" } alt=""; (class.name)
                } }
            }
        }
    };
    show(&preview, &content)
}

pub(crate) fn collection(
    base: &str,
    hash: &str,
    collection: &PublicCollection,
    assertions: &[ListedBadge],
    imports: &[ListedImport],
) -> Reply {
    let address = format!("{base}/public/collections/{hash}");
    let first = assertions.first().map(|assertion| format!("{base}/public/assertions/{}/image", assertion.entity_id));
    let preview = Preview {
        title: &collection.name,
        description: &collection.description,
        image: first,
        document: format!("{address}.json"),
        oembed: None,
        address,
    };
    let content = html! {
        h1 { (collection.name) }
        p class="text" { (collection.description) }
        ul class="badges" {
            @for assertion in assertions {
                li { a href={ "/public/assertions/" (assertion.entity_id) ".html" } {
                    img src={ "/public/assertions/" (assertion.entity_id) "/image" } alt=""; (assertion.name)
                } }
            }
            @for import in imports {
                li { a href=(import.open_badge_id) rel="noopener nofollow" {
                    @if import.has_image { img src={ "/public/imports/" (import.entity_id) "/image" } alt=""; }
                    (import.name.as_deref().unwrap_or(&import.open_badge_id))
                } }
            }
        }
    };
    show(&preview, &content)
}
