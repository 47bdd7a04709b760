//! The part of a course that is copied.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};
use shared::params::Params;
use shared::selection::{ContentType, Selection};
use shared::{Error, JsonSchema, Result};

use crate::model::filters::AnyOf;

/// What is copied of a course.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CopiedPart {
    selection: Selection,
    /// True if the course's settings stay as they are, whatever comes.
    keeps_settings: bool,
    /// True if who may see the course stays as it is, whatever settings come.
    pub(crate) keeps_visibility: bool,
    /// True if files stay behind that texts refer to.
    pub(crate) has_no_other_files: bool,
}

/// A type of content at the older address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CopiedType {
    CourseSettings,
    Assignments,
    ExternalTools,
    Files,
    Topics,
    CalendarEvents,
    Quizzes,
    WikiPages,
    Modules,
    Outcomes,
}

impl CopiedType {
    /// As the others name them; there is nothing of the rest.
    fn types(self) -> &'static [ContentType] {
        match self {
            Self::CourseSettings => &[ContentType::CourseSettings],
            Self::Assignments => &[ContentType::Assignments],
            Self::Quizzes => &[ContentType::Quizzes],
            Self::WikiPages => &[ContentType::WikiPages],
            Self::Files => &[ContentType::Attachments, ContentType::Folders],
            Self::ExternalTools | Self::Topics | Self::CalendarEvents | Self::Modules | Self::Outcomes => &[],
        }
    }
}

impl CopiedPart {
    /// The parameter of that name; one that is empty asks for everything. 400 where it names no type.
    pub(crate) fn of(parameter: &str, given: Params) -> Result<Self> {
        let selection = Selection::of(parameter, Some(&Value::Object(given)), |_| true);
        let selection = selection.map_err(Error::bad_request)?;
        Ok(Self { selection, ..Self::default() })
    }

    /// The same without what these words leave out, of which others are passed over.
    pub(crate) fn skipping(mut self, skipped: &AnyOf<String>) -> Self {
        self.keeps_settings |= skipped.names("all_course_settings");
        self.keeps_visibility |= skipped.names("visibility_settings");
        self
    }

    /// These types alone.
    pub(crate) fn only(types: &[CopiedType]) -> Self {
        let types = types.iter().flat_map(|kind| kind.types()).copied();
        Self { selection: Selection::whole(types), ..Self::default() }
    }

    /// All but these types.
    pub(crate) fn without(types: &[CopiedType]) -> Self {
        let without: Vec<_> = types.iter().flat_map(|kind| kind.types()).copied().collect();
        let has_no_other_files = types.contains(&CopiedType::Files);
        Self { selection: Selection::without(&without), has_no_other_files, ..Self::default() }
    }

    /// True if the course's settings come.
    pub(crate) fn has_settings(&self) -> bool {
        self.selection.takes_all(ContentType::CourseSettings) && !self.keeps_settings
    }

    /// True if all files are copied, in all their folders.
    pub(crate) fn has_all_files(&self) -> bool {
        self.selection.takes_all(ContentType::Attachments) || self.selection.takes_all(ContentType::Folders)
    }

    /// The folders and files that are chosen, where not all are.
    pub(crate) fn files(&self) -> (BTreeSet<i64>, BTreeSet<i64>) {
        let ids = |kind| self.selection.chosen(kind).ids().unwrap_or_default();
        (ids(ContentType::Folders), ids(ContentType::Attachments))
    }

    /// What is copied of the tables of content, for their statements.
    pub(crate) fn records(&self) -> Value {
        let chosen = |kind| {
            let ids = self.selection.chosen(kind).ids();
            json!({ "all": ids.is_none(), "ids": ids.unwrap_or_default() })
        };
        json!({
            "assignments": chosen(ContentType::Assignments),
            "quizzes": chosen(ContentType::Quizzes),
            "pages": chosen(ContentType::WikiPages),
        })
    }
}

