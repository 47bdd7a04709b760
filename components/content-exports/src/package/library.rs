//! What the exported texts refer to: the files of a course, each with its place in the package, and other content of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge;
use content_packages::files_meta::{FileMeta, FilesMeta, Restriction};
use content_packages::links::Link;
use shared::files::Owner;
use shared::ids::CourseId;
use shared::{Result, Timestamp};

use crate::model::exports::Settings;
use crate::package::names::{self, Names};
use crate::package::references::Objects;
use crate::store::content::{self, ContentFilter, StoredFile};
use crate::store::quizzes;
use crate::work::Work;

/// The address of images of hot-spot questions on this service.
const MEDIA: &str = "/api/quiz/v1/media/";

/// The files of a course.
pub(crate) struct Library {
    /// The service's address.
    base: String,
    files: BTreeMap<i64, PackagedFile>,
    media: BTreeMap<String, PackagedFile>,
    objects: Objects,
    /// What keeps folders from students, by their paths in the course.
    restricted: BTreeMap<String, Restriction>,
    /// The records that are not exported by themselves, and are referred to.
    wanted: RefCell<BTreeSet<String>>,
}

/// A file, and its path in the package.
pub(crate) struct PackagedFile {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) file: StoredFile,
    /// True if it is exported by itself.
    chosen: bool,
}

impl Library {
    /// All files of the course; `chosen` tells which of them are exported by themselves.
    pub(crate) async fn of(
        work: &Work,
        course: CourseId,
        settings: &Settings,
        chosen: Option<&ContentFilter>,
        objects: Objects,
    ) -> Result<Self> {
        let owner = Owner::Course(course);
        let now: Timestamp = work.now();
        let every = ContentFilter::everything(settings.sees_all, now);
        let by_itself: BTreeSet<i64> = match chosen {
            Some(which) => content::files(&work.db, owner, which).await?.into_iter().map(|file| file.id).collect(),
            None => BTreeSet::new(),
        };
        let mut names = Names::default();
        let mut files = BTreeMap::new();
        for file in content::files(&work.db, owner, &every).await? {
            let path = cartridge::file_path(&names.path("", &file.names(), file.id));
            let (id, chosen) = (format!("file-{}", file.id), by_itself.contains(&file.id));
            files.insert(file.id, PackagedFile { id, path, file, chosen });
        }
        let mut media = BTreeMap::new();
        for object in quizzes::media(&work.db, course).await? {
            let name = named(&object);
            let path = cartridge::file_path(&names.path("media", &[&name], 0));
            let id = format!("media-{}", object.id.replace('/', "-"));
            media.insert(
                object.id.clone(),
                PackagedFile { id, path, file: StoredFile::of_media(object, name), chosen: false },
            );
        }
        let restricted = content::restricted_folders(&work.db, owner, &every).await?;
        let restricted = restricted.into_iter().map(|folder| (folder.path.clone(), folder.into_restriction()));
        let (base, restricted) = (settings.base.clone(), restricted.collect());
        Ok(Self { base, files, media, objects, restricted, wanted: RefCell::default() })
    }

    /// What an address leads to, if that is in the course: a file of the package, or other content.
    pub(crate) fn link(&self, address: &str) -> Option<Link> {
        let path = address.strip_prefix(self.base.as_str()).unwrap_or(address);
        let Some(kept) = self.file_at(path) else { return self.objects.link(path) };
        self.wanted.borrow_mut().insert(kept.id.clone());
        Some(Link::File(kept.path.clone()))
    }

    /// The files that go into the package: to be asked when all texts are written.
    pub(crate) fn needed_files(&self) -> impl Iterator<Item = &PackagedFile> {
        let wanted = self.wanted.borrow().clone();
        let all = self.files.values().chain(self.media.values());
        all.filter(move |kept| kept.chosen || wanted.contains(&kept.id))
    }

    /// What keeps the files that go into the package from students, and the names that they have not in it.
    pub(crate) fn files_meta(&self) -> FilesMeta {
        let mut meta = FilesMeta::default();
        for kept in self.needed_files() {
            let mut restriction = kept.file.restriction();
            for (path, own) in self.restrictions_above(&kept.file) {
                let folder = names::folder_path(path);
                // A file with a name that is taken lies elsewhere in the package, and the root is no folder of it.
                let is_there = !path.is_empty() && kept.path.starts_with(&cartridge::file_path(&format!("{folder}/")));
                match is_there {
                    true => meta.folders.entry(folder).or_default().add(own),
                    false => restriction.add(own),
                }
            }
            let name = Some(&kept.file.display_name).filter(|name| !kept.path.ends_with(&format!("/{name}"))).cloned();
            if name.is_some() || !restriction.is_none() {
                meta.files.insert(kept.id.clone(), FileMeta { name, restriction });
            }
        }
        meta
    }

