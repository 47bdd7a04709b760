//! The SQL of regrades: begun, listed, and brought forward step by step.

use serde::{Deserialize, Serialize};
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, IdRow, Json};
use shared::ids::{CourseId, QuizRegradeId, UserId};
use shared::notify::{News, Recipients};
use shared::pagination::{Key, Page};
use shared::{Db, Error, Paged, Result, Timestamp};

use super::{NewRegrade, RegradeOption, RegradeRow, RegradedAttempt, RegradedQuiz};
use crate::events::Events;
use crate::posting::is_anonymous;

/// The most regrades of a quiz.
const MAX_REGRADES: i64 = 100;

/// The columns of [`RegradeRow`], of the table `quiz_regrades`.
pub const COLUMNS: &str = "quiz_regrades.id, quiz_regrades.item_id, quiz_regrades.bank_id, quiz_regrades.bank_entry_id,
    quiz_regrades.user_id, quiz_regrades.option, quiz_regrades.previous_scoring_algorithm,
    quiz_regrades.previous_scoring_data, quiz_regrades.scoring_algorithm, quiz_regrades.scoring_data,
    quiz_regrades.previous_points_possible, quiz_regrades.points_possible, quiz_regrades.attempt_count,
    quiz_regrades.regraded_count, quiz_regrades.changed_count, quiz_regrades.by_person_count,
    quiz_regrades.points_change, quiz_regrades.created_at, quiz_regrades.completed_at,
    quiz_regrades.failed_at IS NOT NULL AS has_failed";

/// The regrades of the quiz that `?1` or `?2` names.
fn of_quiz(quiz: RegradedQuiz) -> &'static str {
    match quiz {
        RegradedQuiz::Classic(_) => "quiz_regrades.quiz_id = ?1 AND ?2 IS NULL",
        RegradedQuiz::New(_) => "quiz_regrades.assignment_id = ?2 AND ?1 IS NULL",
    }
}

/// 409 while another regrade of the quiz has attempts to regrade; 422 where there were too many.
pub async fn require_idle(db: &Db, quiz: RegradedQuiz) -> Result<()> {
    #[derive(Deserialize)]
    struct Known {
        count: i64,
        is_running: bool,
    }
    let sql = format!(
        "SELECT count(*) AS count, total(completed_at IS NULL) > 0 AS is_running FROM quiz_regrades WHERE {}",
        of_quiz(quiz)
    );
    let known: Known = db.fetch_one(&sql, quiz.columns()).await?;
    if known.is_running {
        return Err(Error::conflict("a regrade of the quiz is running"));
    }
    if known.count >= MAX_REGRADES {
        let message = format!("has been regraded too often (maximum is {MAX_REGRADES})");
        return Err(Error::invalid("quiz", "too_many", message));
    }
    Ok(())
}

/// Begins a regrade of all attempts at the quiz, and of those that run. Without any to regrade it is complete at once. `db` is
/// in a transaction.
pub async fn insert(db: &Db, new: NewRegrade, now: Timestamp) -> db::Result<RegradeRow> {
    let (quiz, option) = (new.quiz, new.option);
    let id = insert_record(db, new, now).await?;
    if option != RegradeOption::NoRegrade {
        insert_attempts(db, id, quiz).await?;
    }
    let sql = format!(
        "UPDATE quiz_regrades
         SET attempt_count = due.count, completed_at = iif(due.count = 0, ?2, NULL)
         FROM (SELECT count(*) AS count FROM quiz_regrade_attempts w WHERE w.regrade_id = ?1 AND w.state = 'due') due
         WHERE quiz_regrades.id = ?1 RETURNING {}",
        COLUMNS.replace("quiz_regrades.", "")
    );
    db.fetch_one(&sql, (id, now)).await
}

