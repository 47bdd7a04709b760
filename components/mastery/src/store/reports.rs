//! The SQL of reports.

use serde::Deserialize;
use shared::db::Binds;
use shared::{Result, accounts_above, db};

use crate::store::readings::{Reading, SCHOOL_OF_CLASSROOM, school_row};

/// An item with the points of all responses to it.
#[derive(Deserialize)]
pub(crate) struct Scored {
    pub(crate) position: i64,
    pub(crate) title: Option<String>,
    pub(crate) standard: Option<String>,
    pub(crate) item_type: Option<i64>,
    pub(crate) dok: Option<i64>,
    pub(crate) points: Option<i64>,
    pub(crate) earned: f64,
    pub(crate) possible: f64,
}

/// The items of the classroom's assessments with their scores, a list of [`Scored`]: those that were loaded, and those of this
/// service's own quizzes, of which each student's last finished attempt counts; answers that nobody has read yet do not.
/// Nothing where the district lacks the classroom, or that the assessment.
pub(crate) fn scores(classroom: i64, assessment: Option<i64>) -> Result<Reading> {
    let object = db::json_object::<Scored>()?;
    Ok(Reading {
        parent: Some(school_row(SCHOOL_OF_CLASSROOM)),
        data: format!(
            "CASE WHEN EXISTS ({SCHOOL_OF_CLASSROOM})
                 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM mastery_assessments WHERE id = ?2 AND classroom_id = ?1))
             THEN (SELECT json_group_array({object}) FROM ({SCORES})) END"
        ),
        values: (classroom, assessment).values(),
        ..Reading::default()
    })
}

const SCORES: &str = concat!(
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
             JOIN courses c ON c.id = q.course_id AND (SELECT district_id FROM mastery_classrooms WHERE id = ?1) IN ",
    accounts_above!("c.account_id"),
    "
             JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id AND v.attempt = (
                 SELECT max(attempt) FROM quiz_submission_versions WHERE quiz_submission_id = q.id),
                  json_each(v.questions) asked
             WHERE q.quiz_id IN (SELECT quiz_id FROM mastery_assessments WHERE classroom_id = ?1)
               AND v.answers -> CAST(asked.value ->> 'id' AS TEXT) ->> 'points' IS NOT NULL
             GROUP BY q.quiz_id, asked.value ->> 'id'
         ) own ON own.quiz_id = a.quiz_id AND own.question_id = i.question_id
         WHERE a.classroom_id = ?1 AND (?2 IS NULL OR a.id = ?2)
         ORDER BY a.id, i.position, i.id"
);
