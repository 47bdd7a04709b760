//! The other content of a package: pages, topics, links, assignments and files.

use std::collections::{BTreeMap, BTreeSet};

use super::quizzes::{is_extension, is_newer};
use super::{Reader, Topic, WebLink, is_page};
use crate::archive::Source;
use crate::cartridge::{self, Assignment, Page};
use crate::error::Result;
use crate::files_meta::{self, FilesMeta};
use crate::html;
use crate::manifest::ReadResource;
use crate::points;
use crate::xml::Element;

impl<S: Source> Reader<'_, S> {
    /// Reads all resources that are not read yet.
    pub(super) async fn read_course(&mut self) -> Result<()> {
        let manifest = self.manifest;
        self.read_files_meta().await?;
        // The settings of an assignment are none by themselves.
        let assignments = manifest.resources.iter().filter(|resource| is_assignment(&resource.kind));
        let beside = assignments.flat_map(|resource| &resource.dependencies);
        let beside: Vec<_> = beside.filter(|id| self.settings_in(id).is_some()).cloned().collect();
        self.used.extend(beside);
        let mut files = BTreeSet::new();
        for resource in &manifest.resources {
            if self.used.contains(&resource.id) {
                continue;
            }
            match resource.kind.as_str() {
                "webcontent" => self.read_web(resource, &mut files).await?,
                kind if kind.starts_with("imsdt_") => self.read_topic(resource).await?,
                kind if kind.starts_with("imswl_") => self.read_web_link(resource).await?,
                kind if is_assignment(kind) => self.read_assignment(resource).await?,
                kind if is_extension(kind) => self.read_extension(resource).await?,
                kind if is_newer(kind) => self.note_newer(&resource.id),
                kind => {
                    let message = format!("resources of the type \u{201c}{kind}\u{201d} cannot be imported");
                    self.import.report.note(resource.id.as_str(), message);
                }
            }
        }
        Ok(())
    }

    fn first_path(&mut self, resource: &ReadResource) -> Option<String> {
        let mut references = resource.href.iter().chain(&resource.files);
        let path = references.find_map(|reference| self.path(self.root, reference));
        if path.is_none() {
            self.import.report.note(resource.id.as_str(), "its file is not in the package");
        }
        path
    }

    /// All files but pages are files of the course.
    async fn read_web(&mut self, resource: &ReadResource, files: &mut BTreeSet<String>) -> Result<()> {
        for reference in &resource.files {
            let Some(path) = self.path(self.root, reference) else {
                self.import.report.note(reference.as_str(), "this file is not in the package");
                continue;
            };
            if !is_page(&path) {
                if files.insert(path.clone()) {
                    self.import.files.push(path);
                }
                continue;
            }
            if let Some(page) = self.html(&path).await? {
                self.import.pages.push(Page { id: resource.id.clone(), ..page });
            }
        }
        Ok(())
    }

    /// What keeps files from students, by the paths of the files.
    async fn read_files_meta(&mut self) -> Result<()> {
        let Some(path) = self.path(self.root, files_meta::PATH) else { return Ok(()) };
        let Some(root) = self.document(&path).await? else { return Ok(()) };
        let FilesMeta { folders, files: mut by_id } = FilesMeta::read(&root);
        let mut files = BTreeMap::new();
        for resource in &self.manifest.resources {
            let Some(own) = by_id.remove(&resource.id) else { continue };
            let paths = resource.files.iter().filter_map(|file| self.path(self.root, file));
            files.extend(paths.map(|path| (path, own.clone())));
        }
        self.import.files_meta = FilesMeta { folders, files };
        Ok(())
    }

    /// An HTML document as a page; a note, if it is too large or no text.
    async fn html(&mut self, path: &str) -> Result<Option<Page>> {
        let Some(bytes) = self.bytes(path).await? else { return Ok(None) };
        let Ok(text) = String::from_utf8(bytes) else {
            self.import.report.note(path, "this page is not in UTF-8");
            return Ok(None);
        };
        let title = between(&text, "<title", "</title>").map(html::plain).filter(|title| !title.is_empty());
        let body = between(&text, "<body", "</body>").unwrap_or(&text);
        let body = html::map_addresses(body.trim(), &mut |address| self.address(path, address)).into_owned();
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".html");
        let meta = html::metas(&text);
        let is = |name: &str, content: &str| meta.get(name).is_none_or(|own| own == content);
        Ok(Some(Page {
            id: String::new(),
            name: name.to_owned(),
            title: title.unwrap_or_else(|| name.to_owned()),
            html: body,
            // Older exporters hide a page in other words, and those of others say nothing of it.
            published: is("workflow_state", "active") && is("hide_from_students", "false"),
            front_page: meta.get("front_page").is_some_and(|own| own == "true"),
            editing_roles: meta.get("editing_roles").cloned(),
        }))
    }

    async fn read_topic(&mut self, resource: &ReadResource) -> Result<()> {
        let Some(path) = self.first_path(resource) else { return Ok(()) };
        let Some(root) = self.document(&path).await? else { return Ok(()) };
        self.import.topics.push(Topic {
            id: resource.id.clone(),
            title: root.content_at(&["title"]).unwrap_or_default(),
            html: self.text(&root, &path),
        });
        Ok(())
    }

    /// The text of a topic or an assignment, as HTML.
    fn text(&self, root: &Element, path: &str) -> String {
        let Some(text) = root.first("text") else { return String::new() };
        match text.attribute("texttype") {
            Some("text/plain") => html::escaped(&text.content()),
            _ => html::map_addresses(&text.content(), &mut |address| self.address(path, address)).into_owned(),
        }
    }

    async fn read_web_link(&mut self, resource: &ReadResource) -> Result<()> {
        let Some(path) = self.first_path(resource) else { return Ok(()) };
        let Some(root) = self.document(&path).await? else { return Ok(()) };
        let address = root.first("url").and_then(|url| url.attribute("href")).unwrap_or_default();
        self.import.web_links.push(WebLink {
            id: resource.id.clone(),
            title: root.content_at(&["title"]).unwrap_or_else(|| address.to_owned()),
            address: address.to_owned(),
        });
        Ok(())
    }

    async fn read_assignment(&mut self, resource: &ReadResource) -> Result<()> {
        let Some(path) = self.first_path(resource) else { return Ok(()) };
        let Some(root) = self.document(&path).await? else { return Ok(()) };
        let formats = root.at(&["submission_formats"]).into_iter().flat_map(|own| own.all("format"));
        let submission_type = |own: &Element| match own.attribute("type")? {
            "html" | "text" => Some("online_text_entry".to_owned()),
            "url" => Some("online_url".to_owned()),
            "file" => Some("online_upload".to_owned()),
            _ => None,
        };
        let points = root.first("gradable").and_then(|own| own.attribute("points_possible"));
        let own = Assignment {
            id: resource.id.clone(),
            title: root.content_at(&["title"]).unwrap_or_default(),
            description: self.text(&root, &path),
            points: points.and_then(points::read),
            submission_types: formats.filter_map(submission_type).collect(),
            ..Assignment::default()
        };
        // The reference exporter writes the settings into the assignment, Lectern beside it.
        let beside = resource.dependencies.iter().chain([&resource.id]).find_map(|id| self.settings_in(id));
        let beside = match beside {
            Some(path) => self.document(&path).await?,
            None => None,
        };
        let settings = beside.as_ref().or_else(|| root.at(&["extensions", "assignment"]));
        self.add_assignment(own, points, settings);
        Ok(())
    }

    /// The path of the settings of an assignment, if they are in the resource of that identifier.
    fn settings_in(&self, resource: &str) -> Option<String> {
        self.parts.get(resource)?.assignment_settings.clone()
    }

    /// Adds an assignment, with the settings of the reference exporter if there are any. `points` are those that it says
    /// without them.
    fn add_assignment(&mut self, mut own: Assignment, points: Option<&str>, settings: Option<&Element>) {
        let mut of_settings = None;
        if let Some(settings) = settings {
            own.add_settings(settings);
            of_settings = settings.content_at(&["points_possible"]);
            cartridge::tell_unknown(settings, &own.title, &mut self.import.report);
        }
        let instead = own.points.map_or_else(|| "it gives none".to_owned(), |points| format!("it gives {points}"));
        points::tell(points.into_iter().chain(of_settings.as_deref()), &instead, &own.title, &mut self.import.report);
        self.import.assignments.push(own);
    }

    /// Notes by its name what of an extension is known, and what is not once.
    fn note_extension(&mut self, resource: &ReadResource, paths: &[String]) {
        const FILES: [(&str, &str); 9] = [
            ("module_meta.xml", "modules and their items"),
            ("rubrics.xml", "rubrics"),
            ("events.xml", "calendar events"),
            ("assignment_groups.xml", "groups of assignments"),
            ("learning_outcomes.xml", "learning outcomes"),
            ("late_policy.xml", "late policies"),
            ("grading_standards.xml", "grading schemes"),
            ("media_tracks.xml", "subtitles of videos and sounds"),
            ("course_settings.xml", "settings of the course"),
        ];
        let mut is_known = paths.iter().any(|path| path.ends_with(files_meta::PATH));
        for (file, content) in FILES {
            if paths.iter().any(|path| path.rsplit('/').next() == Some(file)) {
                is_known = true;
                self.import.report.note(resource.id.as_str(), format!("{content} are not imported"));
            }
        }
        if !is_known {
            self.import.report.note(resource.id.as_str(), "this is for another system, and is not imported");
        }
    }

    /// Of what only some systems understand, assignments of the reference exporter are read.
    async fn read_extension(&mut self, resource: &ReadResource) -> Result<()> {
        let paths: Vec<_> = resource.files.iter().filter_map(|file| self.path(self.root, file)).collect();
        let Some(settings) = self.settings_in(&resource.id) else {
            self.note_extension(resource, &paths);
            return Ok(());
        };
        let Some(root) = self.document(&settings).await? else { return Ok(()) };
        let page = match paths.iter().find(|path| path.ends_with(".html")) {
            Some(path) => self.html(path).await?,
            None => None,
        };
        let description = page.map(|page| page.html).unwrap_or_default();
        let own = Assignment { id: resource.id.clone(), description, ..Assignment::default() };
        self.add_assignment(own, None, Some(&root));
        Ok(())
    }
}

fn is_assignment(kind: &str) -> bool {
    kind.starts_with("assignment_")
}

/// The content between a start tag and an end tag.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let from = lower.find(start)?;
    let from = from + lower.get(from..)?.find('>')? + 1;
    let to = from + lower.get(from..)?.find(end)?;
    text.get(from..to)
}
