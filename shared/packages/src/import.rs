//! Reads a package: whichever of the formats it is in, and whoever made it.

mod course;
mod quizzes;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::archive::{Archive, Source};
use crate::cartridge::{self, Assignment, Page};
use crate::error::{Error, Result};
use crate::extension;
use crate::files_meta::FilesMeta;
use crate::links;
use crate::manifest::{self, ReadItem, ReadManifest, ReadResource};
use crate::model::{Bank, Entry, Quiz, Report};
use crate::opening::Opening;
use crate::references::Reference;
use crate::xml;

/// The beginning of an address that leads to a file of the package; its path follows.
pub const PACKAGE: &str = "package:";
/// Stands between the path and the end of the address that the file is to have: no path has it.
const END: char = '\\';
/// The most bytes of documents that are read of a package; files of the course are none.
const MAX_READ_BYTES: u64 = 64 << 20;
/// The most documents that are read of a package, as often as they are.
const MAX_DOCUMENTS: usize = 20_000;
/// The part of an address that leads nowhere which is told.
const MAX_SHOWN_CHARS: usize = 200;
/// The most quizzes, questions, pages and the like: they are stored all at once, and nobody else writes meanwhile.
const MAX_PARTS: usize = 20_000;

/// The content of a package. Its HTML is as the package says: sanitize it before it is stored.
#[derive(Debug, Clone, Default)]
pub struct Import {
    /// Of the course, in plain text.
    pub title: Option<String>,
    /// In the order of the package.
    pub quizzes: Vec<Quiz>,
    /// In the order of the package.
    pub banks: Vec<Bank>,
    /// In the order of the package.
    pub pages: Vec<Page>,
    /// In the order of the package.
    pub topics: Vec<Topic>,
    /// In the order of the package.
    pub web_links: Vec<WebLink>,
    /// In the order of the package.
    pub assignments: Vec<Assignment>,
    /// The ids of quizzes, by the identifiers that their assignments have in the package.
    pub assignments_of_quizzes: BTreeMap<String, String>,
    /// The paths in the package of what are files of the course.
    pub files: Vec<String>,
    /// What keeps them and their folders from students.
    pub files_meta: FilesMeta,
    /// The headings of the course, with what stands below them; the resources are those of [`Page::id`] and the like.
    pub items: Vec<ReadItem>,
    /// True if some of it is in QTI 3.0, which is not read.
    pub has_newer_quizzes: bool,
    /// The parts that cannot be imported, or not as they are.
    pub report: Report,
}

/// A discussion topic.
#[derive(Debug, Clone, Default)]
pub struct Topic {
    /// The identifier of its resource.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// HTML.
    pub html: String,
}

/// A link to a place in the web.
#[derive(Debug, Clone, Default)]
pub struct WebLink {
    /// The identifier of its resource.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// As the package says it.
    pub address: String,
}

/// The place where a course's file is to lie, by its path in the package.
pub fn course_path(path: &str) -> &str {
    path.strip_prefix(links::FILES).unwrap_or(path)
}

/// The path of the file of the package that an address leads to, and how it opens that; `None` for all other addresses.
pub fn file_of(address: &str) -> Option<(&str, Opening)> {
    let path = address.strip_prefix(PACKAGE)?;
    let (path, end) = path.split_once(END).unwrap_or((path, ""));
    Some((path, Opening::of_end(end)))
}

fn address_of(path: &str, opening: &Opening) -> String {
    match *opening == Opening::default() {
        true => format!("{PACKAGE}{path}"),
        false => format!("{PACKAGE}{path}{END}{}", opening.end()),
    }
}

/// HTML with other addresses: `map` is given one, and gives the other, or `None` to keep it.
pub fn with_addresses(html: &str, map: &mut dyn FnMut(&str) -> Option<String>) -> String {
    crate::html::map_addresses(html, map).into_owned()
}

/// Reads a package.
pub async fn read<S: Source>(archive: &Archive<S>) -> Result<Import> {
    let Some(path) = manifest_path(archive) else {
        return without_manifest(archive).await;
    };
    let manifest = ReadManifest::read(&archive.read(&path).await?)?;
    let root = crate::path::folder(&path);
    let mut reader = Reader::of(archive, root, &manifest);
    reader.import.title.clone_from(&manifest.title);
    reader.import.items.clone_from(&manifest.items);
    reader.read_quizzes().await?;
    reader.read_course().await?;
    checked(named(reader.finished()))
}