    /// The files that go into the package and that students do not see, or only for a time.
    pub(crate) fn restricted_files(&self) -> impl Iterator<Item = &PackagedFile> {
        let is_restricted =
            |file: &StoredFile| !file.restriction().is_none() || self.restrictions_above(file).next().is_some();
        self.needed_files().filter(move |kept| is_restricted(&kept.file))
    }

    /// What the folders above a file keep from students, with their paths.
    fn restrictions_above<'s>(&'s self, file: &'s StoredFile) -> impl Iterator<Item = (&'s str, &'s Restriction)> {
        let folder = file.folder.as_str();
        let above = folder.match_indices('/').filter_map(move |(at, _)| folder.get(..at));
        let own = Some(folder).filter(|folder| !folder.is_empty());
        let all = [""].into_iter().chain(above).chain(own);
        all.filter_map(|path| Some((path, self.restricted.get(path)?)))
    }

    /// The number of bytes that are exported by themselves.
    pub(crate) fn chosen_bytes(&self) -> u64 {
        let chosen = self.files.values().filter(|kept| kept.chosen);
        chosen.map(|kept| u64::try_from(kept.file.size).unwrap_or_default()).sum()
    }

    /// The file that a path on this service leads to.
    fn file_at(&self, path: &str) -> Option<&PackagedFile> {
        let path = path.strip_prefix('/').map(|_| path.split(['?', '#']).next().unwrap_or_default())?;
        if let Some(object) = path.strip_prefix(MEDIA) {
            return self.media.get(object.trim_end_matches('/'));
        }
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        parts.find(|part| *part == "files")?;
        self.files.get(&parts.next()?.parse().ok()?)
    }
}

fn named(object: &quizzes::Media) -> String {
    let last = object.id.rsplit('/').next().unwrap_or_default();
    let suffix = match object.content_type.as_str() {
        "image/jpeg" => ".jpg",
        "image/png" => ".png",
        "image/gif" => ".gif",
        "image/webp" => ".webp",
        "image/svg+xml" => ".svg",
        _ => "",
    };
    format!("{last}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Library {
        let file = StoredFile {
            id: 7,
            display_name: "leaf.png".to_owned(),
            folder: "a:b/c".to_owned(),
            content_type: "image/png".to_owned(),
            size: 3,
            hidden: true,
            ..StoredFile::default()
        };
        let kept =
            PackagedFile { id: "file-7".to_owned(), path: "web_resources/leaf.png".to_owned(), file, chosen: false };
        let base = "https://lms.test".to_owned();
        let (files, restricted) = ([(7, kept)].into(), BTreeMap::new());
        Library {
            base,
            files,
            media: BTreeMap::new(),
            objects: Objects::of(CourseId(9), std::iter::empty(), &[], &[], &[]),
            restricted,
            wanted: RefCell::default(),
        }
    }

    #[test]
    fn an_address_of_ours_leads_to_a_file() {
        for address in [
            "/files/7",
            "https://lms.test/files/7/download?verifier=x",
            "/courses/3/files/7/preview",
            "https://lms.test/api/v1/courses/3/files/7#top",
        ] {
            let file = Link::File("web_resources/leaf.png".to_owned());
            assert_eq!(library().link(address), Some(file), "{address}");
        }
        for address in ["/files/8", "https://other.test/files/7", "files/7", "/files/x", "", "/pages/7"] {
            assert_eq!(library().link(address), None, "{address}");
        }
    }

    #[test]
    fn what_is_referred_to_is_exported_too() {
        let library = library();
        assert_eq!(library.needed_files().count(), 0);
        library.link("/files/7");
        assert_eq!(library.needed_files().count(), 1);
    }

    #[test]
    fn a_folder_keeps_its_files_from_students_wherever_they_lie_in_the_package() {
        let folder = || Restriction { locked: true, ..Restriction::default() };
        for (path, folders, locked) in [("a_b/c/leaf.png", vec!["a_b"], false), ("_7/leaf.png", vec![], true)] {
            let mut library = library();
            library.restricted = [("a:b".to_owned(), folder()), ("a:b/c/d".to_owned(), folder())].into();
            let kept = library.files.get_mut(&7).unwrap();
            (kept.path, kept.chosen) = (cartridge::file_path(path), true);
            let meta = library.files_meta();
            assert_eq!(meta.folders.keys().collect::<Vec<_>>(), folders, "{path}");
            let file = &meta.files["file-7"];
            assert_eq!((file.restriction.hidden, file.restriction.locked, &file.name), (true, locked, &None), "{path}");
        }
    }
}