async fn insert_record(db: &Db, new: NewRegrade, now: Timestamp) -> db::Result<QuizRegradeId> {
    let (quiz, assignment) = new.quiz.columns();
    let [previous, current] = new.keys.map_or([None, None], |keys| keys.map(Some));
    let [previous_points, points] = new.points.map_or([None, None], |points| points.map(Some));
    let algorithm = |key: &Option<super::StoredKey>| key.as_ref().map(|key| key.algorithm.clone());
    let made: IdRow<QuizRegradeId> = db
        .fetch_one(
            "INSERT INTO quiz_regrades
                 (quiz_id, assignment_id, item_id, question_item_id, bank_id, bank_entry_id, user_id, option,
                  previous_scoring_algorithm, previous_scoring_data, scoring_algorithm, scoring_data,
                  previous_points_possible, points_possible, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id",
            (
                quiz,
                assignment,
                new.item,
                new.question,
                new.bank,
                new.bank_entry,
                new.user,
                new.option.name(),
                algorithm(&previous),
                previous.map(|key| key.data),
                algorithm(&current),
                current.map(|key| key.data),
                previous_points,
                points,
                now,
            ),
        )
        .await?;
    Ok(made.id)
}

/// What is handed in is due, and what runs waits.
async fn insert_attempts(db: &Db, id: QuizRegradeId, quiz: RegradedQuiz) -> db::Result<()> {
    match quiz {
        RegradedQuiz::New(assignment) => {
            db.execute(
                "INSERT INTO quiz_regrade_attempts (regrade_id, session_id, state)
                 SELECT ?1, s.id, iif(s.state = 'submitted', 'due', 'waiting') FROM quiz_sessions s
                 WHERE s.assignment_id = ?2 AND s.is_preview = 0 ORDER BY s.id",
                (id, assignment),
            )
            .await
        }
        RegradedQuiz::Classic(quiz) => {
            db.execute(
                "INSERT INTO quiz_regrade_attempts (regrade_id, quiz_submission_id, attempt, state)
                 SELECT ?1, v.quiz_submission_id, v.attempt, 'due'
                 FROM quiz_submissions s JOIN quiz_submission_versions v ON v.quiz_submission_id = s.id
                 WHERE s.quiz_id = ?2
                 UNION ALL
                 SELECT ?1, s.id, s.attempt, 'waiting' FROM quiz_submissions s
                 WHERE s.quiz_id = ?2 AND s.workflow_state = 'untaken'
                 ORDER BY 2, 3",
                (id, quiz),
            )
            .await
        }
    }
}

/// The regrades of a quiz, the newest first.
pub async fn page(db: &Db, quiz: RegradedQuiz, page: &Page) -> Result<Paged<RegradeRow>> {
    let sql = format!("SELECT {COLUMNS} FROM quiz_regrades WHERE {}", of_quiz(quiz));
    page.fetch_keyset(db, &sql, quiz.columns(), Key::descending(&["id"])).await
}

/// What a regrade has done so far, to attempts of students in the sections that the reader is limited to.
pub async fn attempts(
    db: &Db,
    course: &CourseAccess,
    regrade: QuizRegradeId,
    page: &Page,
) -> Result<Paged<RegradedAttempt>> {
    let is_in_sections = has_student_sql("?2", "w.taken_by", "?3");
    let is_anonymous = is_anonymous("w.graded", "w.taken_by");
    let sql = format!(
        "SELECT w.id, w.session_id, iif(w.is_survey OR {is_anonymous}, NULL, w.quiz_submission_id) AS quiz_submission_id,
                iif(w.is_survey OR {is_anonymous}, NULL, w.taken_by) AS user_id, w.attempt, w.points_before,
                w.points_after, w.score_before, w.score_after, w.is_by_person, w.regraded_at
         FROM (SELECT d.id, d.session_id, d.quiz_submission_id, ifnull(d.attempt, s.attempt) AS attempt, d.points_before,
                      d.points_after, d.score_before, d.score_after, d.is_by_person, d.regraded_at,
                      ifnull(s.user_id, q.user_id) AS taken_by, ifnull(s.assignment_id, z.assignment_id) AS graded,
                      ifnull(z.quiz_type IN ('survey', 'graded_survey') AND ifnull(z.settings ->> 'anonymous_submissions', 0), 0)
                          AS is_survey
               FROM quiz_regrade_attempts d
               LEFT JOIN quiz_sessions s ON s.id = d.session_id
               LEFT JOIN quiz_submissions q ON q.id = d.quiz_submission_id
               LEFT JOIN quizzes z ON z.id = q.quiz_id
               WHERE d.regrade_id = ?1 AND d.state = 'done') w
         WHERE {is_in_sections}"
    );
    page.fetch_keyset(db, &sql, (regrade, course.section_limit(), course.id), Key::ascending(&["id"])).await
}

/// What a step of a regrade has done.
#[derive(Default)]
pub struct Done {
    pub regraded: i64,
    pub changed: i64,
    pub by_person: i64,
    pub points_gained: f64,
}

/// Adds a step to the regrade: true if nothing is due any more. `db` is in a transaction.
pub async fn advance(db: &Db, id: QuizRegradeId, done: &Done, now: Timestamp) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Progress {
        is_complete: bool,
    }
    let progress: Progress = db
        .fetch_one(
            "UPDATE quiz_regrades
             SET regraded_count = regraded_count + ?2, attempt_count = max(attempt_count, regraded_count + ?2),
                 changed_count = changed_count + ?3, by_person_count = by_person_count + ?4,
                 points_change = points_change + ?5, beginnings = 0,
                 completed_at = ifnull(completed_at, iif(EXISTS (SELECT 1 FROM quiz_regrade_attempts w
                                                                 WHERE w.regrade_id = ?1 AND w.state = 'due'), NULL, ?6))
             WHERE id = ?1 RETURNING completed_at IS NOT NULL AS is_complete",
            (id, done.regraded, done.changed, done.by_person, done.points_gained, now),
        )
        .await?;
    Ok(progress.is_complete)
}