/// A package whose files are the format itself, as some tools write it.
async fn without_manifest<S: Source>(archive: &Archive<S>) -> Result<Import> {
    let manifest = ReadManifest::default();
    let mut reader = Reader::of(archive, "", &manifest);
    let paths: Vec<_> = archive.paths().filter(|path| path.ends_with(".xml")).map(str::to_owned).collect();
    reader.read_loose(&paths).await?;
    let import = reader.finished();
    match import.quizzes.is_empty() && import.banks.is_empty() && import.report.is_empty() {
        true => Err(Error::invalid_package("the package has no imsmanifest.xml and no questions")),
        false => checked(named(import)),
    }
}

/// Refuses more than is stored at once.
fn checked(import: Import) -> Result<Import> {
    let entries = import.quizzes.iter().map(|quiz| &quiz.entries).chain(import.banks.iter().map(|bank| &bank.entries));
    let questions = entries.flatten().map(|entry| match entry {
        Entry::Group(group) => 1 + group.questions.len(),
        Entry::Question(_) | Entry::Stimulus(_) => 1,
    });
    let others = import.quizzes.len() + import.banks.len() + import.pages.len() + import.assignments.len();
    match questions.sum::<usize>() + others > MAX_PARTS {
        true => Err(Error::invalid_package(format!(
            "the package has too many quizzes, questions, pages and assignments (maximum is {MAX_PARTS} together)"
        ))),
        false => Ok(import),
    }
}

/// The manifest stands at the top, or in the only folder there.
fn manifest_path<S: Source>(archive: &Archive<S>) -> Option<String> {
    if archive.has(manifest::PATH) {
        return Some(manifest::PATH.to_owned());
    }
    let folder = archive.paths().next()?.split_once('/')?.0;
    let is_only = archive.paths().all(|path| path.split_once('/').is_some_and(|(own, _)| own == folder));
    let path = format!("{folder}/{}", manifest::PATH);
    (is_only && archive.has(&path)).then_some(path)
}

/// Every quiz and bank has a title and an id of its own.
fn named(mut import: Import) -> Import {
    let mut ids = BTreeSet::new();
    let title = import.title.clone().unwrap_or_else(|| "Imported quiz".to_owned());
    let names = import.quizzes.iter_mut().map(|quiz| (&mut quiz.id, &mut quiz.title));
    let names = names.chain(import.banks.iter_mut().map(|bank| (&mut bank.id, &mut bank.title)));
    for (place, (id, own)) in (1..).zip(names) {
        if own.trim().is_empty() {
            own.clone_from(&title);
        }
        let mut number: u64 = place;
        while id.is_empty() || !ids.insert(id.clone()) {
            *id = format!("{id}-{number}");
            number += 1;
        }
    }
    import
}

/// The parts of a package that have been read.
struct Reader<'a, S> {
    archive: &'a Archive<S>,
    /// The folder of the manifest.
    root: &'a str,
    manifest: &'a ReadManifest,
    import: Import,
    /// The parts of quizzes and assignments in resources, by their identifiers.
    parts: BTreeMap<&'a str, Parts>,
    /// The files that the manifest says are files of the course.
    web: BTreeSet<String>,
    references: RefCell<References>,
    /// The identifiers of resources that need no more reading.
    used: BTreeSet<String>,
    /// The number of bytes of documents that have been read, as often as they were.
    read: u64,
    /// The number of these documents.
    documents: usize,
}

/// The files that the texts of a package refer to.
#[derive(Default)]
struct References {
    files: BTreeSet<String>,
    /// Those that are not in the package.
    missing: Report,
}

/// Of the files of a resource those that the reference exporter adds to a quiz or an assignment.
#[derive(Default)]
struct Parts {
    /// The quiz with all types of questions.
    full: Option<String>,
    settings: Option<String>,
    /// What Lectern adds.
    extension: Option<String>,
    /// Of an assignment.
    assignment_settings: Option<String>,
    /// The file of the course that the resource is.
    file: Option<String>,
    /// True if the manifest says that its files are files of the course.
    is_web: bool,
}

impl<'a, S: Source> Reader<'a, S> {
    fn of(archive: &'a Archive<S>, root: &'a str, manifest: &'a ReadManifest) -> Self {
        let mut reader = Self {
            archive,
            root,
            manifest,
            import: Import::default(),
            parts: BTreeMap::new(),
            web: BTreeSet::new(),
            references: RefCell::default(),
            used: BTreeSet::new(),
            read: 0,
            documents: 0,
        };
        for resource in &manifest.resources {
            let parts = reader.parts_of(resource);
            reader.parts.insert(&resource.id, parts);
            if resource.kind == "webcontent" {
                let paths = resource.files.iter().filter_map(|file| reader.path(root, file));
                let paths: Vec<_> = paths.filter(|path| !is_page(path)).collect();
                reader.web.extend(paths);
            }
        }
        reader
    }

