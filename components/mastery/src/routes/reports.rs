//! Reports. There is one: how the items of a classroom's assessments were answered.

use serde::Serialize;
use serde_json::{Value, json};
use shared::db::Value as Bound;
use shared::error::OrNotFound;
use shared::params::Params;
use shared::{Context, Endpoint, Error, JsonSchema, Path, Query, Reply, Result, db};

use crate::answer::RecordPath;
use crate::model::reader::Reader;
use crate::resource::{Filter, FilterValue, by};
use crate::store::readings::{Found, Reading};
use crate::store::reports::{self as store, Scored};
use crate::{access, query};

pub(crate) const SCOPE: &str = "reports:read";
const NAME: &str = "item_analysis";

/// Their SQL stands in the report itself: here only their names and values are read.
const FILTERS: &[Filter] = &[
    by("classroom_id", FilterValue::Integer, "classroom_id", "The classroom; it must be given."),
    by("assessment_id", FilterValue::Integer, "assessment_id", "Only the items of this assessment."),
];

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let endpoint = access::endpoint("/api/v2/reports/:report_name", "get_mastery_report", show);
    let endpoint = endpoint.summary("Reads a report: item_analysis").sends(&["application/json"]);
    #[cfg(not(target_arch = "wasm32"))]
    let endpoint = endpoint.query(FILTERS.iter().map(Filter::parameter));
    vec![endpoint]
}

#[derive(Serialize, JsonSchema)]
struct ReportRow {
    question_number: i64,
    item_title: Option<String>,
    standard: Option<String>,
    item_type: Option<&'static str>,
    dok: Option<i64>,
    points: i64,
    /// Of all scored responses, rounded, 0 to 100; 0 when there are none.
    percent_correct: i64,
}

async fn show(cx: Context, Path(path): Path<RecordPath>, params: Query<Params>) -> Result<Reply> {
    let asked = scores(&path, params).map(|reading| ((), reading));
    access::answer(&cx, SCOPE, asked, async |(), reader, found| report(&reader, found)).await
}

fn report(reader: &Reader, found: Found) -> Result<String> {
    found.require_parent(reader, true)?;
    let rows: Vec<Scored> = db::decode_text(&found.data.or_not_found()?)?;
    let rows: Vec<_> = rows.into_iter().map(ReportRow::from).collect();
    let body = json!({
        "data": {
            "report_name": NAME,
            "columns": [
                "question_number", "item_title", "standard", "item_type", "dok", "points", "percent_correct"
            ],
            "rows": rows,
        },
        "meta": {"row_count": rows.len()},
    });
    Ok(Value::to_string(&body))
}

fn scores(path: &RecordPath, params: Query<Params>) -> Result<Reading> {
    if path.get("report_name").is_none_or(|name| name != NAME) {
        return Err(Error::not_found());
    }
    let params = params.into_params()?;
    query::require_known(&["filter"], &params)?;
    let filters = query::filter(FILTERS, params.get("filter"))?;
    let given = |name: &str| match filters.iter().find(|(filter, _)| *filter == name) {
        Some((_, Bound::Integer(id))) => Some(*id),
        _ => None,
    };
    let classroom = given("classroom_id").ok_or_else(|| Error::bad_request("filter[classroom_id] is required"))?;
    store::scores(classroom, given("assessment_id"))
}

impl From<Scored> for ReportRow {
    fn from(item: Scored) -> Self {
        Self {
            question_number: item.position,
            item_title: item.title,
            standard: item.standard,
            item_type: item.item_type.map(label),
            dok: item.dok,
            points: item.points.unwrap_or_default(),
            percent_correct: percent(item.earned, item.possible),
        }
    }
}

/// The name of an item's type, which is a number elsewhere.
fn label(item_type: i64) -> &'static str {
    match item_type {
        1 => "True/False",
        2 => "Constructed response",
        3 => "Multiple choice",
        4 => "Multiple answer",
        5 => "Matching",
        6 => "Ordering",
        7 => "Numeric",
        _ => "Other",
    }
}

/// Rounded to a whole number from 0 to 100, also where more was earned than possible.
fn percent(earned: f64, possible: f64) -> i64 {
    if possible <= 0.0 {
        return 0;
    }
    // Written and read as text, since a float is not simply an integer.
    format!("{:.0}", (100.0 * earned / possible).round().clamp(0.0, 100.0)).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded() {
        assert_eq!(percent(2.0, 3.0), 67);
        assert_eq!(percent(1.0, 8.0), 13);
        assert_eq!((percent(0.0, 0.0), percent(0.0, 5.0), percent(5.0, 5.0)), (0, 0, 100));
        assert_eq!((percent(50.0, 1.0), percent(-3.0, 2.0), percent(1.0, -2.0)), (100, 0, 0));
    }
}
