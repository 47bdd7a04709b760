//! The front page, and the page that leads to all operations.

use maud::{Markup, html};

use super::area::operation_list;
use super::frame::Frame;
use super::guides::Guide;

/// The page at `/`.
pub(crate) fn front(guides: &[Guide]) -> Markup {
    html! {
        h1 { "Lectern" }
        p.lead { "The HTTP/JSON API of a learning-management system, wire-compatible with the Canvas LMS API." }
        ul.cards {
            li {
                a href="docs" { "Reference" }
                p { "All operations, with their parameters and answers, and forms to try them." }
            }
            li {
                a href="openapi.json" { "openapi.json" }
                p { "The same for programs: OpenAPI 3.1." }
            }
        }
        h2 id="first" { "The first call" }
        p {
            "A client gets a token for its id and secret, and shows it with every call. "
            "A token lasts an hour; a personal one lasts until it is revoked or its own end."
        }
        pre tabindex="0" { code {
            "curl -d grant_type=client_credentials -d client_id=ID -d client_secret=SECRET \\\n"
            "     http://127.0.0.1:3000/login/oauth2/token\n"
            "curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3000/api/v1/courses"
        } }
        h2 id="guides" { "Guides" }
        (guide_cards(guides))
        h2 id="common" { "What every area has in common" }
        ul {
            li { "Parameters may be sent as JSON, as a form, or as multipart." }
            li { "Lists are paged by " code { "per_page" } "; the " code { "Link" } " header leads to the next page." }
            li {
                "Times are UTC in ISO 8601. Ids are numbers, or text if the client asks for that with "
                code { "Accept: application/json+canvas-string-ids" } "."
            }
        }
    }
}

fn guide_cards(guides: &[Guide]) -> Markup {
    html! {
        ul.cards {
            @for guide in guides { li { a href=(guide.page()) { (guide.short) } p { (guide.about) } } }
        }
    }
}

/// The page at `/docs`.
pub(crate) fn reference(frame: &Frame<'_>) -> Markup {
    let areas = &frame.catalogue.areas;
    let count: usize = areas.iter().map(super::catalogue::Area::count).sum();
    html! {
        h1 { "Reference" }
        p.lead {
            (count) " operations in " (areas.len()) " areas. The search finds them by words and by paths: press "
            kbd { "/" } "."
        }
        h2 id="guides" { "Guides" }
        (guide_cards(frame.guides))
        h2 id="areas" { "Areas" }
        @for area in areas {
            section aria-labelledby=(area.name) {
                h3 id=(area.name) { a href=(area.page) { (area.title) } span.count { (area.count()) } }
                p { (area.about) }
                details {
                    summary { "Operations" }
                    @for part in &area.parts {
                        (operation_list(part, &part.page))
                    }
                }
            }
        }
    }
}
