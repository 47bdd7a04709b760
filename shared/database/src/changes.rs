//! A partial update: the fields that a request names, as one bind, merged by SQL into the row as it is.

use serde_json::{Map, Value as JsonValue};
use types::Patch;

use super::{Bind, Json, Value};

/// The columns that a request sets, as one value of JSON. Nothing is read before it is written, so that two requests
/// which name different fields both take effect, whichever comes first.
///
/// In a statement, `ifnull(?n ->> 'name', name)` is the new value of a column that must have one,
/// `iif(json_type(?n, '$.name') IS NULL, name, ?n ->> 'name')` of one that may be null: see [`Changes::assignments`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes(Map<String, JsonValue>);

impl Changes {
    /// Names a column, unless the request left its field out.
    #[must_use]
    pub fn set(mut self, column: &str, field: Patch<impl Into<JsonValue>>) -> Self {
        if field.is_present() {
            self.0.insert(column.to_owned(), field.into_option().map_or(JsonValue::Null, Into::into));
        }
        self
    }

    /// The same without that column.
    #[must_use]
    pub fn without(mut self, column: &str) -> Self {
        self.0.remove(column);
        self
    }

    /// The text that the request sets a column to.
    pub fn text(&self, column: &str) -> Patch<&str> {
        match self.0.get(column) {
            None => Patch::Absent,
            Some(value) => value.as_str().map_or(Patch::Null, Patch::Value),
        }
    }

    /// True if the request names that column.
    pub fn names(&self, column: &str) -> bool {
        self.0.contains_key(column)
    }

    /// True if the request names no column at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The assignments after `SET`, where the changes are the bind `?n`: of the columns that must have a value, for which
    /// null leaves them as they are, then of those that may be null.
    pub fn assignments(n: usize, required: &[&str], nullable: &[&str]) -> String {
        let required = required.iter().map(|column| format!("{column} = ifnull(?{n} ->> '{column}', {column})"));
        let nullable = nullable.iter().map(|column| {
            format!("{column} = iif(json_type(?{n}, '$.{column}') IS NULL, {column}, ?{n} ->> '{column}')")
        });
        required.chain(nullable).collect::<Vec<_>>().join(", ")
    }
}

impl From<Changes> for JsonValue {
    fn from(Changes(columns): Changes) -> Self {
        columns.into()
    }
}

impl Bind for Changes {
    fn value(self) -> Value {
        Json(self.0).value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tell_null_from_absent() {
        let changes = Changes::default().set("a", Patch::Value("x")).set("b", Patch::<String>::Null);
        let changes = changes.set("c", Patch::<String>::Absent);
        assert!(changes.names("b") && !changes.names("c"));
        assert_eq!(["a", "b", "c"].map(|name| changes.text(name)), [Patch::Value("x"), Patch::Null, Patch::Absent]);
        assert!(!changes.clone().without("b").names("b"));
        assert_eq!(changes.value(), Value::Text(r#"{"a":"x","b":null}"#.to_owned()));
    }

    #[test]
    fn columns_are_assigned_by_whether_they_may_be_null() {
        let assignments = Changes::assignments(2, &["a"], &["b"]);
        let expected = "a = ifnull(?2 ->> 'a', a), b = iif(json_type(?2, '$.b') IS NULL, b, ?2 ->> 'b')";
        assert_eq!(assignments, expected);
    }
}
