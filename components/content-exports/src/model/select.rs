//! The part of a course that is exported: a selection by type of content.
//!
//! The types stand in `docs/contract/content-exports.md`. A type has several names; a selection is a list of ids, a map
//! of `type_7` to 1, or all of a type as `all_<type>`. Another type is refused, and ids that are not known are passed over.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::params::{self, coerce};

/// Types of which there is something.
const TYPES: [&str; 5] = ["attachments", "folders", "wiki_pages", "assignments", "quizzes"];
/// Types that other systems have, as clients name them and as they are named here.
const ABSENT_TYPES: [(&str, &str); 6] = [
    ("announcements", "announcements"),
    ("calendar_events", "calendar_events"),
    ("discussion_topics", "discussion_topics"),
    ("modules", "context_modules"),
    ("module_items", "content_tags"),
    ("rubrics", "rubrics"),
];

/// The selection that is exported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Selection {
    /// `None`: everything.
    types: Option<BTreeMap<String, Chosen>>,
}

/// The most ids of all types together: a course whose content is copied or exported has no more records.
const MAX_IDS: usize = 20_000;

/// The selection of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Chosen {
    /// All there is.
    All,
    /// These.
    Ids(BTreeSet<i64>),
}

impl Selection {
    /// The parameter `select`, blank is everything; or what is wrong with it.
    pub(crate) fn of(select: Option<&Value>) -> Result<Self, String> {
        let types = match select {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Self::default()),
            Some(Value::Object(types)) => types,
            Some(_) => return Err("select must be a hash".to_owned()),
        };
        let mut chosen = BTreeMap::new();
        for (given, value) in types.iter().filter(|(name, _)| *name != "everything") {
            let all = given.strip_prefix("all_");
            let name = canonical(all.unwrap_or(given)).to_owned();
            let place = format!("select[{}]", shown(given));
            if !TYPES.contains(&name.as_str()) && !ABSENT_TYPES.iter().any(|(_, absent)| *absent == name) {
                return Err(format!("{place} is no type of content"));
            }
            match all {
                Some(_) if flag(&place, Some(value))? => drop(chosen.insert(name, Chosen::All)),
                Some(_) => {}
                None => {
                    let ids = ids(&place, value)?;
                    if let Chosen::Ids(known) = chosen.entry(name).or_insert_with(|| Chosen::Ids(BTreeSet::new())) {
                        known.extend(ids);
                    }
                }
            }
        }
        let number = |chosen: &Chosen| if let Chosen::Ids(ids) = chosen { ids.len() } else { 0 };
        if chosen.values().map(number).sum::<usize>() > MAX_IDS {
            return Err(format!("select takes {MAX_IDS} ids at most"));
        }
        let is_everything = flag("select[everything]", types.get("everything"))? || types.is_empty();
        Ok(Self { types: Some(chosen).filter(|_| !is_everything) })
    }

    /// The types that something was chosen of and of which there is nothing, as clients name them.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &'static str> {
        let chosen = |name: &str| self.types.as_ref().and_then(|types| types.get(name));
        let is_wanted = move |name: &str| match chosen(name) {
            None => false,
            Some(Chosen::All) => true,
            Some(Chosen::Ids(ids)) => !ids.is_empty(),
        };
        ABSENT_TYPES.iter().filter(move |(_, name)| is_wanted(name)).map(|(shown, _)| *shown)
    }

    /// The selection of a type, by its own name.
    pub(crate) fn chosen(&self, name: &str) -> Chosen {
        match &self.types {
            None => Chosen::All,
            Some(types) => types.get(name).cloned().unwrap_or_else(|| Chosen::Ids(BTreeSet::new())),
        }
    }

    /// True if nothing was left out by choice.
    pub(crate) fn is_everything(&self) -> bool {
        self.types.is_none()
    }
}

impl Chosen {
    /// The ids as a list; `None`: all.
    pub(crate) fn ids(&self) -> Option<Vec<i64>> {
        match self {
            Self::All => None,
            Self::Ids(ids) => Some(ids.iter().copied().collect()),
        }
    }
}

