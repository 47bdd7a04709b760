//! The part of a course that is copied, exported or imported: a selection by type of content.
//!
//! A type has several names; a selection is a list of ids, a map of `type_7` to 1, or all of a type as `all_<type>`. Ids that
//! are not known are passed over, and what names no type is refused: who means a part is not to get the whole.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use web::params::{self, coerce};

/// A type of content. Lectern has some of them, and others are those of other systems alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    /// Files.
    Attachments,
    /// Folders, with all that is in them.
    Folders,
    /// Pages.
    WikiPages,
    /// Assignments, those of quizzes among them.
    Assignments,
    /// Classic quizzes by their ids, and new ones by those of their assignments.
    Quizzes,
    /// The settings of the course, which are taken as a whole.
    CourseSettings,
    /// Nothing here.
    Announcements,
    /// Nothing here.
    CalendarEvents,
    /// Nothing here.
    DiscussionTopics,
    /// Nothing here.
    ContextModules,
    /// Nothing here.
    ContentTags,
    /// Nothing here.
    ExternalTools,
    /// Nothing here.
    Rubrics,
}

/// The names of the types: the first is that by which clients are told of one.
const NAMES: [(ContentType, &[&str]); 13] = [
    (ContentType::Attachments, &["files", "attachments"]),
    (ContentType::Folders, &["folders"]),
    (ContentType::WikiPages, &["pages", "wiki_pages"]),
    (ContentType::Assignments, &["assignments"]),
    (ContentType::Quizzes, &["quizzes"]),
    (ContentType::CourseSettings, &["course_settings"]),
    (ContentType::Announcements, &["announcements"]),
    (ContentType::CalendarEvents, &["calendar_events"]),
    (ContentType::DiscussionTopics, &["discussion_topics"]),
    (ContentType::ContextModules, &["modules", "context_modules"]),
    (ContentType::ContentTags, &["module_items", "content_tags"]),
    (ContentType::ExternalTools, &["external_tools"]),
    (ContentType::Rubrics, &["rubrics"]),
];

impl ContentType {
    fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
    }

    /// True if Lectern has such content.
    fn is_here(self) -> bool {
        matches!(
            self,
            Self::Attachments
                | Self::Folders
                | Self::WikiPages
                | Self::Assignments
                | Self::Quizzes
                | Self::CourseSettings
        )
    }
}

/// A selection by type; in this form it is kept with the work that waits for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// `None`: everything.
    types: Option<BTreeMap<ContentType, Chosen>>,
}

/// The most ids of all types together: a course whose content is copied or exported has no more records.
const MAX_IDS: usize = 20_000;

/// The selection of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// All there is.
    All,
    /// These.
    Ids(BTreeSet<i64>),
}

