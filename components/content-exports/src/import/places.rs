//! The places of a package's files: folders and names that the course takes, each name once.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::files_meta::Restriction;
use shared::files::{MAX_FOLDER_DEPTH, MAX_NAME_CHARS, names_of_path, require_name};

/// The most folders that a package brings: the archive's own limit counts its files.
const MAX_FOLDERS: usize = 5_000;
/// The name of the root of a course's files in the reference system.
const ROOT: &str = "course files";

/// A folder of the package.
pub(crate) struct Folder {
    /// The place of the one that it is in; `None`: that into which everything goes.
    pub(crate) parent: Option<usize>,
    pub(crate) name: String,
    /// 0 for those at the top.
    pub(crate) level: usize,
    /// What keeps it from students.
    pub(crate) restriction: Restriction,
}

/// A place for a file.
pub(crate) struct Place {
    /// The place of its folder in the list; `None`: that into which everything goes.
    pub(crate) folder: Option<usize>,
    pub(crate) name: String,
}

/// Why there is no place for a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// Its name is too long, or it would lie too deep.
    TooLong,
    /// Its name is none that a file has, as one of blanks alone.
    NoName,
    /// It would be in a folder too many.
    TooManyFolders,
}

/// The places that were given out.
pub(crate) struct Places {
    folders: Vec<Folder>,
    /// By the folder that they are in and their names in small letters: the database does not tell `A` from `a` either.
    known: BTreeMap<(Option<usize>, String), usize>,
    /// Names of files, likewise.
    taken: BTreeSet<(Option<usize>, String)>,
    /// The number of times that a name was asked for again.
    again: BTreeMap<(Option<usize>, String), u32>,
    /// The number of folders that may be nested in each other.
    levels: usize,
}

impl Places {
    /// Places in a folder that lies so deep: 0 for the root.
    pub(crate) fn below(depth: usize) -> Self {
        Self {
            folders: Vec::new(),
            known: BTreeMap::new(),
            taken: BTreeSet::new(),
            again: BTreeMap::new(),
            levels: MAX_FOLDER_DEPTH.saturating_sub(depth.saturating_add(1)),
        }
    }

    /// The folders, each after the one that it is in.
    pub(crate) fn into_folders(self) -> Vec<Folder> {
        self.folders
    }

    /// The place of a file by its path. A name that is taken gets a number.
    pub(crate) fn place(&mut self, path: &str) -> Result<Place, NoPlace> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = named(name)?;
        let folder = self.nested(folder)?;
        let name = self.free(folder, name).ok_or(NoPlace::TooLong)?;
        Ok(Place { folder, name })
    }

    /// The place of a folder by its path, of which there may be no file in it; `None`: that into which everything goes.
    pub(crate) fn nested(&mut self, path: &str) -> Result<Option<usize>, NoPlace> {
        let mut names = names_of_path(path).peekable();
        // A path may begin with the root's own name.
        names.next_if_eq(&ROOT);
        let names: Vec<_> = names.collect();
        if names.len() > self.levels || names.iter().any(|name| is_long(name)) {
            return Err(NoPlace::TooLong);
        }
        let mut folder = None;
        for (level, name) in names.into_iter().enumerate() {
            folder = Some(self.folder(folder, name, level)?);
        }
        Ok(folder)
    }

    fn folder(&mut self, parent: Option<usize>, name: &str, level: usize) -> Result<usize, NoPlace> {
        let key = (parent, name.to_ascii_lowercase());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        if self.folders.len() >= MAX_FOLDERS {
            return Err(NoPlace::TooManyFolders);
        }
        let place = self.folders.len();
        self.folders.push(Folder { parent, name: name.to_owned(), level, restriction: Restriction::default() });
        self.known.insert(key, place);
        Ok(place)
    }

    fn free(&mut self, folder: Option<usize>, name: &str) -> Option<String> {
        if self.taken.insert((folder, name.to_ascii_lowercase())) {
            return Some(name.to_owned());
        }
        let (stem, suffix) = match name.rsplit_once('.') {
            Some((stem, suffix)) if !stem.is_empty() => (stem, format!(".{suffix}")),
            _ => (name, String::new()),
        };
        let number = self.again.entry((folder, name.to_ascii_lowercase())).or_default();
        loop {
            *number = number.saturating_add(1);
            let name = format!("{stem}-{number}{suffix}");
            if self.taken.insert((folder, name.to_ascii_lowercase())) {
                return (name.chars().count() <= MAX_NAME_CHARS).then_some(name);
            }
        }
    }
}

