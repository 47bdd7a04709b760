//! Reports. There is one: how the items of a classroom's assessments were answered.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::db::Value as Bound;
use shared::error::OrNotFound;
use shared::ids::AccountId;
use shared::params::Params;
use shared::{Context, Db, Endpoint, Error, JsonSchema, Path, Query, Reply, Result, db};

use crate::answer::RecordPath;
use crate::resource::{Filter, FilterValue, by};
use crate::{access, query, store};

pub(crate) const SCOPE: &str = "reports:read";
const NAME: &str = "item_analysis";

/// Their SQL stands in the report itself: here only their names and values are read.
const FILTERS: &[Filter] = &[
    by("classroom_id", FilterValue::Integer, "classroom_id"),
    by("assessment_id", FilterValue::Integer, "assessment_id"),
];

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let endpoint = access::endpoint("/api/v2/reports/:report_name", "get_mastery_report", show);
    let endpoint = endpoint.summary("Reads a report: item_analysis");
    #[cfg(not(target_arch = "wasm32"))]
    let endpoint = endpoint.query(FILTERS.iter().map(|filter| (format!("filter[{}]", filter.name), "integer")));
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
    /// Of all scored responses, rounded; 0 when there are none.
    percent_correct: i64,
}

/// What a row is made of.
#[derive(Deserialize)]
struct Scored {
    position: i64,
    title: Option<String>,
    standard: Option<String>,
    item_type: Option<i64>,
    dok: Option<i64>,
    points: Option<i64>,
    earned: f64,
    possible: f64,
}

async fn show(cx: Context, Path(path): Path<RecordPath>, params: Query<Params>) -> Result<Reply> {
    let reader = access::reader(&cx, SCOPE).await?;
    if path.get("report_name").is_none_or(|name| name != NAME) {
        return Err(Error::not_found());
    }
    let filters = query::filter(FILTERS, params.into_params().get("filter"))?;
    let given = |name: &str| match filters.iter().find(|(filter, _)| *filter == name) {
        Some((_, Bound::Integer(id))) => Some(*id),
        _ => None,
    };
    let classroom = given("classroom_id").ok_or_else(|| Error::bad_request("filter[classroom_id] is required"))?;
    let sql = "SELECT school_id AS school FROM mastery_classrooms WHERE id = ?2 AND district_id = ?1";
    let found = store::parent(&cx.db, sql, reader.district, classroom).await?.or_not_found()?;
    reader.require_school(found.school)?;
    let assessment = given("assessment_id");
    if let Some(assessment) = assessment {
        let sql = "SELECT NULL AS school FROM mastery_assessments WHERE id = ?2 AND classroom_id = ?1";
        store::parent(&cx.db, sql, AccountId(classroom), assessment).await?.or_not_found()?;
    }
    let rows = scores(&cx.db, classroom, assessment).await?;
    let rows: Vec<_> = rows.into_iter().map(Scored::row).collect();
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
    Ok(reader.tell(Reply::bytes("application/json; charset=utf-8", Value::to_string(&body))))
}

/// The items of the classroom's assessments with their scores: those that were loaded, and those of this service's own
/// quizzes, of which each student's last finished attempt counts; answers that nobody has read yet do not.
async fn scores(db: &Db, classroom: i64, assessment: Option<i64>) -> db::Result<Vec<Scored>> {
    db.fetch_all(
        "SELECT i.position, i.title, o.name AS standard, i.item_type, i.dok, i.points,
                ifnull(loaded.earned, 0.0) + ifnull(own.earned, 0.0) AS earned,
                ifnull(loaded.possible, 0.0) + ifnull(own.possible, 0.0) AS possible
         FROM mastery_assessments a
         JOIN mastery_items i ON i.material_id = a.material_id
         LEFT JOIN mastery_objectives o ON o.id = i.objective_id
         LEFT JOIN (
             SELECT s.assessment_id, s.item_id, sum(s.points_earned) AS earned, sum(s.points_possible) AS possible
             FROM mastery_item_scores s
             WHERE s.assessment_id IN (SELECT id FROM mastery_assessments WHERE classroom_id = ?1)
             GROUP BY s.assessment_id, s.item_id
         ) loaded ON loaded.assessment_id = a.id AND loaded.item_id = i.id
         LEFT JOIN (
             SELECT q.quiz_id, asked.value ->> 'id' AS question_id,
                    sum(v.answers -> CAST(asked.value ->> 'id' AS TEXT) ->> 'points') AS earned,
                    sum(asked.value ->> 'points_possible') AS possible
             FROM quiz_submissions q
             JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id AND v.attempt = (
                 SELECT max(attempt) FROM quiz_submission_versions WHERE quiz_submission_id = q.id),
                  json_each(v.questions) asked
             WHERE q.quiz_id IN (SELECT quiz_id FROM mastery_assessments WHERE classroom_id = ?1)
               AND v.answers -> CAST(asked.value ->> 'id' AS TEXT) ->> 'points' IS NOT NULL
             GROUP BY q.quiz_id, asked.value ->> 'id'
         ) own ON own.quiz_id = a.quiz_id AND own.question_id = i.question_id
         WHERE a.classroom_id = ?1 AND (?2 IS NULL OR a.id = ?2)
         ORDER BY a.id, i.position, i.id",
        (classroom, assessment),
    )
    .await
}

impl Scored {
    fn row(self) -> ReportRow {
        ReportRow {
            question_number: self.position,
            item_title: self.title,
            standard: self.standard,
            item_type: self.item_type.map(label),
            dok: self.dok,
            points: self.points.unwrap_or_default(),
            percent_correct: percent(self.earned, self.possible),
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

/// Rounded to a whole number: 0 to 100, or more where more was earned than possible.
fn percent(earned: f64, possible: f64) -> i64 {
    if possible <= 0.0 {
        return 0;
    }
    // Written and read as text, since a float is not simply an integer.
    format!("{:.0}", (100.0 * earned / possible).round()).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded() {
        assert_eq!(percent(2.0, 3.0), 67);
        assert_eq!(percent(1.0, 8.0), 13);
        assert_eq!((percent(0.0, 0.0), percent(0.0, 5.0), percent(5.0, 5.0)), (0, 0, 100));
    }
}