/// What came out of a regrade that has ended, for whoever began it.
pub struct Ended<'a> {
    pub course: CourseId,
    pub user: UserId,
    /// Of the quiz.
    pub title: &'a str,
    pub page: String,
    pub asset: String,
}

/// Tells whoever asked for the regrade that it is done. `db` is in the transaction that has ended it.
pub async fn tell_grader(db: &Db, ended: &Ended<'_>, events: &Events) -> db::Result<()> {
    let title = ended.title;
    let (subject, body) = (format!("Regraded: {title}"), format!("The attempts at {title} are regraded."));
    tell(db, ended, (&subject, &body), events).await
}

/// Tells whoever asked for the regrade that it was given up. `db` is in the transaction that has ended it.
pub async fn tell_grader_of_failure(db: &Db, ended: &Ended<'_>, events: &Events) -> db::Result<()> {
    let title = ended.title;
    let subject = format!("Not regraded: {title}");
    let body = format!("Not all attempts at {title} could be regraded. Those that were not stay as they are.");
    tell(db, ended, (&subject, &body), events).await
}

async fn tell(db: &Db, ended: &Ended<'_>, (subject, body): (&str, &str), events: &Events) -> db::Result<()> {
    let recipients = Recipients::Participant { course: ended.course, user: ended.user };
    let news =
        News { name: "quiz_regrade_finished", recipients, subject, body, path: &ended.page, asset: Some(&ended.asset) };
    events.notifier().clone().also_to_actors().tell(db, news).await
}

/// What an attempt had, and has.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    /// The id of the row of the attempt in the regrade.
    pub id: i64,
    pub points_before: Option<f64>,
    pub points_after: Option<f64>,
    pub score_before: Option<f64>,
    pub score_after: Option<f64>,
    pub is_by_person: bool,
}

impl Outcome {
    /// True if the attempt has something else than before.
    pub fn is_change(&self) -> bool {
        self.points_before != self.points_after || self.score_before != self.score_after
    }
}

/// Notes that attempts are regraded, with what they have now. `db` is in the transaction that has found them due.
pub async fn set_done(db: &Db, outcomes: &[Outcome], now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE quiz_regrade_attempts
         SET state = 'done', regraded_at = ?2,
             points_before = given.value ->> 'points_before', points_after = given.value ->> 'points_after',
             score_before = given.value ->> 'score_before', score_after = given.value ->> 'score_after',
             is_by_person = given.value ->> 'is_by_person'
         FROM json_each(?1) given WHERE quiz_regrade_attempts.id = given.value ->> 'id'",
        (Json(outcomes), now),
    )
    .await
}
