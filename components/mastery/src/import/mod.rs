//! The records that can be loaded: one declaration for each kind of record, from which validation and SQL follow.

pub(crate) mod case;
pub(crate) mod document;
pub(crate) mod oneroster;
mod tables;

use serde_json::{Map, Value};
use shared::Timestamp;
use shared::params::coerce;

pub(crate) use crate::import::tables::TABLES;

/// A kind of record that is loaded.
pub(crate) struct Table {
    /// Its name in a document.
    pub(crate) name: &'static str,
    /// Its table.
    pub(crate) table: &'static str,
    pub(crate) columns: &'static [Column],
}

/// A field of a record, and its column.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Without which there is no record.
    pub(crate) required: bool,
    /// The value of a new record without it, as SQL.
    pub(crate) default: &'static str,
}

/// The content of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    /// Points of a response, with fractions: none below 0.
    Points,
    Boolean,
    /// The `id` of a record of that table, which was loaded before.
    Reference(&'static str),
    /// The id of a record of this service, found by that SQL: `{id}` is the value, `z` the quiz that it belongs to.
    Own(&'static str),
    /// The id of another account of the district's institution.
    District,
}

/// A record to load, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) place: usize,
    pub(crate) fields: Map<String, Value>,
}

/// How records of a kind are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// True if records that are not there are made.
    pub(crate) new: bool,
    /// Fields that only a new record gets: those of a record that is there stay.
    pub(crate) once: &'static [&'static str],
}

impl Manner {
    /// What is there is changed, and what is not is made.
    pub(crate) const WHOLE: Self = Self { new: true, once: &[] };
    /// Only what is there is changed.
    pub(crate) const KNOWN: Self = Self { new: false, once: &[] };
}

/// A record that cannot be loaded, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) place: usize,
    pub(crate) message: String,
}

impl Table {
    /// The record as it is stored, with what it has of its fields. One that is there already needs no more than its id.
    pub(crate) fn read(&self, entry: &Entry, new: bool) -> Result<Map<String, Value>, Problem> {
        let problem = |message: String| Problem { place: entry.place, message };
        let id = entry.fields.get("id").and_then(text).ok_or_else(|| problem("id is missing".to_owned()))?;
        if has_nul(&id) {
            return Err(problem(format!("id {NUL}")));
        }
        let mut fields = Map::from_iter([("id".to_owned(), Value::String(id))]);
        for column in self.columns {
            match entry.fields.get(column.name) {
                None if column.required && new => return Err(problem(format!("{} is missing", column.name))),
                None => {}
                Some(value) => {
                    let read = column.kind.read(value).map_err(|what| problem(format!("{} {what}", column.name)))?;
                    if read.is_null() && column.required {
                        return Err(problem(format!("{} is missing", column.name)));
                    }
                    fields.insert(column.name.to_owned(), read);
                }
            }
        }
        for name in ["created_at", "updated_at"] {
            if let Some(given) = entry.fields.get(name).and_then(text) {
                let moment = Timestamp::parse(&given);
                let moment = moment.ok_or_else(|| problem(format!("{name} is not an ISO 8601 date and time")))?;
                fields.insert(name.to_owned(), Value::String(moment.with_milliseconds()));
            }
        }
        Ok(fields)
    }
}

impl Kind {
    /// The value as it is stored; a blank is none.
    fn read(self, value: &Value) -> Result<Value, &'static str> {
        let blank = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        if blank {
            return Ok(Value::Null);
        }
        match self {
            Self::Text | Self::Reference(_) => {
                let text = text(value).ok_or("is not a text")?;
                if has_nul(&text) { Err(NUL) } else { Ok(Value::String(text)) }
            }
            // Numbers are added up: no sum of what is let in here overflows.
            Self::Integer => {
                coerce::from_value::<i32>(value.clone()).map(Value::from).map_err(|_no| "is not an integer")
            }
            Self::Own(_) | Self::District => {
                coerce::from_value::<i64>(value.clone()).map(Value::from).map_err(|_no| "is not an integer")
            }
            Self::Points => {
                let points = coerce::from_value::<f64>(value.clone()).ok();
                let points = points.filter(|points| points.abs() <= f64::from(i32::MAX)).ok_or("is not a number")?;
                if points < 0.0 { Err("is less than 0") } else { Ok(Value::from(points)) }
            }
            Self::Boolean => {
                let truth = coerce::from_value::<bool>(value.clone()).map_err(|_no| "is not true or false")?;
                Ok(Value::from(i64::from(truth)))
            }
        }
    }
}