/// The name of a file as an upload has it, without blanks around it.
fn named(name: &str) -> Result<&str, NoPlace> {
    if is_long(name.trim()) {
        return Err(NoPlace::TooLong);
    }
    require_name(name).map_err(|_refused| NoPlace::NoName)
}

fn is_long(name: &str) -> bool {
    name.chars().count() > MAX_NAME_CHARS
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn at(places: &mut Places, path: &str) -> String {
        let Place { mut folder, name } = places.place(path).unwrap();
        let mut path = name;
        while let Some(own) = folder.map(|place| &places.folders[place]) {
            path = format!("{}/{path}", own.name);
            folder = own.parent;
        }
        path
    }

    #[test]
    fn each_file_has_a_place_of_its_own() {
        let mut places = Places::below(0);
        for (path, place) in [
            ("a.png", "a.png"),
            ("A.PNG", "A-1.PNG"),
            ("a.png", "a-2.png"),
            ("img/a.png", "img/a.png"),
            ("IMG/a.png", "img/a-1.png"),
            (" img /b", "img/b"),
            ("course files/a.png", "a-3.png"),
            ("a-4.png", "a-4.png"),
            ("a.png", "a-5.png"),
            ("./x/../c", "x/c"),
            ("x/ c ", "x/c-1"),
        ] {
            assert_eq!(at(&mut places, path), place, "{path}");
        }
    }

    #[test]
    fn a_folder_has_a_place_without_files() {
        let mut places = Places::below(0);
        let place = places.nested("a/b").unwrap();
        assert_eq!((places.nested("course files/A/b").unwrap(), places.nested("").unwrap()), (place, None));
        assert_eq!(at(&mut places, "a/b/c.png"), "a/b/c.png");
        let names: Vec<_> = places.into_folders().into_iter().map(|folder| (folder.name, folder.parent)).collect();
        assert_eq!(names, [("a".to_owned(), None), ("b".to_owned(), Some(0))]);
    }

    #[test]
    fn what_is_too_long_or_too_deep_has_no_place() {
        let mut places = Places::below(MAX_FOLDER_DEPTH - 2);
        assert!(places.place("a/b").is_ok());
        assert_eq!(places.place("a/b/c").err(), Some(NoPlace::TooLong));
        assert_eq!(places.place(&"x".repeat(MAX_NAME_CHARS + 1)).err(), Some(NoPlace::TooLong));
        let crowded = (0..=MAX_FOLDERS).find_map(|number| places.place(&format!("{number}/x")).err());
        assert_eq!(crowded, Some(NoPlace::TooManyFolders));
    }

    #[test]
    fn a_name_that_no_file_has_has_no_place() {
        let mut places = Places::below(0);
        for path in [" ", "a/ ", " . ", "a/ .."] {
            assert_eq!(places.place(path).err(), Some(NoPlace::NoName), "{path}");
        }
        assert!(places.into_folders().is_empty());
    }

    #[test]
    fn many_files_of_one_name_are_placed_in_time() {
        let took = |count: usize| {
            let tries = (0..3).map(|_| {
                let began = Instant::now();
                let mut places = Places::below(0);
                (0..count).for_each(|_| drop(places.place("a/b/same.png").unwrap()));
                began.elapsed()
            });
            tries.min().unwrap().as_secs_f64()
        };
        let growth = (0..4).map(|_| took(40_000) / took(20_000)).fold(f64::MAX, f64::min);
        assert!(growth < 3.0, "twice as many take {growth} times as long");
    }
}
