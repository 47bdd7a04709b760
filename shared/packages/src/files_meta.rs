//! What keeps files and folders of a course from its students, in the form of the reference importer: a cartridge itself
//! has no words for it.

use std::collections::BTreeMap;

use crate::cartridge::Content;
use crate::error::Result;
use crate::ident;
use crate::manifest::{Kind, Resource};
use crate::xml::{Element, document};

/// Its path in a package.
pub const PATH: &str = "course_settings/files_meta.xml";

/// The most characters that are read of a name and of a time: each file of a resource has both.
const MAX_NAME_CHARS: usize = 255;
const MAX_TIME_CHARS: usize = 64;

/// What a package says of its files and folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesMeta {
    /// By their paths below the root of the course's files.
    pub folders: BTreeMap<String, Restriction>,
    /// By the ids of their resources; of a package that was read, by their paths in it.
    pub files: BTreeMap<String, FileMeta>,
}

/// What a package says of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMeta {
    /// Its name, if it is another than in the package.
    pub name: Option<String>,
    /// What keeps it from students.
    pub restriction: Restriction,
}

/// What keeps a file or a folder from students.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restriction {
    /// True if students do not see it in lists.
    pub hidden: bool,
    /// True if students may not open it.
    pub locked: bool,
    /// The instant until which it is locked.
    pub unlock_at: Option<String>,
    /// The instant from which on it is locked.
    pub lock_at: Option<String>,
}

impl FilesMeta {
    /// True if it says nothing.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.files.is_empty()
    }

    /// The file that says it.
    pub fn write(&self) -> Result<Content> {
        let folder = |(path, own): (&String, &Restriction)| {
            Element::new("folder").with("path", path.as_str()).children(elements(own))
        };
        let file = |(id, own): (&String, &FileMeta)| {
            let name = own.name.as_deref().map(|name| Element::new("display_name").text(name));
            Element::new("file").with("identifier", ident::of(id)).children(elements(&own.restriction)).children(name)
        };
        let list = |name: &str, own: Vec<Element>| (!own.is_empty()).then(|| Element::new(name).children(own));
        let root = Element::new("fileMeta")
            .with("xmlns", "http://canvas.instructure.com/xsd/cccv1p0")
            .children(list("folders", self.folders.iter().map(folder).collect()))
            .children(list("files", self.files.iter().map(file).collect()));
        let (href, files) = (Some(PATH.to_owned()), vec![PATH.to_owned()]);
        let resource =
            Resource { id: "files-meta".to_owned(), kind: Kind::Extension, href, files, dependencies: Vec::new() };
        Ok(Content { files: vec![(PATH.to_owned(), document(&root)?)], resource, beside: Vec::new() })
    }

    /// What the document of such a file says.
    pub(crate) fn read(root: &Element) -> Self {
        let all = |list: &'static str, name: &'static str| root.all(list).flat_map(move |own| own.all(name));
        let folder = |own: &Element| Some((own.attribute("path")?.trim_matches('/').to_owned(), restriction(own)));
        let file = |own: &Element| {
            let name = own.content_at(&["display_name"]).filter(|name| name.chars().count() <= MAX_NAME_CHARS);
            let meta = FileMeta { name, restriction: restriction(own) };
            Some((own.attribute("identifier")?.to_owned(), meta))
        };
        Self {
            folders: all("folders", "folder").filter_map(folder).collect(),
            files: all("files", "file").filter_map(file).collect(),
        }
    }
}

fn elements(own: &Restriction) -> impl Iterator<Item = Element> {
    let flag = |is_set: bool| is_set.then(|| "true".to_owned());
    let members = [
        ("locked", flag(own.locked)),
        ("hidden", flag(own.hidden)),
        ("lock_at", own.lock_at.clone()),
        ("unlock_at", own.unlock_at.clone()),
    ];
    members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)))
}

fn restriction(own: &Element) -> Restriction {
    let text = |name: &str| own.content_at(&[name]);
    let is_set = |name: &str| matches!(text(name).as_deref(), Some("true" | "1"));
    // What is no time locks the file, however long it is.
    let time = |name: &str| text(name).map(|own| own.chars().take(MAX_TIME_CHARS).collect());
    Restriction {
        hidden: is_set("hidden"),
        locked: is_set("locked"),
        unlock_at: time("unlock_at"),
        lock_at: time("lock_at"),
    }
}

impl Restriction {
    /// True if students see it as they see others.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another one keeps from students. Instants are in one form, and sort as texts.
    pub fn add(&mut self, other: &Self) {
        self.hidden |= other.hidden;
        self.locked |= other.locked;
        let both = |one: &Option<String>, pick: fn(String, String) -> String, other: &Option<String>| {
            one.iter().chain(other).cloned().reduce(pick)
        };
        self.unlock_at = both(&self.unlock_at, Ord::max, &other.unlock_at);
        self.lock_at = both(&self.lock_at, Ord::min, &other.lock_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::parse;

    #[test]
    fn what_is_written_is_read() {
        let hidden = Restriction { hidden: true, ..Restriction::default() };
        let dated = Restriction { locked: true, lock_at: Some("2026-01-01T00:00:00Z".to_owned()), ..hidden.clone() };
        let meta = FilesMeta {
            folders: [("a & b/c".to_owned(), hidden)].into(),
            files: [("file-7".to_owned(), FileMeta { name: Some("a: b".to_owned()), restriction: dated })].into(),
        };
        let written = meta.write().unwrap();
        assert_eq!((written.resource.files, written.files[0].0.as_str()), (vec![PATH.to_owned()], PATH));
        assert_eq!(FilesMeta::read(&parse(&written.files[0].1).unwrap()), meta);
        assert!(FilesMeta::default().is_empty() && !meta.is_empty());
    }
}
