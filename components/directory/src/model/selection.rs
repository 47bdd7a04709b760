//! The part of a course that is copied.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::params::{Params, coerce};
use shared::{Error, JsonSchema, Result};

use crate::model::filters::AnyOf;

/// Types that other systems have, and of which nothing is here to be copied.
const ABSENT_TYPES: [&str; 9] = [
    "announcements",
    "calendar_events",
    "content_tags",
    "context_modules",
    "discussion_topics",
    "external_tools",
    "module_items",
    "modules",
    "rubrics",
];
const SETTINGS: &str = "course_settings";

/// What is copied of a type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Chosen {
    pub(crate) all: bool,
    pub(crate) ids: Vec<i64>,
}

/// What is copied of a course.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Selection {
    /// Those of quizzes among them.
    assignments: Chosen,
    /// Classic ones by their ids, and new ones by those of their assignments.
    quizzes: Chosen,
    pages: Chosen,
    pub(crate) files: Chosen,
    /// With all that is in them.
    pub(crate) folders: Chosen,
    #[serde(skip)]
    pub(crate) has_settings: bool,
    /// True if who may see the course stays as it is, whatever settings come.
    #[serde(skip)]
    pub(crate) keeps_visibility: bool,
    /// True if files stay behind that texts refer to.
    #[serde(skip)]
    pub(crate) has_no_other_files: bool,
}

/// A type of content at the older address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentType {
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

impl Selection {
    /// All of the course.
    pub(crate) fn everything() -> Self {
        let all = Chosen { all: true, ids: Vec::new() };
        Self {
            assignments: all.clone(),
            quizzes: all.clone(),
            pages: all.clone(),
            files: all.clone(),
            folders: all,
            has_settings: true,
            keeps_visibility: false,
            has_no_other_files: false,
        }
    }

    /// The parameter of that name: types of content, each with ids, or as `all_<type>` with a yes; one that is empty asks for
    /// everything. 400 where it names no type.
    pub(crate) fn of(parameter: &str, given: Params) -> Result<Self> {
        let (mut chosen, mut is_everything) = (Self::default(), given.is_empty());
        for (name, value) in given {
            let place = format!("{parameter}[{name}]");
            let refused = |error: coerce::Error| Error::bad_request(error.to_string());
            let whole = name.strip_prefix("all_").or_else(|| Some(name.as_str()).filter(|name| *name == SETTINGS));
            if name == "everything" {
                is_everything = coerce::from_named_value(&place, value).map_err(refused)?;
            } else if let Some(kind) = whole {
                let is_wanted: bool = coerce::from_named_value(&place, value).map_err(refused)?;
                chosen.add(kind, &place, Chosen { all: is_wanted, ids: Vec::new() })?;
            } else {
                let ids: AnyOf<i64> = coerce::from_named_value(&place, value).map_err(refused)?;
                chosen.add(&name, &place, Chosen { all: false, ids: ids.to_vec() })?;
            }
        }
        Ok(if is_everything { Self::everything() } else { chosen })
    }

    fn add(&mut self, kind: &str, place: &str, more: Chosen) -> Result<()> {
        let chosen = match kind {
            "assignments" => &mut self.assignments,
            "quizzes" => &mut self.quizzes,
            "pages" | "wiki_pages" => &mut self.pages,
            "files" | "attachments" => &mut self.files,
            "folders" => &mut self.folders,
            SETTINGS => {
                self.has_settings |= more.all;
                return Ok(());
            }
            absent if ABSENT_TYPES.contains(&absent) => return Ok(()),
            _ => return Err(Error::bad_request(format!("{place} is no type of content"))),
        };
        chosen.all |= more.all;
        chosen.ids.extend(more.ids);
        Ok(())
    }

    /// The same without what these words leave out, of which others are passed over.
    pub(crate) fn skipping(mut self, skipped: &AnyOf<String>) -> Self {
        self.has_settings &= !skipped.names("all_course_settings");
        self.keeps_visibility |= skipped.names("visibility_settings");
        self
    }

    /// These types alone.
    pub(crate) fn only(types: &[ContentType]) -> Self {
        let mut chosen = Self::default();
        chosen.set(types, true);
        chosen
    }

    /// All but these types.
    pub(crate) fn without(types: &[ContentType]) -> Self {
        let mut chosen = Self::everything();
        chosen.set(types, false);
        chosen.has_no_other_files = types.contains(&ContentType::Files);
        chosen
    }

    fn set(&mut self, types: &[ContentType], all: bool) {
        for kind in types {
            match kind {
                ContentType::CourseSettings => self.has_settings = all,
                ContentType::Assignments => self.assignments.all = all,
                ContentType::Quizzes => self.quizzes.all = all,
                ContentType::WikiPages => self.pages.all = all,
                ContentType::Files => (self.files.all, self.folders.all) = (all, all),
                ContentType::ExternalTools
                | ContentType::Topics
                | ContentType::CalendarEvents
                | ContentType::Modules
                | ContentType::Outcomes => {}
            }
        }
    }

    /// True if all files are copied, in all their folders.
    pub(crate) fn has_all_files(&self) -> bool {
        self.files.all || self.folders.all
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
    use serde_json::{Value, json};

    use super::*;

    fn selection(given: Value) -> Result<Selection> {
        let Value::Object(given) = given else { panic!("{given}") };
        Selection::of("select", given)
    }

    #[test]
    fn types_are_chosen_by_ids_or_whole() {
        let chosen = selection(json!({
            "pages": [1, "2"], "wiki_pages": "3", "all_quizzes": "1", "all_assignments": false, "modules": [4], "course_settings": true,
        }));
        let chosen = chosen.unwrap();
        assert_eq!(chosen.pages, Chosen { all: false, ids: vec![1, 2, 3] });
        assert_eq!((chosen.quizzes.all, chosen.assignments.all, chosen.has_settings), (true, false, true));
        assert_eq!(chosen.files, Chosen::default());
    }

    #[test]
    fn an_empty_one_asks_for_everything_and_an_empty_list_for_nothing() {
        for given in [json!({}), json!({ "everything": "true", "pages": [1] })] {
            assert_eq!(selection(given).unwrap(), Selection::everything());
        }
        for given in [json!({ "pages": [] }), json!({ "everything": "0" }), json!({ "rubrics": [1] })] {
            assert_eq!(selection(given).unwrap(), Selection::default());
        }
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for given in [
            json!({ "nonsense": [1] }),
            json!({ "all_nonsense": true }),
            json!({ "all_pages": "maybe" }),
            json!({ "everything": "maybe" }),
            json!({ "pages": ["x"] }),
            json!({ "pages": { "page_1": "1" } }),
            json!({ "pages": vec![1; 1001] }),
        ] {
            assert!(selection(given.clone()).is_err(), "{given}");
        }
    }

    #[test]
    fn types_are_taken_or_left_out() {
        let only = Selection::only(&[ContentType::WikiPages, ContentType::Topics]);
        assert_eq!(only, selection(json!({ "all_pages": true })).unwrap());
        let without = Selection::without(&[ContentType::Files, ContentType::CourseSettings]);
        assert!(!without.has_all_files() && !without.has_settings && without.has_no_other_files);
        assert!(without.pages.all && without.quizzes.all && without.assignments.all);
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
