//! Classic quizzes.

use std::borrow::Cow;

use shared::auth::{CourseAccess, is_staff_of_needed_sql};
use shared::db::{self, IdRow, Json};
use shared::ids::{CourseId, QuizId};
use shared::needs::{Lookup, MatchedPath, OfCourse};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::quizzes::{Fields, Quiz, Search};
use crate::store::{HAS_WORK, word};

pub(super) fn select() -> String {
    format!(
        "SELECT z.id, z.title, z.description, z.quiz_type, z.settings, z.due_at, z.lock_at, z.unlock_at,
            z.workflow_state, z.version_number, z.assignment_id,
            EXISTS (SELECT 1 FROM quiz_submissions s WHERE s.quiz_id = z.id)
                OR EXISTS (SELECT 1 FROM assignments a WHERE a.id = z.assignment_id AND {HAS_WORK}) AS attempted,
            (SELECT count(*) FROM quiz_questions q
             WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
               AND q.question_type <> 'text_only_question')
            + (SELECT ifnull(sum(max(pick_count, 0)), 0) FROM quiz_groups g WHERE g.quiz_id = z.id) AS question_count,
            (SELECT total(q.points_possible) FROM quiz_questions q
             WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
               AND q.question_type <> 'text_only_question')
            + (SELECT total(max(pick_count, 0) * ifnull(question_points, 0)) FROM quiz_groups g WHERE g.quiz_id = z.id)
                AS points_possible,
            (SELECT json_group_array(DISTINCT q.question_type) FROM quiz_questions q
             WHERE q.quiz_id = z.id AND q.workflow_state = 'active') AS question_types
        FROM quizzes z"
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
        let sql = format!(
            "{} WHERE z.course_id = caller.needed ->> 'id' AND z.workflow_state <> 'deleted'
               AND (z.workflow_state = 'available' OR {})
               AND instr(lower(z.title), lower(?1)) > 0
             ORDER BY z.id",
            select(),
            is_staff_of_needed_sql()
        );
        Ok(Lookup::new(sql, (search_term.unwrap_or_default(),)))
    }
}

impl OfCourse for Quiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let select = select();
        Ok(format!("{select} WHERE z.id = ?1 AND z.course_id = course.id AND z.workflow_state <> 'deleted'").into())
    }
}

pub(crate) async fn quiz(db: &Db, course: CourseId, id: QuizId) -> db::Result<Option<Quiz>> {
    let sql = format!("{} WHERE z.id = ?1 AND z.course_id = ?2 AND z.workflow_state <> 'deleted'", select());
    db.fetch(&sql, (id, course)).await
}

pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    fields: Fields,
    published: bool,
    now: Timestamp,
) -> db::Result<QuizId> {
    let made: IdRow<QuizId> = db
        .fetch_one(
            "INSERT INTO quizzes
                 (root_account_id, course_id, title, description, quiz_type, settings, due_at, lock_at, unlock_at,
                  workflow_state, published_at, last_edited_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
                     iif(?10, 'available', 'created'), iif(?10, ?11, NULL), ?11, ?11, ?11)
             RETURNING id",
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
    Ok(made.id)
}

/// Publishing shows students the quiz as it is now; null leaves it as published as it was.
pub(crate) async fn update(
    db: &Db,
    id: QuizId,
    fields: Fields,
    published: Option<bool>,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE quizzes
         SET title = ?2, description = ?3, quiz_type = ?4, settings = ?5, due_at = ?6, lock_at = ?7, unlock_at = ?8,
             workflow_state = CASE
                 WHEN ?9 THEN 'available'
                 WHEN ?9 IS NOT NULL AND workflow_state = 'available' THEN 'unpublished'
                 ELSE replace(workflow_state, 'created', 'edited')
             END,
             published_at = iif(?9, ?10, published_at), version_number = version_number + 1,
             last_edited_at = ?10, updated_at = ?10
         WHERE id = ?1",
        (
            id,
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
    .await
}

pub(crate) async fn delete(db: &Db, id: QuizId, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE quizzes SET workflow_state = 'deleted', updated_at = ?2
               WHERE id = ?1 AND workflow_state <> 'deleted' RETURNING id";
    db.affects(sql, (id, now)).await
}
