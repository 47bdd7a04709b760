//! Parameters by which lists are narrowed.

use std::ops::Deref;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use shared::db::{Bind, Json, Value as Column};
use shared::ids::IdOrAlias;
use shared::pagination::Key;
use shared::params::{SearchTerm, coerce};
use shared::{Error, JsonSchema, Result};

/// The most values of one parameter.
const MAX_VALUES: usize = 1000;
/// The fewest characters of a search.
const SHORTEST_SEARCH: usize = 2;

/// A parameter that is given once or as a list: `state=available`, `state[]=available`. Absent, it narrows nothing.
#[derive(Debug, Clone)]
pub(crate) struct AnyOf<T>(Vec<T>);

impl<T> Default for AnyOf<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for AnyOf<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl AnyOf<String> {
    pub(crate) fn names(&self, word: &str) -> bool {
        self.iter().any(|name| name == word)
    }
}

impl<T> AnyOf<T> {
    /// These values.
    pub(crate) fn of(values: impl IntoIterator<Item = T>) -> Self {
        Self(values.into_iter().collect())
    }

    pub(crate) fn or(self, default: impl IntoIterator<Item = T>) -> Self {
        if self.0.is_empty() { Self(default.into_iter().collect()) } else { self }
    }
}

/// Records that a parameter names as paths name them. Of none, it narrows nothing.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Named<Id> {
    ids: Vec<Id>,
    /// The others, each with its prefix: `["sis_user_id", "U1"]`.
    aliases: Vec<[String; 2]>,
}

impl<Id> Default for Named<Id> {
    fn default() -> Self {
        Self { ids: Vec::new(), aliases: Vec::new() }
    }
}

impl<Id: Copy> AnyOf<IdOrAlias<Id>> {
    /// The records that are named, where `own` is what `self` stands for.
    pub(crate) fn named(self, own: Id) -> Named<Id> {
        let mut named = Named::default();
        for one in self.0 {
            match one {
                IdOrAlias::Own => named.ids.push(own),
                IdOrAlias::Id(id) => named.ids.push(id),
                IdOrAlias::Other(prefix, value) => named.aliases.push([prefix, value]),
            }
        }
        named
    }
}

/// As an object of JSON, or null when there is nothing to narrow by.
impl<Id: Serialize> Bind for Named<Id> {
    fn value(self) -> Column {
        if self.ids.is_empty() && self.aliases.is_empty() { Column::Null } else { Json(self).value() }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for AnyOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = match Value::deserialize(deserializer)? {
            Value::Array(values) => values,
            Value::Null => Vec::new(),
            Value::String(text) if text.is_empty() => Vec::new(),
            value => vec![value],
        };
        if values.len() > MAX_VALUES {
            return Err(D::Error::custom(format!("has more than {MAX_VALUES} values")));
        }
        let values: Result<_, _> = values.into_iter().map(coerce::from_value).collect();
        values.map(Self).map_err(D::Error::custom)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> schemars::JsonSchema for AnyOf<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<T>::json_schema(generator)
    }
}

/// As a list of JSON, or null when there is nothing to narrow by.
impl<T: Serialize> Bind for AnyOf<T> {
    fn value(self) -> Column {
        if self.0.is_empty() { Column::Null } else { Json(self.0).value() }
    }
}

/// The direction of a list that is put in order.
#[derive(Debug, Deserialize, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    #[default]
    Asc,
    Desc,
}

impl Direction {
    /// The key of a list that goes by the column `sort_key`, with the id where two rows have the same, or by the id alone.
    pub(crate) fn key(self, has_sort_key: bool) -> Key {
        match (has_sort_key, self) {
            (true, Self::Asc) => Key::ascending(&["sort_key", "id"]),
            (true, Self::Desc) => Key::descending(&["sort_key", "id"]),
            (false, Self::Asc) => Key::ascending(&["id"]),
            (false, Self::Desc) => Key::descending(&["id"]),
        }
    }
}

/// The search term, if there is one.
pub(crate) fn search_term(term: Option<String>) -> Result<Option<SearchTerm>> {
    match SearchTerm::read(term.as_deref())? {
        Some(term) if term.text().chars().count() < SHORTEST_SEARCH => {
            Err(Error::bad_request(format!("search_term of {SHORTEST_SEARCH} or more characters is required")))
        }
        term => Ok(term),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::ids::UserId;

    use super::*;

    #[test]
    fn one_word_and_a_list_are_the_same() {
        for (value, words) in [(json!("a"), vec!["a"]), (json!(["a", "b"]), vec!["a", "b"]), (json!(""), vec![])] {
            let read: AnyOf<String> = coerce::from_value(value).unwrap();
            assert_eq!(*read, words);
        }
        assert!(coerce::from_value::<AnyOf<i64>>(json!(["x"])).is_err());
        assert!(coerce::from_value::<AnyOf<i64>>(json!(vec![1; MAX_VALUES + 1])).is_err());
    }

    #[test]
    fn records_are_named_by_ids_and_otherwise() {
        let read = |value| coerce::from_value::<AnyOf<IdOrAlias<UserId>>>(value);
        let bound = |value| read(value).unwrap().named(UserId(1)).value();
        let named = json!([7, "8", "self", "sis_user_id:a:b", "hex:sis_user_id:41"]);
        let expected = r#"{"ids":[7,8,1],"aliases":[["sis_user_id","a:b"],["sis_user_id","A"]]}"#;
        assert_eq!(bound(named), Column::Text(expected.to_owned()));
        assert_eq!(bound(json!([])), Column::Null);
        assert!(read(json!("x")).is_err());
    }

    #[test]
    fn a_search_needs_two_characters() {
        assert!(search_term(Some("a".to_owned())).is_err());
        assert_eq!(search_term(Some(" ab ".to_owned())).unwrap().unwrap().text(), "ab");
        assert_eq!(search_term(Some(String::new())).unwrap(), None);
    }
}
