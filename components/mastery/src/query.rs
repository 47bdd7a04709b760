//! The grammar of list parameters: `filter[…]`, `sort`, `page[number]`, `page[size]`.
//!
//! See "Parameters of lists" in `docs/contract/mastery.md`; the words of the errors are not part of the contract.

use serde_json::Value;
use shared::params::Params;
use shared::{Error, Result, Timestamp, db};

use crate::resource::{DEFAULT_SIZE, Filter, FilterValue, MAX_SIZE};

/// The question to a list.
#[derive(Debug, PartialEq)]
pub(crate) struct ListQuery {
    /// The SQL of each filter, in which `?` stands for the value.
    pub(crate) filters: Vec<(&'static str, db::Value)>,
    /// Columns, and whether they descend.
    pub(crate) sorts: Vec<(&'static str, bool)>,
    pub(crate) number: i64,
    pub(crate) size: i64,
}

impl ListQuery {
    /// Reads the parameters of a list with those filters and sortable columns.
    pub(crate) fn read(filters: &[Filter], sorts: &[&'static str], params: &Params) -> Result<Self> {
        require_known(&["filter", "sort", "page"], params)?;
        let (number, size) = page(params.get("page"))?;
        Ok(Self {
            filters: filter(filters, params.get("filter"))?,
            sorts: sort(sorts, params.get("sort"))?,
            number,
            size,
        })
    }
}

fn refusal(detail: impl Into<String>) -> Error {
    Error::bad_request(detail)
}

/// Refuses parameters that the endpoint does not have.
pub(crate) fn require_known(known: &[&str], params: &Params) -> Result<()> {
    match params.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err(refusal(format!("Unknown parameter '{unknown}'"))),
        None => Ok(()),
    }
}

/// The values of a `filter` parameter by name, as those give them that are known.
pub(crate) fn filter(filters: &[Filter], param: Option<&Value>) -> Result<Vec<(&'static str, db::Value)>> {
    let given = match param {
        None => return Ok(Vec::new()),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(refusal("filter must be an object: filter[key]=value")),
    };
    given
        .iter()
        .map(|(name, value)| {
            let filter = filters.iter().find(|filter| filter.name == name);
            let filter = filter.ok_or_else(|| refusal(format!("Unknown filter '{name}'")))?;
            Ok((filter.sql, filter.value.read(name, value)?))
        })
        .collect()
}

impl FilterValue {
    fn read(self, name: &str, value: &Value) -> Result<db::Value> {
        let wrong = |what: &str| refusal(format!("filter[{name}] must be {what}"));
        let text = value.as_str().map(str::trim);
        let truth = |truth: bool| db::Value::Integer(truth.into());
        match self {
            Self::Text => text.map(|text| db::Value::Text(text.to_owned())).ok_or_else(|| wrong("a text")),
            Self::Integer => integer(value).map(db::Value::Integer).ok_or_else(|| wrong("an integer")),
            Self::Boolean => match text {
                Some("true") => Ok(truth(true)),
                Some("false") => Ok(truth(false)),
                _ => Err(wrong("true or false")),
            },
            Self::Moment => text
                .and_then(Timestamp::parse)
                .map(|moment| db::Value::Text(moment.with_milliseconds()))
                .ok_or_else(|| wrong("an ISO 8601 datetime")),
        }
    }
}

fn integer(value: &Value) -> Option<i64> {
    let text = value.as_str()?;
    // Decimal digits alone: no sign in front, nothing around.
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn sort(sorts: &[&'static str], param: Option<&Value>) -> Result<Vec<(&'static str, bool)>> {
    let text = match param {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => text,
        Some(_) => return Err(refusal("sort must be a comma-separated string")),
    };
    let mut order: Vec<(&'static str, bool)> = Vec::new();
    for name in text.split(',').map(str::trim) {
        let (name, descending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
        let column = sorts.iter().find(|column| **column == name);
        let column = column.ok_or_else(|| refusal(format!("Unknown sort '{name}'")))?;
        // What is sorted by already, nothing sorts any further.
        if order.iter().all(|(known, _)| known != column) {
            order.push((column, descending));
        }
    }
    Ok(order)
}

fn page(param: Option<&Value>) -> Result<(i64, i64)> {
    let given = match param {
        None => return Ok((1, DEFAULT_SIZE)),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(refusal("page must be an object: page[number]=1&page[size]=25")),
    };
    if let Some(unknown) = given.keys().find(|name| !matches!(name.as_str(), "number" | "size")) {
        return Err(refusal(format!("Unknown parameter 'page[{unknown}]'")));
    }
    let number = match given.get("number") {
        None => 1,
        Some(value) => integer(value)
            .filter(|number| *number >= 1)
            .ok_or_else(|| refusal("page[number] must be an integer of at least 1"))?,
    };
    let size = match given.get("size") {
        None => DEFAULT_SIZE,
        Some(value) => integer(value)
            .filter(|size| (1..=MAX_SIZE).contains(size))
            .ok_or_else(|| refusal("page[size] must be an integer between 1 and 100"))?,
    };
    Ok((number, size))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::resource::{ARCHIVED, NAME, SCHOOL, UPDATED_SINCE};

    const FILTERS: &[Filter] = &[SCHOOL, ARCHIVED, NAME, UPDATED_SINCE];

    fn read(params: Value) -> Result<ListQuery> {
        ListQuery::read(FILTERS, &["title", "created_at"], params.as_object().unwrap())
    }

    #[test]
    fn what_is_given_is_read() {
        let query = read(json!({
            "filter": {"school_id": "7", "archived": "false"}, "sort": "-created_at,title",
            "page": {"number": "3", "size": "100"},
        }));
        let query = query.unwrap();
        assert_eq!(query.sorts, [("created_at", true), ("title", false)]);
        assert_eq!((query.number, query.size, query.filters.len()), (3, 100, 2));
        let query = read(json!({"filter": {"updated_since": "2026-03-04T05:06:07.08Z"}})).unwrap();
        assert_eq!(query.filters, [("r.updated_at >= ?", db::Value::Text("2026-03-04T05:06:07.080Z".to_owned()))]);
    }

    #[test]
    fn everything_else_is_refused() {
        for params in [
            json!({"foo": "1"}),
            json!({"filters": {"school_id": "7"}}),
            json!({"page": {"number": "1", "limit": "5"}}),
            json!({"filter": "abc"}),
            json!({"filter": ["a"]}),
            json!({"filter": {"student_id": "1"}}),
            json!({"filter": {"school_id": "x"}}),
            json!({"filter": {"school_id": {"a": "1"}}}),
            json!({"filter": {"school_id": "99999999999999999999"}}),
            json!({"filter": {"archived": "1"}}),
            json!({"filter": {"updated_since": "yesterday"}}),
            json!({"sort": ["title"]}),
            json!({"sort": "title,"}),
            json!({"sort": "--title"}),
            json!({"sort": "id"}),
            json!({"page": "2"}),
            json!({"page": {"number": "0"}}),
            json!({"page": {"number": "1.5"}}),
            json!({"page": {"number": ""}}),
            json!({"page": {"size": "101"}}),
            json!({"page": {"size": "0"}}),
            json!({"page": {"size": "+5"}}),
        ] {
            assert!(read(params.clone()).is_err(), "{params}");
        }
    }

    proptest! {
        #[test]
        fn pages_are_numbers_within_their_bounds(number in any::<i64>(), size in any::<i64>()) {
            let page = json!({"page": {"number": number.to_string(), "size": size.to_string()}});
            let fits = number >= 1 && (1..=100).contains(&size);
            prop_assert_eq!(read(page).is_ok(), fits);
        }

        #[test]
        fn no_text_makes_it_panic_or_reach_the_sql(key in ".*", value in ".*", sort in ".*") {
            if let Ok(query) = read(json!({"filter": {key.clone(): value}, "sort": sort})) {
                prop_assert!(FILTERS.iter().any(|filter| filter.name == key));
                prop_assert!(query.sorts.iter().all(|(column, _)| matches!(*column, "title" | "created_at")));
            }
        }
    }
}
