//! An assignment: as the standard has it where that knows one, and its settings in the form of the reference importer.

use super::{Content, html_document};
use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::manifest::{Kind, Resource};
use crate::model::Report;
use crate::plan::Format;
use crate::points;
use crate::xml::{Element, document};

/// The name of the file of its settings.
pub(crate) const SETTINGS: &str = "assignment_settings.xml";

/// Settings that other systems have, and no assignment here.
const UNKNOWN: [(&str, &str); 8] = [
    ("peer_reviews", "peer reviews are not imported"),
    ("moderated_grading", "moderated grading is not imported"),
    ("omit_from_final_grade", "that it is omitted from the final grade is not imported"),
    ("hide_in_gradebook", "that it is hidden in the gradebook is not imported"),
    ("has_group_category", "that groups hand it in is not imported"),
    ("turnitin_enabled", "that another service looks for plagiarism is not imported"),
    ("vericite_enabled", "that another service looks for plagiarism is not imported"),
    (
        "only_visible_to_overrides",
        "it was only for students who have dates of their own, which a package does not have",
    ),
];

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
    /// The number of times that it may be handed in; -1 is without an end.
    pub allowed_attempts: Option<i64>,
    /// True if graders do not see whose work they grade.
    pub anonymous_grading: bool,
    /// True if grades are hidden until they are posted; `None` leaves that to the course.
    pub post_manually: Option<bool>,
    /// True if students see it.
    pub published: bool,
}

/// An assignment. Common Cartridge 1.1 has none: there it is in the form of the reference importer alone. That of 1.3
/// has neither dates nor a state, which stand beside it in that form.
pub fn assignment(format: Format, own: &Assignment, links: &Links<'_>) -> Result<Content> {
    let folder = ident::of(&own.id);
    let path = format!("{folder}/{SETTINGS}");
    let settings = (path.clone(), document(&settings(own))?);
    if format == Format::CommonCartridge13 {
        let text = format!("{folder}/assignment.xml");
        let bytes = document(&standard(own, links))?;
        let settings_id = ident::part(&own.id, "settings");
        let beside = resource(&settings_id, Kind::Extension, &path, Vec::new());
        let dependencies = vec![settings_id];
        let resource = Resource { dependencies, ..resource(&own.id, Kind::Assignment, &text, Vec::new()) };
        return Ok(Content { files: vec![(text, bytes), settings], resource, beside: vec![beside] });
    }
    let page = format!("{folder}/assignment.html");
    let html = html_document(&own.id, &own.title, &own.description, &[], links);
    let resource = resource(&own.id, Kind::Extension, &page, vec![path]);
    Ok(Content { files: vec![(page, html), settings], resource, beside: Vec::new() })
}

/// A resource with a file to open first.
fn resource(id: &str, kind: Kind, first: &str, mut others: Vec<String>) -> Resource {
    others.insert(0, first.to_owned());
    Resource { id: id.to_owned(), kind, href: Some(first.to_owned()), files: others, dependencies: Vec::new() }
}

fn standard(own: &Assignment, links: &Links<'_>) -> Element {
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

fn settings(own: &Assignment) -> Element {
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
        ("anonymous_grading", own.anonymous_grading.then(|| "true".to_owned())),
        ("allowed_attempts", own.allowed_attempts.map(|attempts| attempts.to_string())),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)));
    let posting =
        |manually: bool| Element::new("post_policy").child(Element::new("post_manually").text(manually.to_string()));
    Element::new("assignment")
        .with("identifier", ident::of(&own.id))
        .with("xmlns", "http://canvas.instructure.com/xsd/cccv1p0")
        .children(members)
        .children(own.post_manually.map(posting))
}

impl Assignment {
    /// Adds the settings of the reference exporter; title, kinds and points stay where they say none.
    pub(crate) fn add_settings(&mut self, root: &Element) {
        let text = |name: &str| root.content_at(&[name]);
        if let Some(title) = text("title") {
            self.title = title;
        }
        if let Some(types) = text("submission_types") {
            self.submission_types = types.split(',').map(|own| own.trim().to_owned()).collect();
        }
        self.points = text("points_possible").and_then(|text| points::read(&text)).or(self.points);
        self.grading_type = text("grading_type");
        self.due_at = text("due_at");
        self.unlock_at = text("unlock_at");
        self.lock_at = text("lock_at");
        self.allowed_attempts = text("allowed_attempts").and_then(|attempts| attempts.parse().ok());
        self.anonymous_grading = text("anonymous_grading").as_deref() == Some("true");
        self.post_manually = root.content_at(&["post_policy", "post_manually"]).map(|own| own == "true");
        self.published = text("workflow_state").as_deref() == Some("published");
    }
}

/// Notes the settings that no assignment here has.
pub(crate) fn tell_unknown(root: &Element, title: &str, report: &mut Report) {
    let is_set = |name: &str| root.content_at(&[name]).as_deref() == Some("true");
    for (_, message) in UNKNOWN.iter().filter(|(name, _)| is_set(name)) {
        report.note(title, *message);
    }
    if root.content_at(&["allowed_extensions"]).is_some_and(|own| !own.is_empty()) {
        report.note(title, "which types of files may be handed in is not imported: files of every type are taken");
    }
    if root.first("assignment_overrides").is_some_and(|own| own.elements().next().is_some()) {
        report.note(title, "dates of single students, sections or groups are not imported");
    }
}
