//! Classic quizzes.

use std::borrow::Cow;

use ::submissions::student_dates;
use serde::Deserialize;
use shared::auth::{CourseAccess, is_staff_of_needed_sql};
use shared::db::{self, Json};
use shared::ids::{CourseId, QuizId};
use shared::needs::{Lookup, MatchedPath, OfCourse, nested};
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::quizzes::{Fields, Quiz, QuizDatesFilter, Search};
use crate::store::{CALLER, has_work, word};

/// True if students have attempted the quiz `z`, or begun something for its assignment.
const ATTEMPTED: &str = concat!(
    "(EXISTS (SELECT 1 FROM quiz_submissions s WHERE s.quiz_id = z.id)
      OR EXISTS (SELECT 1 FROM assignments a LEFT JOIN new_quizzes n ON n.assignment_id = a.id WHERE a.id = z.assignment_id AND ",
    has_work!(),
    "))"
);

/// The quizzes `z` as they are for nobody in particular.
pub(super) fn select() -> String {
    select_for(None)
}

/// The quizzes `z` with the dates and extensions of a student, who is an expression.
fn select_for(student: Option<&str>) -> String {
    let dates = student_dates::QUIZ.columns(student);
    let is_assigned = student_dates::is_quiz_for(student);
    let student = student.unwrap_or("NULL");
    format!(
        "SELECT z.id, z.title, z.description, z.quiz_type, z.settings, {dates},
            z.workflow_state, z.version_number, z.assignment_id,
            own.extra_attempts, own.extra_time, own.manually_unlocked, {is_assigned} AS is_assigned,
            {ATTEMPTED} AS attempted,
            (SELECT w.questions FROM worth_of_quizzes w WHERE w.quiz_id = z.id) AS question_count,
            (SELECT w.points FROM worth_of_quizzes w WHERE w.quiz_id = z.id) AS points_possible,
            (SELECT json_group_array(DISTINCT q.question_type) FROM quiz_questions q
             WHERE q.quiz_id = z.id AND q.workflow_state = 'active') AS question_types
        FROM quizzes z LEFT JOIN quiz_extensions own ON own.quiz_id = z.id AND own.user_id = {student}"
    )
}

/// The quizzes of the course that is needed whose titles have the search term in them: all for its staff, for others those
/// that students see.
pub(crate) struct QuizzesOfCourse;

impl List for QuizzesOfCourse {
    type Row = Quiz;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let Search { search_term } = path.query()?;
        let term = SearchTerm::read(search_term.as_deref())?;
        let is_named = SearchTerm::contained_sql(term.as_ref(), &["z.title"], "?1");
        Ok(Lookup::new(of_course(&format!("(?1 IS NULL OR {is_named})")), (term.as_ref(),)))
    }
}

/// The same, those of them whose dates are asked for.
pub(crate) struct QuizzesWithDates;

impl List for QuizzesWithDates {
    type Row = Quiz;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let asked: QuizDatesFilter = path.query()?;
        let ids = asked.quiz_ids().map(Json);
        Ok(Lookup::new(of_course("(?1 IS NULL OR z.id IN (SELECT value FROM json_each(?1)))"), (ids,)))
    }
}

/// The quizzes of the course that is needed, as far as the caller sees them and the condition holds.
fn of_course(condition: &str) -> String {
    format!(
        "{} WHERE z.course_id = caller.needed ->> 'id' AND z.workflow_state <> 'deleted'
           AND ((z.workflow_state = 'available' AND is_assigned) OR {})
           AND {condition}
         ORDER BY z.id",
        select_for(Some(CALLER)),
        is_staff_of_needed_sql()
    )
}

impl OfCourse for Quiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let select = select_for(Some(CALLER));
        Ok(format!("{select} WHERE z.id = ?1 AND z.course_id = course.id AND z.workflow_state <> 'deleted'").into())
    }
}

pub(crate) async fn quiz(db: &Db, course: CourseId, id: QuizId) -> db::Result<Option<Quiz>> {
    let sql = format!("{} WHERE z.id = ?1 AND z.course_id = ?2 AND z.workflow_state <> 'deleted'", select());
    db.fetch(&sql, (id, course)).await
}

/// A quiz to be changed, with the state on which the change is judged.
#[derive(Deserialize)]
pub(crate) struct KnownQuiz {
    pub(crate) quiz: Json<Quiz>,
    /// The text that [`update`] holds against the row as it is then.
    pub(crate) state: String,
}