/// True if a parameter says yes; what is left out or blank says no. What says neither is wrong.
pub(crate) fn flag(name: &str, given: Option<&Value>) -> Result<bool, String> {
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

/// Every type has one name here.
fn canonical(name: &str) -> &str {
    match name {
        "files" => "attachments",
        "pages" => "wiki_pages",
        "modules" => "context_modules",
        "module_items" => "content_tags",
        other => other,
    }
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

    fn chosen(select: Value, name: &str) -> Chosen {
        Selection::of(Some(&select)).unwrap().chosen(name)
    }

    fn these(ids: &[i64]) -> Chosen {
        Chosen::Ids(ids.iter().copied().collect())
    }

    #[test]
    fn without_a_selection_everything_is_exported() {
        for select in [None, Some(json!(null)), Some(json!({})), Some(json!(" ")), Some(json!({ "everything": "1" }))] {
            assert!(Selection::of(select.as_ref()).unwrap().is_everything(), "{select:?}");
        }
    }

    /// A client that means a part of a course is not to get the whole of it.
    #[test]
    fn what_is_no_selection_is_refused() {
        for select in [json!("x"), json!(5), json!(true), json!([1])] {
            assert_eq!(Selection::of(Some(&select)), Err("select must be a hash".to_owned()), "{select}");
        }
        for (select, place) in [
            (json!({ "everything": "maybe" }), "select[everything]"),
            (json!({ "all_quizzes": "maybe" }), "select[all_quizzes]"),
            (json!({ "quizzes": { "quiz_7": "maybe" } }), "select[quizzes][quiz_7]"),
        ] {
            assert_eq!(Selection::of(Some(&select)), Err(format!("{place} must be true or false")));
        }
    }

    #[test]
    fn a_selection_has_several_forms() {
        assert_eq!(chosen(json!({ "quizzes": [1, "2", "quiz_3", "x"] }), "quizzes"), these(&[1, 2, 3]));
        assert_eq!(chosen(json!({ "quizzes": { "quiz_7": "1", "quiz_8": "0" } }), "quizzes"), these(&[7]));
        assert_eq!(chosen(json!({ "quizzes": "7" }), "quizzes"), these(&[7]));
        assert_eq!(chosen(json!({ "all_quizzes": "1", "quizzes": [1] }), "quizzes"), Chosen::All);
        assert_eq!(chosen(json!({ "files": [1], "attachments": [2] }), "attachments"), these(&[1, 2]));
        assert_eq!(chosen(json!({ "pages": [1] }), "wiki_pages"), these(&[1]));
    }

    #[test]
    fn what_is_not_selected_is_left_out() {
        assert_eq!(chosen(json!({ "assignments": [] }), "assignments"), these(&[]));
        assert_eq!(chosen(json!({ "rubrics": [1] }), "quizzes"), these(&[]));
    }

    #[test]
    fn what_is_no_type_is_refused_by_its_name() {
        for name in ["nonsense", "all_nonsense", "all_", "all_of_them"] {
            let refused = Err(format!("select[{name}] is no type of content"));
            assert_eq!(Selection::of(Some(&json!({ name: [1], "quizzes": [1] }))), refused);
        }
        assert!(Selection::of(Some(&json!({ "everything": "1", "nonsense": [1] }))).is_err());
        assert!(Selection::of(Some(&json!({ "everything": "0", "pages": [1] }))).is_ok());
    }

    #[test]
    fn types_of_which_there_is_nothing_are_told() {
        let absent = |select: Value| Selection::of(Some(&select)).unwrap().absent().collect::<Vec<_>>();
        let select = json!({ "modules": [1], "all_content_tags": "1", "rubrics": [], "pages": [1] });
        assert_eq!(absent(select), ["modules", "module_items"]);
        assert!(absent(json!({})).is_empty());
    }
}
