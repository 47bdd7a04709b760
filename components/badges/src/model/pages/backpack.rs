//! The pages of a backpack: what somebody keeps, and one badge of it. What was revoked or has expired stays, and says so.

use maud::{Markup, html};
use serde::Serialize;
use shared::html::{Page, fill};
use shared::pagination::Part;
use shared::session::{FORM_TOKEN, SignedIn};
use shared::texts::{Language, Text, backpack as texts, badge as of_badges};
use shared::{Reply, Timestamp};

use super::award::{self, achievement, sharing, verdict};
use super::{STYLE, criteria, date, sentence};
use crate::model::imports::ImportRow;
use crate::model::markdown;
use crate::model::public::PublicAssertion;
use crate::model::sharing::linkedin;
use crate::model::validity::Validity;

const LIST_STYLE: &str = "ul.kept { list-style: none; padding: 0 }
ul.kept li { display: flex; gap: 1rem; padding-block: 1rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
ul.kept img { flex: none; width: 5rem; height: 5rem; object-fit: contain }
ul.kept .over img { filter: grayscale(1) }
ul.kept h2 { margin: 0; font-size: 1.1rem } ul.kept p { margin: .25rem 0 0 }
nav.turn { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem }";

/// The most characters of a name that a list shows: a stranger's may be of any length.
const MAX_LISTED_CHARS: usize = 200;

/// Who keeps badges, as the pages of the backpack know them.
#[derive(Clone, Copy)]
pub(crate) struct Keeper<'a> {
    pub(crate) language: Language,
    pub(crate) signed_in: Option<&'a SignedIn>,
    /// The address of the service, for what is shared.
    pub(crate) base: &'a str,
    pub(crate) now: Timestamp,
}

impl<'a> Keeper<'a> {
    pub(super) fn page(&self, title: &'a str, style: &'a str) -> Page<'a> {
        let Self { language, signed_in, .. } = *self;
        Page { language, signed_in, title, style, images_from: "'self'", ..Page::default() }
    }

    /// The path before those of the pages.
    pub(super) fn prefix(&self) -> &'a str {
        self.signed_in.map_or("", |signed_in| &signed_in.prefix)
    }

    /// The field by which a form shows that our page sent it.
    pub(super) fn form_token(&self) -> Markup {
        let token = self.signed_in.map_or("", |signed_in| &signed_in.form_token);
        html! { input type="hidden" name=(FORM_TOKEN) value=(token); }
    }
}

/// A badge in the list of a backpack.
#[derive(Serialize)]
pub(crate) struct KeptBadge {
    entity_id: String,
    title: String,
    issuer: String,
    /// The path of its image.
    image: Option<String>,
    issued_on: Option<Timestamp>,
    validity: Validity,
}

impl KeptBadge {
    /// An award of ours.
    pub(crate) fn of_award(assertion: &PublicAssertion, now: Timestamp) -> Self {
        let class = &assertion.class.0;
        Self {
            entity_id: assertion.entity_id.clone(),
            title: class.name.clone(),
            issuer: class.issuer.0.name.clone(),
            // That of the class: a revoked award has none of its own.
            image: Some(format!("/public/badges/{}/image", class.entity_id)),
            issued_on: Some(assertion.issued_on),
            validity: Validity::of_award(assertion, now),
        }
    }

    /// An award of another service.
    pub(crate) fn of_import(import: &ImportRow, now: Timestamp) -> Self {
        let listed = |text: &str| text.chars().take(MAX_LISTED_CHARS).collect();
        Self {
            entity_id: import.entity_id.clone(),
            title: listed(import.title()),
            issuer: listed(import.issuer_name()),
            image: image_path(import),
            issued_on: import.moment("issuedOn"),
            validity: Validity::of_import(import, now),
        }
    }
}

fn image_path(import: &ImportRow) -> Option<String> {
    import.image.as_ref().map(|_| format!("/public/imports/{}/image", import.entity_id))
}

/// A collection below the list.
pub(crate) struct KeptCollection {
    pub(crate) name: String,
    pub(crate) badges: usize,
    /// The path of its page, where it is published.
    pub(crate) page: Option<String>,
}

/// A part of what somebody keeps, the newest first, and their collections.
pub(crate) fn list(
    keeper: &Keeper<'_>,
    part: &Part<Vec<KeptBadge>>,
    is_newest: bool,
    collections: &[KeptCollection],
) -> Reply {
    let Keeper { language, .. } = *keeper;
    let (title, prefix) = (texts::TITLE.get(language), keeper.prefix());
    keeper.page(title, LIST_STYLE).show(&html! {
        h1 { (title) }
        p { a href={ (prefix) "/backpack/import" } { (texts::IMPORT.get(language)) } }
        @if part.items.is_empty() && is_newest {
            p { (texts::EMPTY.get(language)) }
        } @else {
            ul class="kept" { @for badge in &part.items { (listed(keeper, badge)) } }
            (turning(keeper, part, is_newest))
        }
        @if !collections.is_empty() {
            h2 { (texts::COLLECTIONS.get(language)) }
            ul { @for collection in collections { li { (listed_collection(keeper, collection)) } } }
        }
    })
}

fn listed(keeper: &Keeper<'_>, badge: &KeptBadge) -> Markup {
    let (language, prefix) = (keeper.language, keeper.prefix());
    html! {
        li class=[(!badge.validity.is_good()).then_some("over")] {
            @if let Some(image) = &badge.image { img src={ (prefix) (image) } alt="" loading="lazy"; }
            div {
                h2 { a href={ (prefix) "/backpack/assertions/" (badge.entity_id) } { (badge.title) } }
                (awarded(language, &badge.issuer, badge.issued_on))
                p { strong { (sentence(language, &badge.validity)) } }
            }
        }
    }
}

