//! The front page, and how pages and parts of the component that change only with it are answered.

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, VARY};
use maud::{Markup, html};
use shared::auth::secrets;
use shared::html::{CONTENT_TYPE, Page, own_style_policy};
use shared::{Context, Error, Reply, Result, takes_gzip};

static FRONT_PAGE: LazyLock<String> = LazyLock::new(|| Page::default().document(&front_page()));

/// A document that was compressed at build.
pub(crate) struct Document {
    content_type: &'static str,
    compressed: &'static [u8],
}

impl Document {
    pub(crate) const fn page(compressed: &'static [u8]) -> Self {
        Self { content_type: CONTENT_TYPE, compressed }
    }

    pub(crate) const fn json(compressed: &'static [u8]) -> Self {
        Self { content_type: "application/json; charset=utf-8", compressed }
    }

    /// The document itself.
    fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        GzDecoder::new(self.compressed).read_to_end(&mut bytes).map_err(Error::internal)?;
        Ok(bytes)
    }

    /// As it lies here for clients that take it so, which are nearly all.
    pub(crate) fn reply(&self, cx: &Context) -> Result<Reply> {
        let tag = tag(self.compressed);
        let reply = if cx.has_entity_tag(&tag) {
            Reply::empty(StatusCode::NOT_MODIFIED)
        } else if takes_gzip(&cx.parts().headers) {
            Reply::bytes(self.content_type, self.compressed.to_vec()).header(CONTENT_ENCODING, "gzip")
        } else {
            Reply::bytes(self.content_type, self.bytes()?)
        };
        Ok(lasting(reply, &tag).header(VARY, ACCEPT_ENCODING.as_str()))
    }
}

/// The front page.
pub(crate) fn front(cx: &Context) -> Reply {
    let tag = tag(FRONT_PAGE.as_bytes());
    let reply = match cx.has_entity_tag(&tag) {
        true => Reply::empty(StatusCode::NOT_MODIFIED),
        false => Reply::bytes(CONTENT_TYPE, FRONT_PAGE.as_bytes().to_vec()),
    };
    lasting(reply, &tag).header(CONTENT_SECURITY_POLICY, &own_style_policy(&FRONT_PAGE))
}

/// A reply that a client may keep, and need not get again while it is the same. Compressed or not, it has one tag.
fn lasting(reply: Reply, tag: &str) -> Reply {
    reply.header(ETAG, &format!("W/{tag}")).header(CACHE_CONTROL, "public, max-age=300")
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", secrets::hash(bytes))
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
    fn the_front_page_leads_to_the_description() {
        assert!(FRONT_PAGE.contains("<title>Lectern</title>") && FRONT_PAGE.contains("href=\"/docs\""));
    }
}
