//! New quizzes: what they have beside their assignment.

use std::borrow::Cow;

use ::submissions::quiz_settings::QuizSettings;
use ::submissions::student_dates;
use serde::Deserialize;
use shared::auth::is_staff_of_needed_sql;
use shared::db::{self, Json};
use shared::ids::AssignmentId;
use shared::needs::{Lookup, MatchedPath, OfCourse};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::assignments::Assignment;
use crate::model::new_quizzes::NewQuiz;
use crate::store::CALLER;
use crate::store::assignments::known_columns;

/// The new quizzes with the dates that they have for whoever calls.
fn select() -> String {
    let dates = student_dates::ASSIGNMENT.columns(Some(CALLER));
    format!(
        "SELECT a.id, a.name AS title, a.description AS instructions, a.assignment_group_id, a.points_possible,
            {dates}, a.workflow_state = 'published' AS published, a.grading_type, n.quiz_settings
        FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id"
    )
}

/// The new quizzes of the course that is needed: all for its staff, for others those that students see.
pub(crate) struct QuizzesOfCourse;

impl List for QuizzesOfCourse {
    type Row = NewQuiz;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "{} WHERE a.course_id = caller.needed ->> 'id' AND a.workflow_state <> 'deleted'
               AND (a.workflow_state = 'published' OR {})
             ORDER BY a.id",
            select(),
            is_staff_of_needed_sql()
        );
        Ok(Lookup::new(sql, ()))
    }
}

impl OfCourse for NewQuiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let select = select();
        Ok(format!("{select} WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'").into())
    }
}

/// A new quiz to be changed, with the state of its assignment on which the change is judged.
#[derive(Deserialize)]
pub(crate) struct KnownNewQuiz {
    pub(crate) assignment: Json<Assignment>,
    pub(crate) quiz_settings: Json<QuizSettings>,
    pub(crate) state: String,
}

fn known_sql(condition: &str) -> Result<String> {
    let columns = known_columns()?;
    Ok(format!(
        "SELECT {columns}, n.quiz_settings FROM assignments known JOIN new_quizzes n ON n.assignment_id = known.id
         WHERE known.id = ?1 AND known.workflow_state <> 'deleted' {condition}"
    ))
}

impl OfCourse for KnownNewQuiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(known_sql("AND known.course_id = course.id")?.into())
    }
}

/// The quiz as it is now, to be changed.
pub(crate) async fn known(db: &Db, id: AssignmentId) -> Result<Option<KnownNewQuiz>> {
    Ok(db.fetch(&known_sql("")?, (id,)).await?)
}

pub(crate) async fn insert(db: &Db, id: AssignmentId, settings: QuizSettings, now: Timestamp) -> db::Result<()> {
    let sql = "INSERT INTO new_quizzes (assignment_id, quiz_settings, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)";
    db.execute(sql, (id, Json(settings), now)).await
}

pub(crate) async fn update(db: &Db, id: AssignmentId, settings: QuizSettings, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE new_quizzes SET quiz_settings = ?2, updated_at = ?3 WHERE assignment_id = ?1";
    db.execute(sql, (id, Json(settings), now)).await
}