/// A folder of a course, and what of its files is copied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// All of them.
    Whole,
    /// Those that are chosen themselves, if any.
    Way,
}

/// The folders that are copied: those that are chosen with all below them, those of chosen files, and the way to each. Folders come
/// with their parents, which stand before them.
pub(crate) fn places(
    folders: &[(i64, Option<i64>)],
    chosen: &BTreeSet<i64>,
    of_files: impl IntoIterator<Item = i64>,
) -> BTreeMap<i64, Place> {
    let parents: BTreeMap<_, _> = folders.iter().copied().collect();
    let mut places = BTreeMap::new();
    for (id, parent) in folders {
        let is_below = parent.is_some_and(|parent| places.get(&parent) == Some(&Place::Whole));
        if is_below || chosen.contains(id) {
            places.insert(*id, Place::Whole);
        }
    }
    let ends: Vec<_> = places.keys().copied().chain(of_files).collect();
    for end in ends {
        let mut at = parents.get_key_value(&end);
        while let Some((id, parent)) = at {
            let is_known = places.contains_key(id) && *id != end;
            places.entry(*id).or_insert(Place::Way);
            at = parent.filter(|_| !is_known).and_then(|parent| parents.get_key_value(&parent));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(given: Value) -> Result<CopiedPart> {
        let Value::Object(given) = given else { panic!("{given}") };
        CopiedPart::of("select", given)
    }

    #[test]
    fn records_are_chosen_by_ids_or_whole() {
        let chosen = part(json!({
            "pages": [1, "2"], "wiki_pages": "3", "all_quizzes": "1", "files": [4], "course_settings": true,
        }));
        let chosen = chosen.unwrap();
        assert_eq!(
            chosen.records(),
            json!({
                "assignments": { "all": false, "ids": [] }, "quizzes": { "all": true, "ids": [] }, "pages": { "all": false, "ids": [1, 2, 3] },
            })
        );
        assert_eq!(chosen.files(), (BTreeSet::new(), BTreeSet::from([4])));
        assert!(chosen.has_settings() && !chosen.has_all_files());
        assert!(!chosen.skipping(&AnyOf::of(["all_course_settings".to_owned()])).has_settings());
        assert!(part(json!({ "nonsense": [1] })).is_err());
    }

    #[test]
    fn types_are_taken_or_left_out() {
        let only = CopiedPart::only(&[CopiedType::WikiPages, CopiedType::Topics]);
        assert_eq!(only, part(json!({ "all_pages": true })).unwrap());
        let without = CopiedPart::without(&[CopiedType::Files, CopiedType::CourseSettings]);
        assert!(!without.has_all_files() && !without.has_settings() && without.has_no_other_files);
        for kind in ["assignments", "quizzes", "pages"] {
            assert_eq!(without.records()[kind]["all"], true);
        }
    }

    #[test]
    fn folders_come_with_all_below_them_and_the_way_to_them() {
        let folders = [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(2)), (5, Some(4)), (6, Some(3))];
        let places = |chosen: &[i64], files: &[i64]| {
            super::places(&folders, &chosen.iter().copied().collect(), files.iter().copied())
        };
        let whole = |ids: &[i64], way: &[i64]| -> BTreeMap<i64, Place> {
            let whole = ids.iter().map(|id| (*id, Place::Whole));
            whole.chain(way.iter().map(|id| (*id, Place::Way))).collect()
        };
        assert_eq!(places(&[], &[]), whole(&[], &[]));
        assert_eq!(places(&[4], &[]), whole(&[4, 5], &[1, 2]));
        assert_eq!(places(&[2], &[6, 5, 9]), whole(&[2, 4, 5], &[1, 3, 6]));
        assert_eq!(places(&[], &[1]), whole(&[], &[1]));
        assert_eq!(places(&[7], &[5]), whole(&[], &[1, 2, 4, 5]));
    }
}