impl Selection {
    /// The parameter of that name, blank is everything; or what is wrong with it. Types that are not `offered` are refused like
    /// those that there are not.
    pub fn of(parameter: &str, given: Option<&Value>, offered: impl Fn(ContentType) -> bool) -> Result<Self, String> {
        let types = match given {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Self::default()),
            Some(Value::Object(types)) => types,
            Some(_) => return Err(format!("{parameter} must be a hash")),
        };
        let mut chosen = BTreeMap::new();
        for (given, value) in types.iter().filter(|(name, _)| *name != "everything") {
            let all = given.strip_prefix("all_");
            let place = format!("{parameter}[{}]", shown(given));
            let kind = ContentType::named(all.unwrap_or(given)).filter(|kind| offered(*kind));
            let kind = kind.ok_or_else(|| format!("{place} is no type of content"))?;
            if all.is_some() || kind == ContentType::CourseSettings {
                if flag(&place, Some(value))? {
                    chosen.insert(kind, Chosen::All);
                }
                continue;
            }
            let ids = ids(&place, value)?;
            if let Chosen::Ids(known) = chosen.entry(kind).or_insert_with(Chosen::none) {
                known.extend(ids);
            }
        }
        if chosen.values().map(Chosen::length).sum::<usize>() > MAX_IDS {
            return Err(format!("{parameter} takes {MAX_IDS} ids at most"));
        }
        let everything = flag(&format!("{parameter}[everything]"), types.get("everything"))? || types.is_empty();
        Ok(Self { types: Some(chosen).filter(|_| !everything) })
    }

    /// All of these types, and nothing of others.
    pub fn whole(types: impl IntoIterator<Item = ContentType>) -> Self {
        Self { types: Some(types.into_iter().map(|kind| (kind, Chosen::All)).collect()) }
    }

    /// All of the types that Lectern has but these.
    pub fn without(types: &[ContentType]) -> Self {
        let here = NAMES.iter().map(|(kind, _)| *kind).filter(|kind| kind.is_here());
        Self::whole(here.filter(|kind| !types.contains(kind)))
    }

    /// The types that something was chosen of and of which there is nothing, as clients name them.
    pub fn absent(&self) -> impl Iterator<Item = &'static str> {
        let wanted = |kind: ContentType| self.types.is_some() && self.chosen(kind) != Chosen::none();
        let absent = NAMES.iter().filter(move |(kind, _)| !kind.is_here() && wanted(*kind));
        absent.filter_map(|(_, names)| names.first().copied())
    }

    /// The selection of a type.
    pub fn chosen(&self, kind: ContentType) -> Chosen {
        match &self.types {
            None => Chosen::All,
            Some(types) => types.get(&kind).cloned().unwrap_or_else(Chosen::none),
        }
    }

    /// True if all of that type is chosen.
    pub fn takes_all(&self, kind: ContentType) -> bool {
        self.chosen(kind) == Chosen::All
    }

    /// True if nothing was left out by choice.
    pub fn is_everything(&self) -> bool {
        self.types.is_none()
    }
}

impl Chosen {
    fn none() -> Self {
        Self::Ids(BTreeSet::new())
    }

    fn length(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Ids(ids) => ids.len(),
        }
    }

    /// The ids; `None`: all.
    pub fn ids(self) -> Option<BTreeSet<i64>> {
        match self {
            Self::All => None,
            Self::Ids(ids) => Some(ids),
        }
    }
}

/// True if a parameter says yes; what is left out or blank says no. What says neither is wrong.
pub fn flag(name: &str, given: Option<&Value>) -> Result<bool, String> {
    match given {
        None | Some(Value::Null) => Ok(false),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(false),
        Some(value) => coerce::from_value(value.clone()).map_err(|error| format!("{name} {error}")),
    }
}

/// As much of a name as goes into a message.
fn shown(name: &str) -> String {
    const MAX_NAME_CHARS: usize = 100;
    name.chars().take(MAX_NAME_CHARS).collect()
}

/// The ids of a list, or of the names in a map whose values are true.
fn ids(place: &str, value: &Value) -> Result<Vec<i64>, String> {
    let mut ids = Vec::new();
    match value {
        Value::Array(list) => ids.extend(list.iter().filter_map(id)),
        Value::Object(map) => {
            for (name, value) in map {
                let is_chosen = flag(&format!("{place}[{}]", shown(name)), Some(value))?;
                ids.extend(id_of_name(name).filter(|_| is_chosen));
            }
        }
        one => ids.extend(id(one)),
    }
    Ok(ids)
}

/// An id, or a name such as `quiz_7`.
fn id(value: &Value) -> Option<i64> {
    params::integer(value).or_else(|| id_of_name(value.as_str()?))
}

