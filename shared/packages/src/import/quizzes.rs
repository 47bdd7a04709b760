//! The quizzes and banks of a package.

use std::collections::BTreeSet;

use super::Reader;
use crate::archive::Source;
use crate::error::Result;
use crate::extension;
use crate::manifest::ReadResource;
use crate::model::{Entry, Group, Quiz};
use crate::path;
use crate::qti12::read as qti12;
use crate::qti21::read::{self as qti21, Test, TestEntry};
use crate::xml::Element;

/// The documents beside a quiz.
#[derive(Default)]
struct Beside {
    /// Of the reference system.
    settings: Option<Element>,
    /// Of Lectern.
    extension: Option<Element>,
}

impl<S: Source> Reader<'_, S> {
    /// Reads what the manifest says are quizzes, banks and questions.
    pub(super) async fn read_quizzes(&mut self) -> Result<()> {
        let manifest = self.manifest;
        for resource in manifest.resources.iter().filter(|resource| is_assessment(&resource.kind)) {
            self.read_assessment(resource).await?;
        }
        let is_alone = |resource: &&ReadResource| {
            let mut files = resource.href.iter().chain(&resource.files);
            is_extension(&resource.kind) && files.any(|file| file.ends_with(".xml.qti"))
        };
        for resource in manifest.resources.iter().filter(is_alone) {
            if !self.used.contains(&resource.id) {
                self.read_qti12_files(resource).await?;
            }
        }
        let mut known = BTreeSet::new();
        for resource in manifest.resources.iter().filter(|resource| is_test(&resource.kind)) {
            self.read_test_resource(resource, &mut known).await?;
        }
        let items = manifest.resources.iter().filter(|resource| is_item(&resource.kind));
        let items: Vec<_> =
            items.filter_map(|resource| self.main_file(resource)).filter(|path| !known.contains(path)).collect();
        self.read_loose(&items).await?;
        let qti = manifest.resources.iter().filter(|resource| is_qti(&resource.kind));
        self.used.extend(qti.map(|resource| resource.id.clone()));
        Ok(())
    }

    /// Reads documents that are not bound together: all questions in files of their own become one quiz.
    pub(super) async fn read_loose(&mut self, paths: &[String]) -> Result<()> {
        let mut loose = Quiz { id: "questions".to_owned(), ..Quiz::default() };
        for path in paths {
            let Some(root) = self.document(path).await? else { continue };
            if qti12::is_qti12(&root) {
                self.add_qti12(&root, path, &Beside::default());
            } else if qti21::is_test(&root) {
                self.add_test(&root, path, "", &mut BTreeSet::new()).await?;
            } else if qti21::is_item(&root) {
                let entry = qti21::item(&root, None, &mut self.import.report);
                loose.entries.extend(entry.map(|entry| self.placed(entry, path)));
            } else if qti21::is_newer(&root) {
                self.note_newer(path);
            }
        }
        if !loose.entries.is_empty() {
            self.import.quizzes.push(loose);
        }
        Ok(())
    }

    /// Notes that something is in a version of QTI that is not read.
    pub(super) fn note_newer(&mut self, about: &str) {
        self.import.has_newer_quizzes = true;
        self.import.report.note(about, "QTI 3.0 is not read: the package has to be in QTI 1.2, 2.1 or 2.2");
    }

    fn main_file(&self, resource: &ReadResource) -> Option<String> {
        let mut files = resource.href.iter().chain(&resource.files);
        files.find_map(|file| self.path(self.root, file))
    }

    /// An assessment, in its fullest form: the one for the reference importer has all types of questions.
    async fn read_assessment(&mut self, resource: &ReadResource) -> Result<()> {
        let ids = resource.dependencies.iter().chain([&resource.id]);
        let parts: Vec<_> = ids.filter_map(|id| self.parts.get(id.as_str())).collect();
        let settings = parts.iter().find_map(|own| own.settings.clone());
        let full = parts.iter().find_map(|own| own.full.clone());
        let extension = parts.iter().find_map(|own| own.extension.clone());
        let plain = self.main_file(resource).filter(|path| !path.ends_with("assessment_meta.xml"));
        // A picture that a quiz needs stays a file of the course.
        let is_part = |id: &&String| self.parts.get(id.as_str()).is_some_and(|own| !own.is_web);
        let used: Vec<_> = resource.dependencies.iter().filter(is_part).cloned().collect();
        self.used.extend(used);
        let Some(path) = full.or(plain) else {
            self.import.report.note(resource.id.as_str(), "the file of this quiz is not in the package");
            return Ok(());
        };
        let beside = Beside { settings: self.beside(settings).await?, extension: self.beside(extension).await? };
        if let Some(root) = self.document(&path).await? {
            match qti12::is_qti12(&root) {
                true => self.add_qti12(&root, &path, &beside),
                false => self.import.report.note(path, "this is no QTI 1.2"),
            }
        }
        Ok(())
    }

    /// Banks, and quizzes without a form that the profile of a cartridge knows.
    async fn read_qti12_files(&mut self, resource: &ReadResource) -> Result<()> {
        self.used.insert(resource.id.clone());
        let own = self.parts.get(resource.id.as_str());
        let (settings, extension) = own.map(|own| (own.settings.clone(), own.extension.clone())).unwrap_or_default();
        let beside = Beside { settings: self.beside(settings).await?, extension: self.beside(extension).await? };
        for file in resource.files.iter().filter(|file| file.ends_with(".xml.qti")) {
            let Some(path) = self.path(self.root, file) else {
                self.import.report.note(file.as_str(), "this file is not in the package");
                continue;
            };
            if let Some(root) = self.document(&path).await? {
                self.add_qti12(&root, &path, &beside);
            }
        }
        Ok(())
    }

    /// The document of a file beside a quiz.
    async fn beside(&mut self, path: Option<String>) -> Result<Option<Element>> {
        match path {
            Some(path) => self.document(&path).await,
            None => Ok(None),
        }
    }

    fn add_qti12(&mut self, root: &Element, path: &str, beside: &Beside) {
        let read = qti12::read(root, &mut self.import.report);
        for mut quiz in read.quizzes {
            if let Some(settings) = &beside.settings {
                qti12::settings(settings, &mut quiz, &mut self.import.report);
                if let Some(own) = settings.first("assignment").and_then(|own| own.attribute("identifier")) {
                    self.import.assignments_of_quizzes.insert(own.to_owned(), quiz.id.clone());
                }
            }
            quiz.map_addresses(&mut |address| self.address(path, address));
            if let Some(extension) = beside.extension.as_ref().and_then(extension::read) {
                extension.add_to(&mut quiz, &mut self.import.banks, &mut self.import.report);
            }
            self.import.quizzes.push(quiz);
        }
        for mut bank in read.banks {
            bank.map_addresses(&mut |address| self.address(path, address));
            self.import.banks.push(bank);
        }
    }

    async fn read_test_resource(&mut self, resource: &ReadResource, known: &mut BTreeSet<String>) -> Result<()> {
        let Some(path) = self.main_file(resource) else {
            self.import.report.note(resource.id.as_str(), "the file of this quiz is not in the package");
            return Ok(());
        };
        if let Some(root) = self.document(&path).await? {
            match qti21::is_test(&root) {
                true => self.add_test(&root, &path, resource.id.as_str(), known).await?,
                false => self.import.report.note(path, "this is no test of QTI 2.1"),
            }
        }
        Ok(())
    }

    /// Adds the test of a resource with its items, whose paths become known.
    async fn add_test(
        &mut self,
        root: &Element,
        path: &str,
        resource: &str,
        known: &mut BTreeSet<String>,
    ) -> Result<()> {
        let Test { id, title, description, settings, placed } = qti21::test(root, &mut self.import.report);
        let extension = self.parts.get(resource).and_then(|own| own.extension.clone());
        let extension = self.beside(extension).await?;
        let mut quiz = Quiz { id, title, description, settings, entries: Vec::new() };
        let folder = path::folder(path);
        quiz.map_addresses(&mut |address| self.address(path, address));
        for placed in placed {
            match placed {
                TestEntry::Item(item) => {
                    quiz.entries.extend(self.item(folder, &item.href, item.points, known).await?);
                }
                TestEntry::Group { id, title, pick_count, items } => {
                    let mut group = Group { id, title, pick_count, ..Group::default() };
                    for item in items {
                        match self.item(folder, &item.href, item.points, known).await? {
                            Some(Entry::Question(question)) => group.questions.push(question),
                            Some(other) => quiz.entries.push(other),
                            None => {}
                        }
                    }
                    group.points = group.questions.first().map(|question| question.points);
                    quiz.entries.push(Entry::Group(group));
                }
            }
        }
        if let Some(extension) = extension.as_ref().and_then(extension::read) {
            extension.add_to(&mut quiz, &mut self.import.banks, &mut self.import.report);
        }
        self.import.quizzes.push(quiz);
        Ok(())
    }

    async fn item(
        &mut self,
        folder: &str,
        href: &str,
        points: Option<f64>,
        known: &mut BTreeSet<String>,
    ) -> Result<Option<Entry>> {
        let Some(path) = self.path(folder, href) else {
            self.import.report.note(href, "the file of this question is not in the package");
            return Ok(None);
        };
        known.insert(path.clone());
        let Some(root) = self.document(&path).await? else { return Ok(None) };
        if !qti21::is_item(&root) {
            self.import.report.note(path, "this is no item of QTI 2.1");
            return Ok(None);
        }
        let entry = qti21::item(&root, points, &mut self.import.report);
        Ok(entry.map(|entry| self.placed(entry, &path)))
    }

    /// The entry with the addresses of files of the package.
    fn placed(&self, entry: Entry, path: &str) -> Entry {
        let mut holder = Quiz { entries: vec![entry], ..Quiz::default() };
        holder.map_addresses(&mut |address| self.address(path, address));
        holder.entries.pop().unwrap_or(Entry::Group(Group::default()))
    }
}

fn is_assessment(kind: &str) -> bool {
    kind.starts_with("imsqti_xmlv1p")
}

pub(super) fn is_extension(kind: &str) -> bool {
    kind.starts_with("associatedcontent/")
}

fn is_test(kind: &str) -> bool {
    kind.starts_with("imsqti_test_xmlv2") || kind.starts_with("imsqti_assessment_xmlv2")
}

fn is_item(kind: &str) -> bool {
    kind.starts_with("imsqti_item_xmlv2")
}

/// True if resources of that type are in a version of QTI that is not read.
pub(super) fn is_newer(kind: &str) -> bool {
    kind.starts_with("imsqti") && kind.contains("xmlv3")
}

fn is_qti(kind: &str) -> bool {
    is_assessment(kind) || is_test(kind) || is_item(kind)
}
