//! The description and the pages, which change only with the component: how they are found and answered.

use std::io::Read;

use flate2::read::GzDecoder;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, LOCATION, VARY};
use shared::auth::secrets;
use shared::html::CONTENT_TYPE;
use shared::{Context, Error, Reply, Result, takes_gzip};

/// Pages have the style and the script that lie beside them, and call the service that they come from.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A document that was compressed at build.
struct Document {
    /// Its address, without the slash before it.
    name: &'static str,
    content_type: &'static str,
    compressed: &'static [u8],
}

static DOCUMENTS: &[Document] = include!(concat!(env!("OUT_DIR"), "/documents.rs"));

/// The document of that address; 404 where there is none.
pub(crate) fn show(cx: &Context, name: &str) -> Result<Reply> {
    let document = DOCUMENTS.iter().find(|document| document.name == name).ok_or_else(Error::not_found)?;
    // The links of a page are relative, and lead elsewhere from an address with a slash at its end.
    match relative_address(cx.path()) {
        Some(address) => Ok(Reply::empty(StatusCode::PERMANENT_REDIRECT).header(LOCATION, &address)),
        None => document.reply(cx),
    }
}

/// The way from an address with slashes at its end to the one without.
fn relative_address(path: &str) -> Option<String> {
    let plain = path.trim_end_matches('/');
    let slashes = path.len().saturating_sub(plain.len());
    let (_, last) = plain.rsplit_once('/')?;
    (slashes > 0 && !last.is_empty()).then(|| format!("{}{last}", "../".repeat(slashes)))
}

impl Document {
    /// The document itself.
    fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        GzDecoder::new(self.compressed).read_to_end(&mut bytes).map_err(Error::internal)?;
        Ok(bytes)
    }

    /// As it lies here for clients that take it so, which are nearly all. Compressed or not, it has one tag: a client
    /// may keep it, and need not get it again while it is the same.
    fn reply(&self, cx: &Context) -> Result<Reply> {
        let tag = format!("\"{}\"", secrets::hash(self.compressed));
        let reply = if cx.has_entity_tag(&tag) {
            Reply::empty(StatusCode::NOT_MODIFIED)
        } else if takes_gzip(&cx.parts().headers) {
            Reply::bytes(self.content_type, self.compressed.to_vec()).header(CONTENT_ENCODING, "gzip")
        } else {
            Reply::bytes(self.content_type, self.bytes()?)
        };
        let reply = reply
            .header(ETAG, &format!("W/{tag}"))
            .header(CACHE_CONTROL, "public, max-age=300")
            .header(VARY, ACCEPT_ENCODING.as_str());
        Ok(if self.content_type == CONTENT_TYPE { reply.header(CONTENT_SECURITY_POLICY, POLICY) } else { reply })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn text(name: &str) -> String {
        let document = DOCUMENTS.iter().find(|document| document.name == name).unwrap();
        String::from_utf8(document.bytes().unwrap()).unwrap()
    }

    #[test]
    fn the_front_page_leads_to_the_reference() {
        let front = text("");
        assert!(front.contains("<title>Lectern</title>") && front.contains("href=\"docs\""), "{front}");
        assert!(text("docs").contains("href=\"docs/polls\""));
        assert!(text("openapi.json").starts_with('{'));
    }

    #[test]
    fn a_slash_at_the_end_is_left_out_by_a_relative_address() {
        for (path, address) in [
            ("/docs/", Some("../docs")),
            ("/docs//", Some("../../docs")),
            ("/docs/guides/paging/", Some("../paging")),
            ("/docs", None),
            ("/", None),
        ] {
            assert_eq!(relative_address(path).as_deref(), address, "{path}");
        }
    }
}