    fn parts_of(&self, resource: &ReadResource) -> Parts {
        let ends = |suffix: &str| {
            let mut files = resource.files.iter().chain(&resource.href);
            files.find(|file| file.ends_with(suffix)).and_then(|file| self.path(self.root, file))
        };
        let is_web = resource.kind == "webcontent";
        let mut paths = resource.files.iter().filter(|_| is_web).filter_map(|file| self.path(self.root, file));
        Parts {
            full: ends(".xml.qti"),
            settings: ends("assessment_meta.xml"),
            extension: ends(&format!("/{}", extension::FILE)),
            assignment_settings: ends(cartridge::SETTINGS),
            file: paths.find(|path| !is_page(path)),
            is_web,
        }
    }

    /// The content that was read, with the files that its texts refer to, and with a note for each that is not there.
    fn finished(self) -> Import {
        let Self { mut import, references, .. } = self;
        let References { files, missing } = references.into_inner();
        let known: BTreeSet<_> = import.files.iter().cloned().collect();
        import.files.extend(files.into_iter().filter(|path| !known.contains(path)));
        for note in missing.notes {
            import.report.note(note.about, note.message);
        }
        import.report.more += missing.more;
        import
    }

    /// The path of the file that a reference means, if it is in the package.
    fn path(&self, folder: &str, reference: &str) -> Option<String> {
        let is_there = |path: &str| self.archive.has(path);
        let joined = match folder {
            "" => reference.to_owned(),
            folder => format!("{folder}/{reference}"),
        };
        ReadResource::resolve(&joined, &is_there).or_else(|| {
            let resolved = crate::path::resolved(folder, reference)?;
            is_there(&resolved).then_some(resolved)
        })
    }

    /// The document at a path; a note, if it cannot be read.
    async fn document(&mut self, path: &str) -> Result<Option<xml::Element>> {
        let Some(bytes) = self.bytes(path).await? else { return Ok(None) };
        match xml::parse(&bytes) {
            Ok(root) => Ok(Some(root)),
            Err(error) => {
                self.import.report.note(path, error.to_string());
                Ok(None)
            }
        }
    }

    /// The bytes at a path; a note, if it is too large. Files may be referred to again and again: all in all there is an end.
    async fn bytes(&mut self, path: &str) -> Result<Option<Vec<u8>>> {
        self.read = self.read.saturating_add(self.archive.size(path).unwrap_or_default());
        self.documents += 1;
        if self.read > MAX_READ_BYTES {
            return Err(Error::invalid_package(format!(
                "the package has too much to read (maximum is {MAX_READ_BYTES} bytes)"
            )));
        }
        if self.documents > MAX_DOCUMENTS {
            let most = MAX_DOCUMENTS;
            return Err(Error::invalid_package(format!(
                "the package has too many documents to read (maximum is {most})"
            )));
        }
        match self.archive.read(path).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_refusal() => {
                self.import.report.note(path, error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The address of a file of the package, told as such, as it stands in the document at a path; `None` for all others,
    /// and a note for those that lead nowhere. Links to other content of the course stay: it is known when all is read.
    fn address(&self, document: &str, address: &str) -> Option<String> {
        let folder = crate::path::folder(document);
        let (found, opening) = match Reference::of(address) {
            Some(reference) => {
                let (id, opening) = reference.file()?;
                (Some(self.parts.get(id)?.file.clone()?), opening)
            }
            None => (self.file_at(folder, address), Opening::of_words(address)),
        };
        if let Some(path) = found {
            let address = address_of(&path, &opening);
            self.references.borrow_mut().files.insert(path);
            return Some(address);
        }
        if links::is_relative(address) {
            let shown: String = address.chars().take(MAX_SHOWN_CHARS).collect();
            let message = format!("\u{201c}{shown}\u{201d} leads nowhere: the package has no such file");
            self.references.borrow_mut().missing.note(document, message);
        }
        None
    }

    /// The path of the file that an address means. A file of which quizzes and pages are made is none of the course.
    fn file_at(&self, folder: &str, address: &str) -> Option<String> {
        let rooted = |path: String| match self.root {
            "" => path,
            root => format!("{root}/{path}"),
        };
        let candidates = links::candidates(folder, address);
        let both = candidates.iter().cloned().chain(candidates.iter().cloned().map(rooted));
        both.into_iter().find(|path| self.web.contains(path) || (self.archive.has(path) && !is_document(path)))
    }
}

/// Pages are where the reference exporter puts them. A folder of that name among the files of the course has files.
fn is_page(path: &str) -> bool {
    let first = path.split('/').find(|part| matches!(*part, "wiki_content" | "web_resources"));
    first == Some("wiki_content") && path.ends_with(".html")
}

/// True if a file is part of the package itself, unless the manifest says otherwise.
fn is_document(path: &str) -> bool {
    is_page(path) || [".xml", ".qti", ".xsd", ".dtd"].iter().any(|suffix| path.ends_with(suffix))
}
