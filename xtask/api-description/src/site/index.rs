//! The front page, and the page that leads to all operations.

use maud::{Markup, html};

use super::area::operation_list;
use super::articles::{Article, Articles};
use super::frame::Frame;

/// The page at `/`.
pub(crate) fn front(articles: &Articles) -> Markup {
    html! {
        h1 { "Lectern" }
        p.lead { "The HTTP/JSON API of a learning-management system, wire-compatible with the Canvas LMS API." }
        ul.cards {
            li {
                a href="home" { "Log in" }
                p { "Your courses, quizzes, polls and badges, in the browser." }
            }
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
            "A token lasts an hour; a personal one lasts until it is revoked or its own end. "
            "ID and SECRET are those of a developer key, which an administrator makes, or " code { "admin_client_id" } " and "
            code { "admin_client_secret" } ", which whoever runs the service has set. On a developer's machine "
            code { "cargo xtask up" } " prints tokens, and " code { "cargo xtask token --user teacher" } " prints another one. "
            a href="docs/guides/getting-a-token" { "Getting a token" } " tells which kind is right for what."
        }
        pre tabindex="0" { code {
            "curl -d grant_type=client_credentials -d client_id=ID -d client_secret=SECRET \\\n"
            "     http://127.0.0.1:3000/login/oauth2/token\n"
            "curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3000/api/v1/users/self"
        } }
        h2 id="guides" { "Guides" }
        (cards(&articles.guides))
        h2 id="common" { "What all operations have in common" }
        ul {
            li { "Parameters may be sent as JSON, as a form, or as multipart." }
            li { "Lists are paged by " code { "per_page" } "; the " code { "Link" } " header leads to the next page." }
            li {
                "Times are UTC in ISO 8601. Ids are numbers, or text if the client asks for that with "
                code { "Accept: application/json+canvas-string-ids" } "."
            }
            li { code { "GET /ready" } " tells without a token whether the service is ready." }
            li {
                "The " a href="docs/contract" { "contract" } " says what each area promises, and the "
                a href="docs/quirks" { "quirks" } " where the API is odd and why."
            }
            li { a href="https://github.com/lectern-lms/lectern" { "The source" } " tells how to run it." }
        }
    }
}

fn cards(articles: &[Article]) -> Markup {
    html! {
        ul.cards {
            @for article in articles { li { a href=(article.page) { (article.short) } p { (article.about) } } }
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
        (cards(&frame.articles.guides))
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