fn awarded(language: Language, issuer: &str, issued_on: Option<Timestamp>) -> Markup {
    html! {
        @if let Some(day) = issued_on {
            p { (fill(&of_badges::AWARDED, language, &[("issuer", &issuer), ("day", &date(language, day))])) }
        }
    }
}

/// The way to the parts of the list on either side.
fn turning(keeper: &Keeper<'_>, part: &Part<Vec<KeptBadge>>, is_newest: bool) -> Markup {
    let say = |text: Text| text.get(keeper.language);
    html! {
        @if !is_newest || part.next.is_some() {
            nav class="turn" aria-label=(say(texts::PAGES)) {
                @if !is_newest && part.prev.is_none() { a href={ (keeper.prefix()) "/backpack" } { (say(texts::NEWEST)) } }
                @if let Some(prev) = &part.prev { a rel="prev" href=(prev) { (say(texts::NEWER)) } }
                @if let Some(next) = &part.next { a rel="next" href=(next) { (say(texts::OLDER)) } }
            }
        }
    }
}

fn listed_collection(keeper: &Keeper<'_>, collection: &KeptCollection) -> Markup {
    let KeptCollection { name, badges, page } = collection;
    match page {
        Some(page) => {
            let link = html! { a href={ (keeper.prefix()) (page) } { (name) } };
            fill(&texts::PUBLISHED, keeper.language, &[("name", &link), ("count", badges)])
        }
        None => fill(&texts::UNPUBLISHED, keeper.language, &[("name", name), ("count", badges)]),
    }
}

/// An award of ours, for its earner.
pub(crate) fn award(keeper: &Keeper<'_>, assertion: &PublicAssertion, is_unaccepted: bool) -> Reply {
    let Keeper { language, base, now, .. } = *keeper;
    let (class, view) = (&assertion.class.0, award::View { language, base, now });
    let address = format!("{base}/public/assertions/{}", assertion.entity_id);
    let is_revoked = assertion.revoked_at.is_some();
    let alt = class.image_alt_text.as_deref().unwrap_or(&class.name);
    keeper.page(&class.name, STYLE).show(&html! {
        h1 { (class.name) }
        img class="badge" src={ (keeper.prefix()) "/public/badges/" (class.entity_id) "/image" } alt=(alt);
        (verdict(&view, assertion, &Validity::of_award(assertion, now)))
        p class="text" { (class.description) }
        @if !is_revoked { (achievement(assertion, language)) }
        (criteria(class, language))
        @if !is_revoked { (sharing(&view, &address, assertion, class)) }
        p { a href={ (address) ".html" } { (texts::PUBLIC_PAGE.get(language)) } }
        @if is_unaccepted && !is_revoked {
            (change(keeper, &assertion.entity_id, "accept", texts::ACCEPT, texts::ACCEPTING))
        }
        (change(keeper, &assertion.entity_id, "remove", texts::TURN_DOWN, texts::TURNING_DOWN))
        (back(keeper))
    })
}

/// An award of another service, for who imported it.
pub(crate) fn import(keeper: &Keeper<'_>, import: &ImportRow) -> Reply {
    let Keeper { language, now, .. } = *keeper;
    let (title, validity) = (import.title(), Validity::of_import(import, now));
    let image = image_path(import).map(|path| format!("{}{path}", keeper.prefix()));
    keeper.page(title, STYLE).show(&html! {
        h1 { (title) }
        @if let Some(image) = &image { img class="badge" src=(image) alt=(title); }
        div class="verdict" role=[(!validity.is_good()).then_some("alert")] {
            p { strong { (sentence(language, &validity)) } }
            (awarded(language, import.issuer_name(), import.moment("issuedOn")))
        }
        @if let Some(description) = import.description() { p class="text" { (description) } }
        @let (narrative, url) = (import.criteria_narrative(), import.criteria_url());
        @if narrative.is_some() || url.is_some() {
            h2 { (of_badges::CRITERIA.get(language)) }
            @if let Some(narrative) = narrative { (markdown::show(narrative)) }
            @if let Some(url) = url { p { a href=(url) rel="noopener nofollow" { (url) } } }
        }
        h2 { (of_badges::SHARE.get(language)) }
        ul class="actions" {
            li { a href=(import.open_badge_id) rel="noopener nofollow" { (texts::SOURCE.get(language)) } }
            li { a href=(linkedin(&import.open_badge_id)) rel="noopener nofollow" { (of_badges::POST.get(language)) } }
            @if let Some(image) = &image { li { a href=(image) download { (texts::IMAGE.get(language)) } } }
        }
        (change(keeper, &import.entity_id, "remove", texts::REMOVE, texts::REMOVING))
        (back(keeper))
    })
}

/// A form that changes what somebody keeps, with what comes of it.
fn change(keeper: &Keeper<'_>, id: &str, action: &str, words: Text, consequence: Text) -> Markup {
    let words = words.get(keeper.language);
    html! {
        h2 { (words) }
        form method="post" action={ (keeper.prefix()) "/backpack/assertions/" (id) } {
            p { (consequence.get(keeper.language)) }
            (keeper.form_token())
            input type="hidden" name="action" value=(action);
            button class="plain" { (words) }
        }
    }
}

pub(super) fn back(keeper: &Keeper<'_>) -> Markup {
    html! { p { a href={ (keeper.prefix()) "/backpack" } { (texts::BACK.get(keeper.language)) } } }
}
