//! What everybody may read: the documents by which badges are verified, their images, and pages for people.

use std::collections::HashMap;

use http::StatusCode;
use http::header::{ACCEPT, ACCESS_CONTROL_ALLOW_ORIGIN, USER_AGENT, VARY};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::error::OrNotFound;
use shared::{Context, Error, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Version, Writer};
use crate::model::entity::{EntityPath, json_bytes};
use crate::model::pages;
use crate::paging::{all_given, given};
use crate::store;
use crate::store::public::{PublicAssertion, PublicClass, PublicIssuer};

/// The most bytes of documents that stand in another, as JSON.
const MAX_EMBEDDED_BYTES: usize = 8 * 1024 * 1024;
const DOCUMENTS_AT_ONCE: usize = 25;

pub(crate) const LINKED_DATA: &str = "application/ld+json";

/// What those call themselves who show others what a link leads to.
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

endpoints![
    get_public_issuer,
    list_public_badge_classes,
    get_revocation_list,
    get_public_badge_class,
    get_badge_class_criteria,
    get_public_assertion,
    get_public_collection,
    get_public_import
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
fn asked(cx: &Context, id: &str) -> (String, ImageFormat) {
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
    let form = if prefers_page(cx.header(ACCEPT).unwrap_or_default()) {
        ImageFormat::PageElsewhere
    } else {
        ImageFormat::Document
    };
    (id.to_owned(), form)
}

/// Whether HTML is worth more to the client than any form of JSON.
fn prefers_page(accept: &str) -> bool {
    let worth = |wanted: &[&str]| {
        let worths = accept.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse::<f64>().ok());
            quality.filter(|_| wanted.contains(&kind.as_str()))
        });
        worths.fold(0.0, f64::max)
    };
    let page = worth(&["text/html", "application/xhtml+xml"]);
    page > 0.0 && page > worth(&["application/json", "application/ld+json"])
}

pub(crate) fn version(cx: &Context) -> Result<Version> {
    let refused = || Error::invalid("v", "invalid", "Must be 2_0 or 1_1.");
    given(cx, "v").map_or(Some(Version::Two), |text| Version::named(&text)).ok_or_else(refused)
}

fn depth(cx: &Context, class: &str, issuer: &str) -> Depth {
    let expanded = all_given(cx, "expand");
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

/// The document of an issuer, or a page for people.
#[endpoint(
    GET "/public/issuers/:id",
    public,
    nobody(200, "issuers are public"),
)]
async fn get_public_issuer(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (id, form) = asked(&cx, &at.id);
    let issuer = find_issuer(&cx, &id).await?;
    let (base, version) = (cx.base_url().await?, version(&cx)?);
    if form == ImageFormat::Document {
        return Ok(document(&Writer { base: &base, version }.issuer(&issuer)));
    }
    let classes = store::public::classes_of(&cx.db, issuer.id).await?;
    page(&cx, form, &id, || pages::issuer(&base, &issuer, &classes)).await
}

/// The documents of an issuer's classes.
#[endpoint(
    GET "/public/issuers/:id/badges",
    public,
    nobody(200, "classes are public"),
)]
async fn list_public_badge_classes(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let issuer = find_issuer(&cx, &at.id).await?;
    let (base, version) = (cx.base_url().await?, version(&cx)?);
    let writer = Writer { base: &base, version };
    let names = store::public::classes_of(&cx.db, issuer.id).await?;
    let names = names.into_iter().map(|class| (class.entity_id.clone(), writer.class_address(&class.entity_id)));
    let fetch = async |ids: &[String]| {
        let classes = store::public::these_classes(&cx.db, ids).await?;
        Ok(classes.iter().map(|class| (class.entity_id.clone(), writer.class(class, Depth::Address))).collect())
    };
    let mut room = Room::default();
    Ok(document(&room.embed(names.collect(), fetch).await?.into()))
}

/// The list of an issuer's revoked awards.
#[endpoint(
    GET "/public/issuers/:id/revocations",
    public,
    nobody(200, "what is revoked is public"),
)]
async fn get_revocation_list(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let issuer = find_issuer(&cx, &at.id).await?;
    let base = cx.base_url().await?;
    let writer = Writer { base: &base, version: Version::Two };
    let revoked = store::public::revoked(&cx.db, issuer.id).await?;
    let revoked = revoked.into_iter().map(|revoked| {
        json!({
            "id": writer.assertion_address(&revoked.entity_id),
            "revocationReason": revoked.revocation_reason,
        })
    });
    let address = writer.issuer_address(&issuer.entity_id);
    Ok(document(&json!({
        "@context": "https://w3id.org/openbadges/v2",
        "type": "RevocationList",
        "id": format!("{address}/revocations"),
        "issuer": address,
        "revokedAssertions": revoked.collect::<Vec<_>>(),
    })))
}

