//! The other content of a Common Cartridge: pages, discussion topics, web links, assignments, and files.

mod assignment;

use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::manifest::{Kind, Resource};
use crate::plan::Format;
use crate::xml::{Element, document};

pub use assignment::{Assignment, assignment};
pub(crate) use assignment::{SETTINGS, tell_unknown};

/// Something with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Paths and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// What opens.
    pub resource: Resource,
    /// What that needs.
    pub beside: Vec<Resource>,
}

/// A page of a course.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Unique in the package.
    pub id: String,
    /// The name of its file without the ending, unique among the pages: the last part of its address, if that may be one.
    pub name: String,
    /// In plain text.
    pub title: String,
    /// The content of its body.
    pub html: String,
    /// True if students see it.
    pub published: bool,
    /// True if the course opens with it.
    pub front_page: bool,
    /// Those who may change it: `teachers`, `students`, …, with commas between.
    pub editing_roles: Option<String>,
}

/// The folder of a course's files in its package: the path given is that in the course.
pub fn file_path(path: &str) -> String {
    format!("{}{path}", links::FILES)
}

/// A file of the course, by its path in the package.
pub fn file(id: &str, path: &str) -> Resource {
    let (href, files) = (Some(path.to_owned()), vec![path.to_owned()]);
    Resource { id: id.to_owned(), kind: Kind::Web, href, files, dependencies: Vec::new() }
}

/// A web link.
pub fn web_link(format: Format, id: &str, title: &str, address: &str) -> Result<Content> {
    let version = version(format);
    let root = namespaced("webLink", "imswl", version)
        .child(Element::new("title").text(title))
        .child(Element::new("url").with("href", address).with("target", "_blank"));
    single(id, Kind::WebLink, &root)
}

/// A discussion topic; its text is HTML.
pub fn topic(format: Format, id: &str, title: &str, html: &str, links: &Links<'_>) -> Result<Content> {
    let root = namespaced("topic", "imsdt", version(format))
        .child(Element::new("title").text(title))
        .child(Element::new("text").with("texttype", "text/html").text(links::with_based(html, links)));
    single(id, Kind::Topic, &root)
}

/// A page.
pub fn page(own: &Page, links: &Links<'_>) -> Content {
    let path = format!("wiki_content/{}.html", own.name);
    let state = if own.published { "active" } else { "unpublished" };
    let front_page = own.front_page.to_string();
    let mut meta = vec![("workflow_state", state), ("front_page", front_page.as_str())];
    meta.extend(own.editing_roles.as_deref().map(|roles| ("editing_roles", roles)));
    let bytes = html_document(&own.id, &own.title, &own.html, &meta, links);
    Content { resource: file(&own.id, &path), files: vec![(path, bytes)], beside: Vec::new() }
}

fn single(id: &str, kind: Kind, root: &Element) -> Result<Content> {
    let path = format!("{}.xml", ident::of(id));
    let files = vec![path.clone()];
    let resource = Resource { id: id.to_owned(), kind, href: None, files, dependencies: Vec::new() };
    Ok(Content { files: vec![(path, document(root)?)], resource, beside: Vec::new() })
}

fn version(format: Format) -> &'static str {
    if format == Format::CommonCartridge13 { "1p3" } else { "1p1" }
}

fn namespaced(name: &str, schema: &str, version: &str) -> Element {
    let namespace = format!("http://www.imsglobal.org/xsd/imsccv{version}/{schema}_v{version}");
    let location = format!("http://www.imsglobal.org/profile/cc/ccv{version}/ccv{version}_{schema}_v{version}.xsd");
    Element::new(name)
        .with("xmlns", namespace.as_str())
        .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .with("xsi:schemaLocation", format!("{namespace} {location}"))
}

/// A document whose head has the identifier, and what else the reference importer reads there.
fn html_document(id: &str, title: &str, html: &str, meta: &[(&str, &str)], links: &Links<'_>) -> Vec<u8> {
    let (title, html) = (crate::html::escaped(title), links::with_based(html, links));
    let id = ident::of(id);
    let meta = [("identifier", id.as_str())].into_iter().chain(meta.iter().copied()).map(|(name, content)| {
        let content = crate::html::escaped_attribute(content);
        format!("<meta name=\"{name}\" content=\"{content}\">\n")
    });
    format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n{}</head>\n\
         <body>\n{html}\n</body>\n</html>\n",
        meta.collect::<String>()
    )
    .into_bytes()
}

/// The last part of a page's address as the name of a file, without the ending. Several pages may have the same one.
pub fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(100).collect();
    if name.trim_matches('.').is_empty() { "page".to_owned() } else { name }
}
