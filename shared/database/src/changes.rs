//! A partial update: the fields that a request names, as one bind, merged by SQL into the row as it is.

use serde_json::{Map, Value as JsonValue};
use types::Patch;

use super::{Bind, Json, Value};

/// The columns that a request sets, as one value of JSON. Nothing is read before it is written, so that two requests
/// which name different fields both take effect, whichever comes first.
///
/// In a statement, `ifnull(?n ->> 'name', name)` is the new value of a column that must have one,
/// `iif(json_type(?n, '$.name') IS NULL, name, ?n ->> 'name')` of one that may be null: see [`Changes::nullable`].
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

    /// True if the request names that column.
    pub fn names(&self, column: &str) -> bool {
        self.0.contains_key(column)
    }

    /// True if the request names no column at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The assignment of a column that must have a value: null leaves it as it is. `n` is the number of the bind.
    pub fn required(column: &str, n: usize) -> String {
        format!("{column} = ifnull(?{n} ->> '{column}', {column})")
    }

    /// The assignment of a column that may be null. `n` is the number of the bind.
    pub fn nullable(column: &str, n: usize) -> String {
        format!("{column} = iif(json_type(?{n}, '$.{column}') IS NULL, {column}, ?{n} ->> '{column}')")
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
        assert!(!changes.clone().without("b").names("b"));
        assert_eq!(changes.value(), Value::Text(r#"{"a":"x","b":null}"#.to_owned()));
    }
}