/// The state of a quiz, by the name or alias of its table: all that is set of it, and whether students have attempted it.
fn state_sql(table: &str) -> String {
    format!(
        "(SELECT json_array(z.title, z.description, z.quiz_type, z.settings, z.due_at, z.lock_at, z.unlock_at,
                            z.workflow_state, z.version_number, {ATTEMPTED}) || ''
          FROM quizzes z WHERE z.id = {table}.id)"
    )
}

fn known_sql(condition: &str) -> Result<String> {
    let quiz = nested::<Quiz>(&format!("{} WHERE z.id = known.id", select()))?;
    let state = state_sql("known");
    Ok(format!(
        "SELECT {quiz} AS quiz, {state} AS state FROM quizzes known
         WHERE known.id = ?1 AND known.workflow_state <> 'deleted' {condition}"
    ))
}

impl OfCourse for KnownQuiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(known_sql("AND known.course_id = course.id")?.into())
    }
}

/// The quiz as it is now, to be changed.
pub(crate) async fn known(db: &Db, id: QuizId) -> Result<Option<KnownQuiz>> {
    Ok(db.fetch(&known_sql("")?, (id,)).await?)
}

pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    fields: Fields,
    published: bool,
    now: Timestamp,
) -> db::Result<Quiz> {
    let select = format!("{} WHERE z.id = quizzes.id", select());
    let made = db
        .write_and_read(
            "INSERT INTO quizzes
                 (root_account_id, course_id, title, description, quiz_type, settings, due_at, lock_at, unlock_at,
                  workflow_state, published_at, last_edited_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
                     iif(?10, 'available', 'created'), iif(?10, ?11, NULL), ?11, ?11, ?11)",
            &select,
            (
                course.root_account,
                course.id,
                fields.title,
                fields.description,
                word(fields.quiz_type),
                Json(fields.options),
                fields.due_at,
                fields.lock_at,
                fields.unlock_at,
                published,
                now,
            ),
        )
        .await?;
    match made {
        Some(quiz) => with_assignment(db, course.id, quiz).await,
        None => Err(db::Error::NoRow),
    }
}

/// The quiz with the assignment that it has now: triggers give it one, or take it, after a write that changes whether it is
/// graded.
async fn with_assignment(db: &Db, course: CourseId, written: Quiz) -> db::Result<Quiz> {
    if written.quiz_type.is_graded() == written.assignment_id.is_some() {
        return Ok(written);
    }
    quiz(db, course, written.id).await?.ok_or(db::Error::NoRow)
}

/// Changes a quiz that is still in the state in which it was read; nothing otherwise. Publishing shows students the quiz as
/// it is now; null leaves it as published as it was.
pub(crate) async fn update(
    db: &Db,
    course: CourseId,
    known: &KnownQuiz,
    fields: Fields,
    published: Option<bool>,
    now: Timestamp,
) -> db::Result<Option<Quiz>> {
    let write = format!(
        "UPDATE quizzes
         SET title = ?2, description = ?3, quiz_type = ?4, settings = ?5, due_at = ?6, lock_at = ?7, unlock_at = ?8,
             workflow_state = CASE
                 WHEN ?9 THEN 'available'
                 WHEN ?9 IS NOT NULL AND workflow_state = 'available' THEN 'unpublished'
                 ELSE replace(workflow_state, 'created', 'edited')
             END,
             published_at = iif(?9, ?10, published_at), version_number = version_number + 1,
             last_edited_at = ?10, updated_at = ?10
         WHERE id = ?1 AND {} = ?11",
        state_sql("quizzes")
    );
    let select = format!("{} WHERE z.id = quizzes.id", select());
    let values = (
        known.quiz.0.id,
        fields.title,
        fields.description,
        word(fields.quiz_type),
        Json(fields.options),
        fields.due_at,
        fields.lock_at,
        fields.unlock_at,
        published,
        now,
        known.state.as_str(),
    );
    match db.write_and_read(&write, &select, values).await? {
        Some(quiz) => with_assignment(db, course, quiz).await.map(Some),
        None => Ok(None),
    }
}

pub(crate) async fn delete(db: &Db, id: QuizId, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE quizzes SET workflow_state = 'deleted', updated_at = ?2
               WHERE id = ?1 AND workflow_state <> 'deleted' RETURNING id";
    db.affects(sql, (id, now)).await
}
