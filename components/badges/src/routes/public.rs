//! The pages that everybody may read: the documents by which badges are verified, their images, and pages for people.

pub(crate) mod assertions;
pub(crate) mod badges;
pub(crate) mod baked;
pub(crate) mod collections;
pub(crate) mod credential;
pub(crate) mod image;
pub(crate) mod images;
pub(crate) mod imports;
pub(crate) mod issuers;
pub(crate) mod keys;
pub(crate) mod oembed;
pub(crate) mod status;
pub(crate) mod verify;

use std::collections::HashMap;

use http::header::{ACCEPT, ACCESS_CONTROL_ALLOW_ORIGIN, USER_AGENT, VARY};
use serde::Deserialize;
use serde_json::Value;
use shared::error::OrNotFound;
use shared::params::json_bytes;
use shared::{Context, Error, JsonSchema, Reply, Result, accept};

use crate::model::documents::{Depth, Version};
use crate::model::public::{PublicAssertion, PublicClass, PublicIssuer};
use crate::query::{All, Last};
use crate::store;

/// The most bytes of documents that stand in another, as JSON.
const MAX_EMBEDDED_BYTES: usize = 8 * 1024 * 1024;
const DOCUMENTS_AT_ONCE: usize = 25;

pub(crate) const LINKED_DATA: &str = "application/ld+json";

/// The names of programs that show others what a link leads to.
const PREVIEWERS: [&str; 8] = [
    "facebookexternalhit",
    "linkedinbot",
    "twitterbot",
    "slackbot",
    "whatsapp",
    "telegrambot",
    "discordbot",
    "embedly",
];

/// In which form somebody wants a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImageFormat {
    Document,
    Page,
    /// There is a page, at another address.
    PageElsewhere,
}

/// The entity id and the form that are asked for: by the end of the path, or by what the client says of itself.
fn image_asked_for(cx: &Context, id: &str) -> (String, ImageFormat) {
    if let Some(id) = id.strip_suffix(".json") {
        return (id.to_owned(), ImageFormat::Document);
    }
    if let Some(id) = id.strip_suffix(".html") {
        return (id.to_owned(), ImageFormat::Page);
    }
    let agent = cx.header(USER_AGENT).unwrap_or_default().to_ascii_lowercase();
    if PREVIEWERS.iter().any(|previewer| agent.contains(previewer)) {
        return (id.to_owned(), ImageFormat::Page);
    }
    let form = if accept::prefers_page(cx.header(ACCEPT).unwrap_or_default()) {
        ImageFormat::PageElsewhere
    } else {
        ImageFormat::Document
    };
    (id.to_owned(), form)
}

/// The way in which a document is asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct DocumentQuery {
    /// The version of Open Badges: `2_0`, which is the default, or `1_1`.
    #[schemars(with = "String")]
    v: Last,
    /// The related documents that are to stand in the document itself, and not as their addresses: of an award `badge` or
    /// `badge.issuer`, of a class `issuer`; others are passed over.
    #[schemars(with = "Vec<String>")]
    expand: All,
}

/// In which version a document is asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct VersionQuery {
    /// The version of Open Badges: `2_0`, which is the default, or `1_1`.
    #[schemars(with = "String")]
    v: Last,
}

pub(crate) fn version(v: &Last) -> Result<Version> {
    let refused = || Error::invalid("v", "invalid", "Must be 2_0 or 1_1.");
    v.0.as_deref().map_or(Some(Version::Two), Version::named).ok_or_else(refused)
}

fn depth(All(expanded): &All, class: &str, issuer: &str) -> Depth {
    match () {
        () if expanded.iter().any(|name| name == issuer) => Depth::Issuer,
        () if expanded.iter().any(|name| name == class) => Depth::Class,
        () => Depth::Address,
    }
}

/// 200 with a document that scripts of any origin may read.
pub(crate) fn document(document: &Value) -> Reply {
    Reply::bytes(LINKED_DATA, document.to_string()).header(VARY, "Accept").header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

/// The page, at this address or at its own.
async fn page(cx: &Context, form: ImageFormat, id: &str, show: impl FnOnce() -> Reply) -> Result<Reply> {
    if form == ImageFormat::Page {
        return Ok(show());
    }
    let query = if cx.query().is_empty() { String::new() } else { format!("?{}", cx.query()) };
    let folder = cx.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    Ok(Reply::redirect(&format!("{}{folder}/{id}.html{query}", cx.base_url().await?)).header(VARY, "Accept"))
}

pub(crate) async fn find_issuer(cx: &Context, id: &str) -> Result<PublicIssuer> {
    store::public::issuer(&cx.db, id).await?.or_not_found()
}

pub(crate) async fn find_class(cx: &Context, id: &str) -> Result<PublicClass> {
    store::public::class(&cx.db, id).await?.or_not_found()
}

/// The award, be it revoked.
pub(crate) async fn find_assertion(cx: &Context, id: &str) -> Result<PublicAssertion> {
    store::public::assertion(&cx.db, id).await?.or_not_found()
}

/// The room that a document has for others in it. A document that finds none stands as its address.
struct Room {
    bytes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { bytes: MAX_EMBEDDED_BYTES }
    }
}

impl Room {
    /// The documents of these ids, each with its address, in their order; a few of them are read at a time.
    async fn embed(
        &mut self,
        named: Vec<(String, String)>,
        fetch: impl AsyncFn(&[String]) -> Result<HashMap<String, Value>>,
    ) -> Result<Vec<Value>> {
        let mut embedded = Vec::with_capacity(named.len());
        for part in named.chunks(DOCUMENTS_AT_ONCE) {
            let ids: Vec<_> = part.iter().map(|(id, _)| id.clone()).collect();
            let mut documents = if self.bytes > 0 { fetch(&ids).await? } else { HashMap::new() };
            for (id, address) in part {
                let document = documents.remove(id).map(|document| (json_bytes(&document), document));
                embedded.push(match document {
                    Some((bytes, document)) if bytes <= self.bytes => {
                        self.bytes = self.bytes.saturating_sub(bytes);
                        document
                    }
                    _ => {
                        self.bytes = 0;
                        Value::String(address.clone())
                    }
                });
            }
        }
        Ok(embedded)
    }
}