fn id_of_name(name: &str) -> Option<i64> {
    name.rsplit('_').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: &Value) -> Result<Selection, String> {
        Selection::of("select", Some(given), |_| true)
    }

    fn chosen(given: Value, kind: ContentType) -> Chosen {
        read(&given).unwrap().chosen(kind)
    }

    fn these(ids: &[i64]) -> Chosen {
        Chosen::Ids(ids.iter().copied().collect())
    }

    #[test]
    fn without_a_selection_it_is_everything() {
        assert!(Selection::of("select", None, |_| true).unwrap().is_everything());
        for given in [json!(null), json!({}), json!(" "), json!({ "everything": "1", "pages": [1] })] {
            assert!(read(&given).unwrap().is_everything(), "{given}");
        }
        for given in [json!({ "pages": [] }), json!({ "everything": "0" }), json!({ "all_pages": "0" })] {
            let selection = read(&given).unwrap();
            assert!(!selection.is_everything() && !selection.takes_all(ContentType::WikiPages), "{given}");
        }
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for given in [json!("x"), json!(5), json!(true), json!([1])] {
            assert_eq!(read(&given), Err("select must be a hash".to_owned()), "{given}");
        }
        for (given, place) in [
            (json!({ "everything": "maybe" }), "select[everything]"),
            (json!({ "all_quizzes": "maybe" }), "select[all_quizzes]"),
            (json!({ "course_settings": "maybe" }), "select[course_settings]"),
            (json!({ "quizzes": { "quiz_7": "maybe" } }), "select[quizzes][quiz_7]"),
        ] {
            assert_eq!(read(&given), Err(format!("{place} must be true or false")));
        }
        let many = json!({ "pages": (0..10_001).collect::<Vec<_>>(), "files": (0..10_000).collect::<Vec<_>>() });
        assert_eq!(read(&many), Err("select takes 20000 ids at most".to_owned()));
    }

    #[test]
    fn a_selection_has_several_forms() {
        use ContentType::{Attachments, CourseSettings, Quizzes, WikiPages};
        assert_eq!(chosen(json!({ "quizzes": [1, "2", "quiz_3", "x"] }), Quizzes), these(&[1, 2, 3]));
        assert_eq!(chosen(json!({ "quizzes": { "quiz_7": "1", "quiz_8": "0" } }), Quizzes), these(&[7]));
        assert_eq!(chosen(json!({ "quizzes": "7" }), Quizzes), these(&[7]));
        assert_eq!(chosen(json!({ "all_quizzes": "1", "quizzes": [1] }), Quizzes), Chosen::All);
        assert_eq!(chosen(json!({ "files": [1], "attachments": [2] }), Attachments), these(&[1, 2]));
        assert_eq!(chosen(json!({ "pages": [1] }), WikiPages), these(&[1]));
        for name in ["course_settings", "all_course_settings"] {
            assert_eq!(chosen(json!({ name: "1" }), CourseSettings), Chosen::All);
        }
        assert_eq!(chosen(json!({ "rubrics": [1] }), Quizzes), these(&[]));
    }

    #[test]
    fn what_is_no_type_or_not_offered_is_refused_by_its_name() {
        for name in ["nonsense", "all_nonsense", "all_", "all_of_them"] {
            let refused = Err(format!("select[{name}] is no type of content"));
            assert_eq!(read(&json!({ name: [1], "quizzes": [1] })), refused);
        }
        assert!(read(&json!({ "everything": "1", "nonsense": [1] })).is_err());
        let given = json!({ "pages": [1] });
        assert!(Selection::of("select", Some(&given), |kind| kind != ContentType::WikiPages).is_err());
    }

    #[test]
    fn types_of_which_there_is_nothing_are_told() {
        let absent = |given: Value| read(&given).unwrap().absent().collect::<Vec<_>>();
        let given = json!({ "modules": [1], "all_content_tags": "1", "rubrics": [], "pages": [1] });
        assert_eq!(absent(given), ["modules", "module_items"]);
        assert!(absent(json!({})).is_empty());
    }

    #[test]
    fn whole_types_are_taken_or_left_out() {
        use ContentType::{CourseSettings, Rubrics, WikiPages};
        assert_eq!(Selection::whole([WikiPages]), read(&json!({ "all_pages": true })).unwrap());
        let without = Selection::without(&[CourseSettings, Rubrics]);
        assert!(
            without.takes_all(WikiPages) && !without.takes_all(CourseSettings) && without.absent().next().is_none()
        );
    }

    /// Work that waits was written so by earlier versions, too.
    #[test]
    fn a_selection_is_kept_by_the_names_of_types() {
        for (given, kept) in [
            (json!({}), json!({ "types": null })),
            (
                json!({ "files": [2], "all_pages": "1" }),
                json!({ "types": { "attachments": { "ids": [2] }, "wiki_pages": "all" } }),
            ),
        ] {
            let selection = read(&given).unwrap();
            assert_eq!(json!(selection), kept);
            assert_eq!(serde_json::from_value::<Selection>(kept).unwrap(), selection);
        }
    }
}