/// The document of a class of badges, or a page for people.
#[endpoint(
    GET "/public/badges/:id",
    public,
    nobody(200, "classes are public"),
)]
async fn get_public_badge_class(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (id, form) = asked(&cx, &at.id);
    let class = find_class(&cx, &id).await?;
    let (base, version) = (cx.base_url().await?, version(&cx)?);
    if form == ImageFormat::Document {
        // `issuer` is the only one that can be expanded here.
        return Ok(document(&Writer { base: &base, version }.class(&class, depth(&cx, "", "issuer"))));
    }
    page(&cx, form, &id, || pages::class(&base, &class)).await
}

/// Leads to what a badge is awarded for.
#[endpoint(
    GET "/public/badges/:id/criteria",
    public,
    nobody(302, "criteria are public"),
)]
async fn get_badge_class_criteria(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let class = find_class(&cx, &at.id).await?;
    Ok(Reply::redirect(&format!("{}/public/badges/{}.html", cx.base_url().await?, class.entity_id)))
}

/// The document of an award, or a page for people.
#[endpoint(
    GET "/public/assertions/:id",
    public,
    nobody(200, "an award whose address nobody can guess"),
)]
async fn get_public_assertion(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (id, form) = asked(&cx, &at.id);
    let assertion = find_assertion(&cx, &id).await?;
    let (base, version) = (cx.base_url().await?, version(&cx)?);
    // What is revoked is gone, and its document says so and why.
    let status = if assertion.revoked_at.is_some() { StatusCode::GONE } else { StatusCode::OK };
    if form == ImageFormat::Document {
        let writer = Writer { base: &base, version };
        return Ok(document(&writer.assertion(&assertion, depth(&cx, "badge", "badge.issuer"))).with_status(status));
    }
    page(&cx, form, &id, || pages::assertion(&base, &assertion, cx.now).with_status(status)).await
}

/// The document of a published collection, or a page.
#[endpoint(
    GET "/public/collections/:id",
    public,
    nobody(200, "a collection that its owner has published"),
)]
async fn get_public_collection(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let (hash, form) = asked(&cx, &at.id);
    let collection = store::public::collection(&cx.db, &hash).await?.or_not_found()?;
    let (base, version) = (cx.base_url().await?, version(&cx)?);
    let awards = store::public::awards_in(&cx.db, collection.id).await?;
    let imports = store::public::imports_in(&cx.db, collection.id).await?;
    if form != ImageFormat::Document {
        return page(&cx, form, &hash, || pages::collection(&base, &hash, &collection, &awards, &imports)).await;
    }
    let writer = Writer { base: &base, version };
    let awards = awards.into_iter().map(|award| (award.entity_id.clone(), writer.assertion_address(&award.entity_id)));
    let fetch_awards = async |ids: &[String]| {
        let awards = store::public::these_assertions(&cx.db, ids).await?;
        Ok(awards.iter().map(|award| (award.entity_id.clone(), writer.assertion(award, Depth::Issuer))).collect())
    };
    let imports = imports.into_iter().map(|import| (import.entity_id, import.open_badge_id));
    let fetch_imports = async |ids: &[String]| {
        let imports = store::backpack::any_imports(&cx.db, ids).await?;
        Ok(imports.iter().map(|import| (import.entity_id.clone(), import.document())).collect())
    };
    let mut room = Room::default();
    let mut badges = room.embed(awards.collect(), fetch_awards).await?;
    badges.extend(room.embed(imports.collect(), fetch_imports).await?);
    let address = format!("{base}/public/collections/{hash}");
    Ok(document(&writer.collection(&address, &collection.name, &collection.description, badges)))
}

/// The room that a document has for others in it. What finds none stands as its address.
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

#[derive(Deserialize, JsonSchema)]
struct ImportPath {
    id: String,
}

/// The document of an imported award, as it was verified.
///
/// Only an import that stands in a published collection is anybody else's business.
#[endpoint(
    GET "/public/imports/:id",
    public,
    nobody(404, "an import that its owner has published; there is none"),
)]
async fn get_public_import(cx: Context, Path(at): Path<ImportPath>) -> Result<Reply> {
    let id = at.id.strip_suffix(".json").unwrap_or(&at.id);
    let import = store::backpack::published_import(&cx.db, id).await?.or_not_found()?;
    Ok(document(&import.document()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_pages_and_programs_documents() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for accept in [browser, "text/html", "application/json;q=0.5, text/html"] {
            assert!(prefers_page(accept), "{accept}");
        }
        for accept in
            ["", "*/*", "application/ld+json", "application/json, text/html", "text/html;q=0", "text/html;q=x"]
        {
            assert!(!prefers_page(accept), "{accept}");
        }
    }
}
