//! What keeps the folders and files of a package from students: it comes with them.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::files_meta::{FilesMeta, Restriction};
use content_packages::import::course_path;
use content_packages::model::Report;

use crate::import::fields::moment;
use crate::import::places::Folder;
use crate::import::prepare::NewFile;

/// Sets what the package says of its folders and files.
pub(crate) fn set(meta: &FilesMeta, folders: &mut [Folder], files: &mut [NewFile], report: &mut Report) {
    // The database does not tell `A` from `a` either.
    let known: BTreeMap<_, _> = meta.folders.iter().map(|(path, own)| (path.to_ascii_lowercase(), own)).collect();
    let mut paths: Vec<String> = Vec::with_capacity(folders.len());
    let mut there = BTreeSet::new();
    for folder in folders {
        let above = folder.parent.and_then(|parent| paths.get(parent));
        let path = above.map_or_else(|| folder.name.clone(), |above| format!("{above}/{}", folder.name));
        let key = path.to_ascii_lowercase();
        if let Some(own) = known.get(&key) {
            folder.restriction = stored(own, &path, report);
            there.insert(key);
        }
        paths.push(path);
    }
    for file in files {
        if let Some(own) = meta.files.get(&file.path) {
            file.restriction = stored(&own.restriction, &file.path, report);
        }
        // A folder whose name a course does not take has become another one: what kept it stays on what was in it.
        let path = course_path(&file.path).to_ascii_lowercase();
        let above = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        for own in above.filter(|above| !there.contains(*above)).filter_map(|above| known.get(above)) {
            file.restriction.add(&stored(own, &file.path, report));
        }
    }
}

/// A restriction as it is stored. One of a time that cannot be read has no end.
fn stored(own: &Restriction, about: &str, report: &mut Report) -> Restriction {
    let (unlock_at, lock_at) = (moment(&own.unlock_at), moment(&own.lock_at));
    let is_lost = unlock_at.is_some() != own.unlock_at.is_some() || lock_at.is_some() != own.lock_at.is_some();
    if is_lost {
        report.note(about, "it is locked: the time for which students do not see it cannot be read");
    }
    Restriction { hidden: own.hidden, locked: own.locked || is_lost, unlock_at, lock_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restriction_of_a_time_that_cannot_be_read_has_no_end() {
        let mut report = Report::default();
        let dated = |unlock_at: &str| Restriction { unlock_at: Some(unlock_at.to_owned()), ..Restriction::default() };
        let kept = stored(&dated("2026-01-01T00:00:00"), "a", &mut report);
        assert_eq!(kept, dated("2026-01-01T00:00:00Z"));
        assert!(report.is_empty());
        let lost = stored(&dated("soon"), "a", &mut report);
        assert_eq!(lost, Restriction { locked: true, ..Restriction::default() });
        assert_eq!(report.notes.len(), 1);
    }
}
