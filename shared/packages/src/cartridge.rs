//! The other content of a Common Cartridge: pages, discussion topics, web links, assignments, and files.

use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::manifest::{Kind, Resource};
use crate::plan::Format;
use crate::xml::{Element, document};

/// Something with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Paths and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Their type in the manifest.
    pub resource: Resource,
}

/// Something to be handed in.
#[derive(Debug, Clone, Default)]
pub struct Assignment {
    /// Unique in the package.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// HTML.
    pub description: String,
    /// The number of points that it gives.
    pub points: Option<f64>,
    /// `online_text_entry`, `online_url`, `online_upload`, …
    pub submission_types: Vec<String>,
    /// `points`, `percent`, …
    pub grading_type: Option<String>,
    /// As an instant.
    pub due_at: Option<String>,
    /// As an instant.
    pub unlock_at: Option<String>,
    /// As an instant.
    pub lock_at: Option<String>,
    /// True if students see it.
    pub published: bool,
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

/// A page. Its name is the last part of its address, and unique among the pages.
pub fn page(id: &str, name: &str, title: &str, html: &str, links: &Links<'_>) -> Content {
    let path = format!("wiki_content/{}.html", file_name(name));
    let bytes = html_document(id, title, html, links);
    Content { resource: file(id, &path), files: vec![(path, bytes)] }
}

/// An assignment. Common Cartridge 1.1 has none: there it is in the form of the reference importer.
pub fn assignment(format: Format, own: &Assignment, links: &Links<'_>) -> Result<Content> {
    let folder = ident::of(&own.id);
    if format == Format::CommonCartridge13 {
        let path = format!("{folder}/assignment.xml");
        let bytes = document(&standard_assignment(own, links))?;
        let (href, files) = (Some(path.clone()), vec![path.clone()]);
        let resource = Resource { id: own.id.clone(), kind: Kind::Assignment, href, files, dependencies: Vec::new() };
        return Ok(Content { files: vec![(path, bytes)], resource });
    }
    let (page, settings) = (format!("{folder}/assignment.html"), format!("{folder}/assignment_settings.xml"));
    let resource = Resource {
        id: own.id.clone(),
        kind: Kind::Extension,
        href: Some(page.clone()),
        files: vec![page.clone(), settings.clone()],
        dependencies: Vec::new(),
    };
    let html = html_document(&own.id, &own.title, &own.description, links);
    Ok(Content { files: vec![(page, html), (settings, document(&assignment_settings(own))?)], resource })
}

fn single(id: &str, kind: Kind, root: &Element) -> Result<Content> {
    let path = format!("{}.xml", ident::of(id));
    let files = vec![path.clone()];
    let resource = Resource { id: id.to_owned(), kind, href: None, files, dependencies: Vec::new() };
    Ok(Content { files: vec![(path, document(root)?)], resource })
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

fn html_document(id: &str, title: &str, html: &str, links: &Links<'_>) -> Vec<u8> {
    let (title, html) = (crate::html::escaped(title), links::with_based(html, links));
    let id = ident::of(id);
    format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"identifier\" content=\"{id}\">\n</head>\n<body>\n{html}\n</body>\n</html>\n"
    )
    .into_bytes()
}

/// The name as that of a file.
fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(100).collect();
    if name.trim_matches('.').is_empty() { "page".to_owned() } else { name }
}

fn standard_assignment(own: &Assignment, links: &Links<'_>) -> Element {
    let namespace = "http://www.imsglobal.org/xsd/imscc_extensions/assignment";
    let location = "http://www.imsglobal.org/profile/cc/cc_extensions/cc_extresource_assignmentv1p0_v1p0.xsd";
    let points = own.points.map(|points| points.to_string());
    let format = |name: &String| match name.as_str() {
        "online_text_entry" => Some("html"),
        "online_url" => Some("url"),
        "online_upload" | "media_recording" => Some("file"),
        _ => None,
    };
    let formats: Vec<_> = own.submission_types.iter().filter_map(format).collect();
    let formats = (!formats.is_empty()).then(|| {
        let format = |name| Element::new("format").with("type", name);
        Element::new("submission_formats").children(formats.into_iter().map(format))
    });
    Element::new("assignment")
        .with("xmlns", namespace)
        .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .with("xsi:schemaLocation", format!("{namespace} {location}"))
        .with("identifier", ident::of(&own.id))
        .child(Element::new("title").text(own.title.as_str()))
        .child(Element::new("text").with("texttype", "text/html").text(links::with_based(&own.description, links)))
        .child(Element::new("gradable").with_some("points_possible", points).text(own.points.is_some().to_string()))
        .children(formats)
}

fn assignment_settings(own: &Assignment) -> Element {
    let state = if own.published { "published" } else { "unpublished" };
    let members = [
        ("title", Some(own.title.clone())),
        ("due_at", own.due_at.clone()),
        ("lock_at", own.lock_at.clone()),
        ("unlock_at", own.unlock_at.clone()),
        ("workflow_state", Some(state.to_owned())),
        ("points_possible", own.points.map(|points| points.to_string())),
        ("grading_type", own.grading_type.clone()),
        ("submission_types", Some(own.submission_types.join(","))),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)));
    Element::new("assignment")
        .with("identifier", ident::of(&own.id))
        .with("xmlns", "http://canvas.instructure.com/xsd/cccv1p0")
        .children(members)
}
