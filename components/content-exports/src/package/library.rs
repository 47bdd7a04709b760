//! What the exported texts refer to: the files of a course, each with its place in the package, and other content of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge;
use content_packages::files_meta::{FileMeta, FilesMeta, Restriction};
use content_packages::import::course_path;
use content_packages::links::Link;
use content_packages::opening::Opening;
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
    /// The folders that are exported by themselves, with their paths below the files of the package, where they may have one.
    folders: Vec<(String, Option<String>)>,
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
        let mut folders = Vec::new();
        if let Some(which) = chosen {
            for folder in content::folders(&work.db, owner, which).await? {
                let parts: Vec<_> = folder.path.split('/').collect();
                let path = names.folder("", &parts);
                folders.push((folder.path, path));
            }
        }
        let restricted = content::restricted_folders(&work.db, owner, &every).await?;
        let restricted = restricted.into_iter().map(|folder| (folder.path.clone(), folder.into_restriction()));
        let (base, restricted) = (settings.base.clone(), restricted.collect());
        Ok(Self { base, files, media, objects, restricted, folders, wanted: RefCell::default() })
    }

    /// What an address leads to, if that is in the course: a file of the package, or other content.
    pub(crate) fn link(&self, address: &str) -> Option<Link> {
        let path = address.strip_prefix(self.base.as_str()).unwrap_or(address);
        let Some((kept, end)) = self.file_at(path) else { return self.objects.link(path) };
        self.wanted.borrow_mut().insert(kept.id.clone());
        Some(Link::File(kept.path.clone(), Opening::of_end(end)))
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
            for (path, own) in self.restrictions_of(&kept.file.folder) {
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
        for (path, there) in self.empty_folders() {
            let Some(there) = there else { continue };
            meta.folders.entry(there.to_owned()).or_default();
            for (path, own) in self.restrictions_of(path) {
                // The root is no folder of the package.
                let folder = if path.is_empty() { there.to_owned() } else { names::folder_path(path) };
                meta.folders.entry(folder).or_default().add(own);
            }
        }
        meta
    }

    /// The folders that are exported by themselves and have no place in the package.
    pub(crate) fn lost_folders(&self) -> impl Iterator<Item = &str> {
        self.empty_folders().filter(|(_, there)| there.is_none()).map(|(path, _)| path)
    }

    /// The folders that no file of the package lies in, with their paths below its files, where they may have one.
    fn empty_folders(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let used: BTreeSet<&str> = self.needed_files().flat_map(|kept| above(course_path(&kept.path))).collect();
        let own = self.folders.iter().map(|(path, there)| (path.as_str(), there.as_deref()));
        own.filter(move |(path, there)| match there {
            Some(there) => !used.contains(there),
            None => !used.contains(names::folder_path(path).as_str()),
        })
    }

    /// The files that go into the package and that students do not see, or only for a time.
    pub(crate) fn restricted_files(&self) -> impl Iterator<Item = &PackagedFile> {
        let is_restricted =
            |file: &StoredFile| !file.restriction().is_none() || self.restrictions_of(&file.folder).next().is_some();
        self.needed_files().filter(move |kept| is_restricted(&kept.file))
    }

    /// What a folder and those above it keep from students, with their paths.
    fn restrictions_of<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = (&'s str, &'s Restriction)> {
        let own = Some(folder).filter(|folder| !folder.is_empty());
        let all = [""].into_iter().chain(above(folder)).chain(own);
        all.filter_map(|path| Some((path, self.restricted.get(path)?)))
    }

    /// The number of bytes that are exported by themselves.
    pub(crate) fn chosen_bytes(&self) -> u64 {
        let chosen = self.files.values().filter(|kept| kept.chosen);
        chosen.map(|kept| u64::try_from(kept.file.size).unwrap_or_default()).sum()
    }

    /// The file that a path on this service leads to, and the end of the path behind its id.
    fn file_at<'p>(&self, path: &'p str) -> Option<(&PackagedFile, &'p str)> {
        if let Some(object) = path.strip_prefix(MEDIA) {
            let object = object.split(['?', '#']).next().unwrap_or_default();
            return Some((self.media.get(object.trim_end_matches('/'))?, ""));
        }
        let is_place = |above: &str| path.starts_with('/') && !above.contains(['?', '#']);
        let (_, rest) = path.split_once("/files/").filter(|(above, _)| is_place(above))?;
        let (id, end) = rest.split_at_checked(rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
        Some((self.files.get(&id.parse().ok()?)?, end))
    }
}

/// The paths of the folders above what lies at a path.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(move |(at, _)| path.get(..at))
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
            folders: Vec::new(),
            wanted: RefCell::default(),
        }
    }

    #[test]
    fn an_address_of_ours_leads_to_a_file() {
        for (address, end) in [
            ("/files/7", "/preview"),
            ("https://lms.test/files/7/download?verifier=x", "/download"),
            ("/courses/3/files/7/preview", "/preview"),
            ("/courses/3/files/7/download?wrap=1", "/download?wrap=1"),
            ("https://lms.test/api/v1/courses/3/files/7#top", "/preview"),
        ] {
            let file = Link::File("web_resources/leaf.png".to_owned(), Opening::of_end(end));
            assert_eq!(library().link(address), Some(file), "{address}");
        }
        for address in
            ["/files/8", "https://other.test/files/7", "files/7", "/files/x", "", "/pages/7", "/pages/a?b=/files/7"]
        {
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
    fn a_folder_without_a_file_is_named_with_what_keeps_it_from_students() {
        let mut library = library();
        library.folders = [("a:b", Some("a_b")), ("a:b/c", Some("a_b/c")), ("d", Some("d")), ("e", None)]
            .map(|(path, there)| (path.to_owned(), there.map(str::to_owned)))
            .into();
        library.restricted = [("d".to_owned(), Restriction { hidden: true, ..Restriction::default() })].into();
        let kept = library.files.get_mut(&7).unwrap();
        (kept.path, kept.chosen) = (cartridge::file_path("a_b/leaf.png"), true);
        let folders = library.files_meta().folders;
        assert_eq!(folders.keys().collect::<Vec<_>>(), ["a_b/c", "d"]);
        assert!(folders["d"].hidden && folders["a_b/c"].is_none());
        assert_eq!(library.lost_folders().collect::<Vec<_>>(), ["e"]);
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
