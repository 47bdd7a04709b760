//! Quizzes as they are about to be taken.

use std::borrow::Cow;

use serde::Deserialize;
use shared::ids::{AssignmentId, CourseId, UserId};
use shared::needs::OfCourse;
use shared::{Db, Result};
use submissions::accommodations::given_sql;
use submissions::student_dates;

use crate::model::quizzes::{QuizOfSessions, QuizToTake};
use questions::size::{QUESTION_BYTES, STIMULUS_BYTES};

/// The number of numbers that a question `q` has for its formula.
pub(super) const VARIANTS: &str = "iif(q.interaction_type_slug = 'formula',
        json_array_length(q.scoring_data, '$.value.generated_solutions'), NULL)";

/// The items of the quiz `a`, as an expression of JSON. Of a bank what is archived is not drawn, and neither are stimuli.
fn items_sql() -> String {
    format!(
        "(SELECT json_group_array(json_object(
              'id', i.id, 'points', i.points_possible, 'question', i.question, 'stimulus', i.stimulus,
              'about', i.stimulus_quiz_entry_id,
              'variants', (SELECT {VARIANTS} FROM question_items q WHERE q.id = i.question),
              'bytes', ifnull((SELECT {QUESTION_BYTES} FROM question_items q WHERE q.id = i.question),
                  (SELECT {STIMULUS_BYTES} FROM stimuli s WHERE s.id = i.stimulus)),
              'entries', json(iif(i.bank_id IS NULL, NULL, (
                  SELECT json_group_array(json_object('id', e.id, 'question', e.question_item_id, 'variants', {VARIANTS},
                      'bytes', {QUESTION_BYTES}))
                  FROM bank_entries e JOIN question_items q ON q.id = e.question_item_id
                  WHERE e.bank_id = i.bank_id AND e.archived = 0))),
              'sample', i.sample_num))
          FROM (SELECT i.id, i.points_possible, i.bank_id, i.sample_num, i.stimulus_quiz_entry_id,
                       ifnull(i.question_item_id, held.question_item_id) AS question,
                       ifnull(i.stimulus_id, held.stimulus_id) AS stimulus
                FROM quiz_items i LEFT JOIN bank_entries held ON held.id = i.bank_entry_id
                WHERE i.assignment_id = a.id ORDER BY i.position) i)"
    )
}

/// The session of the quiz `a` that runs, as an expression.
fn running_sql(user: &str, is_preview: bool) -> String {
    format!(
        "(SELECT s.id FROM quiz_sessions s WHERE s.assignment_id = a.id AND s.user_id = {user}
            AND s.is_preview = {is_preview} AND s.state = 'taking')"
    )
}

/// The quiz `a`, for a user of a course; both are expressions.
fn select(course: &str, user: &str) -> String {
    let given = |column| given_sql(column, course, "a.id", user);
    let attempts = |figure: &str| {
        format!("(SELECT {figure} FROM quiz_attempts t WHERE t.assignment_id = a.id AND t.user_id = {user})")
    };
    format!(
        "SELECT a.id, a.workflow_state = 'published' AS published, {}, n.quiz_settings,
                {} AS taking, {} AS previewing, {} AS attempts_made, {} AS latest_attempt, {} AS latest_attempt_at,
                {} AS attempt_bytes, {} AS extra_time, {} AS extra_attempts, {} AS has_fewer_choices, {} AS items
         FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id",
        student_dates::ASSIGNMENT.columns(Some(user)),
        running_sql(user, false),
        running_sql(user, true),
        attempts("count(*)"),
        attempts("ifnull(max(t.attempt), 0)"),
        attempts("max(t.created_at)"),
        attempts("CAST(total(length(CAST(t.responses AS BLOB))) AS INTEGER)"),
        given("extra_time"),
        given("extra_attempts"),
        given("reduce_choices_enabled"),
        items_sql(),
    )
}

const IS_THERE: &str = "a.workflow_state <> 'deleted'";

impl OfCourse for QuizToTake {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let select = select("course.id", "caller.user_id");
        Ok(format!("{select} WHERE a.id = ?1 AND a.course_id = course.id AND {IS_THERE}").into())
    }
}

/// A quiz whose sessions are listed.
const OF_SESSIONS: &str = "SELECT a.id, a.name AS title, a.workflow_state = 'published' AS published
    FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
    WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'";

impl OfCourse for QuizOfSessions {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(OF_SESSIONS.into())
    }
}

/// The same, as a page names it.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct QuizToGrade(pub(crate) QuizOfSessions);

impl OfCourse for QuizToGrade {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(OF_SESSIONS.into())
    }
}

/// The quiz as it is now for a user of its course.
pub(crate) async fn to_take(db: &Db, course: CourseId, quiz: AssignmentId, user: UserId) -> Result<Option<QuizToTake>> {
    let sql = format!("{} WHERE a.id = ?2 AND a.course_id = ?1 AND {IS_THERE}", select("?1", "?3"));
    Ok(db.fetch(&sql, (course, quiz, user)).await?)
}