/// What is wrong with a text that has one.
const NUL: &str = "has a NUL character";

fn has_nul(text: &str) -> bool {
    text.contains('\0')
}

/// A text, or a number written as one.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(table: &str, fields: Value) -> Result<Map<String, Value>, Problem> {
        let table = TABLES.iter().find(|one| one.name == table).unwrap();
        let entry = Entry { place: 3, fields: fields.as_object().unwrap().clone() };
        table.read(&entry, true)
    }

    #[test]
    fn a_record_is_read_with_its_types() {
        let fields = json!({
            "id": 7, "title": "A", "school_id": "s1", "archived": "true", "other": 1, "created_at": "1970-01-01T00:00:00Z",
        });
        let record = read("classrooms", fields).unwrap();
        let expected = json!({
            "id": "7", "title": "A", "school_id": "s1", "archived": 1, "created_at": "1970-01-01T00:00:00.000Z",
        });
        assert_eq!(Value::Object(record), expected);
    }

    #[test]
    fn no_number_is_so_great_that_sums_overflow() {
        let item =
            |points: Value| read("items", json!({"id": "1", "material_id": "m", "position": 1, "points": points}));
        assert!(item(json!(i32::MAX)).is_ok());
        for points in [json!(i64::MAX), json!(1e300), json!(1.5), json!("99999999999")] {
            assert_eq!(item(points).unwrap_err().message, "points is not an integer");
        }
        let score =
            json!({"id": "1", "assessment_id": "a", "item_id": "i", "points_earned": 1e308, "points_possible": 1});
        assert_eq!(read("item_scores", score).unwrap_err().message, "points_earned is not a number");
    }

    #[test]
    fn points_of_a_response_are_0_or_more() {
        let score = |earned: Value, possible: Value| {
            let score = json!({"id": "1", "assessment_id": "a", "item_id": "i"});
            let mut score = score.as_object().unwrap().clone();
            score.extend([("points_earned".to_owned(), earned), ("points_possible".to_owned(), possible)]);
            read("item_scores", Value::Object(score)).map_err(|problem| problem.message)
        };
        for (earned, possible) in [(json!(0), json!(0)), (json!(50), json!(1)), (json!("0.5"), Value::Null)] {
            assert!(score(earned, possible).is_ok());
        }
        for negative in [json!(-3), json!("-0.5")] {
            assert_eq!(score(negative.clone(), json!(2)).unwrap_err(), "points_earned is less than 0");
            assert_eq!(score(json!(1), negative).unwrap_err(), "points_possible is less than 0");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (fields, message) in [
            (json!({"title": "A"}), "id is missing"),
            (json!({"id": "1"}), "title is missing"),
            (json!({"id": "1", "title": " "}), "title is missing"),
            (json!({"id": "1", "title": "A", "archived": "perhaps"}), "archived is not true or false"),
            (json!({"id": "1", "title": []}), "title is not a text"),
            (json!({"id": "1", "title": "a\u{0}b"}), "title has a NUL character"),
            (json!({"id": "1\u{0}", "title": "A"}), "id has a NUL character"),
            (json!({"id": "1", "title": "A", "school_id": "\u{0}1"}), "school_id has a NUL character"),
            (json!({"id": "1", "title": "A", "created_at": "then"}), "created_at is not an ISO 8601 date and time"),
        ] {
            let problem = read("classrooms", fields).unwrap_err();
            assert_eq!((problem.place, problem.message.as_str()), (3, message));
        }
    }
}
