//! The front page, and how pages and parts of the component that change only with it are answered.

use std::sync::LazyLock;

use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH};
use maud::{Markup, html};
use shared::auth::secrets;
use shared::html::{CONTENT_TYPE, Page, own_style_policy};
use shared::{Context, Reply};

pub(crate) static FRONT_PAGE: LazyLock<String> = LazyLock::new(|| Page::default().document(&front_page()));

/// A page that changes only with the component.
pub(crate) fn page(cx: &Context, document: &str) -> Reply {
    let reply = unchanging(cx, CONTENT_TYPE, document.as_bytes());
    reply.header(CONTENT_SECURITY_POLICY, &own_style_policy(document))
}

/// Bytes that a client may keep, and need not get again while they are the same.
pub(crate) fn unchanging(cx: &Context, content_type: &str, bytes: &[u8]) -> Reply {
    let tag = format!("\"{}\"", secrets::hash(bytes));
    let known = cx.header(IF_NONE_MATCH).is_some_and(|tags| matches_any(tags, &tag));
    let reply = match known {
        true => Reply::empty(StatusCode::NOT_MODIFIED),
        false => Reply::bytes(content_type, bytes.to_vec()),
    };
    reply.header(ETAG, &tag).header(CACHE_CONTROL, "public, max-age=300")
}

fn matches_any(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

fn front_page() -> Markup {
    html! {
        h1 { "Lectern" }
        p { "The HTTP/JSON API of a learning-management system, wire-compatible with the Canvas LMS API." }
        ul {
            li { a href="/docs" { "All endpoints" } ", with their parameters and answers" }
            li { a href="/openapi.json" { "The API description" } " (OpenAPI 3.1), for programs" }
        }
        h2 { "The first call" }
        p {
            "A client gets a token for its id and secret, and shows it with every call. "
            "A token lasts an hour; a personal one lasts until it is revoked or its own end."
        }
        pre tabindex="0" { code {
            "curl -d grant_type=client_credentials -d client_id=ID -d client_secret=SECRET \\\n"
            "     http://127.0.0.1:3000/login/oauth2/token\n"
            "curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3000/api/v1/courses"
        } }
        h2 { "What every area has in common" }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_again_in_every_form() {
        for tags in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(matches_any(tags, "\"a\""), "{tags}");
        }
        assert!(!matches_any("\"b\"", "\"a\""));
    }

    #[test]
    fn the_front_page_leads_to_the_description() {
        assert!(FRONT_PAGE.contains("<title>Lectern</title>") && FRONT_PAGE.contains("href=\"/docs\""));
    }
}
