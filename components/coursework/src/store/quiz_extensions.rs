//! What students have of classic quizzes beyond what these allow everybody.

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Json};
use shared::ids::QuizId;
use shared::{Db, Timestamp};

use crate::model::quiz_extensions::{ExtensionForm, QuizExtension};
use crate::store::quiz_submissions::is_anonymous;

/// The quizzes `z` that are meant: `?1` is the course, `?2` one of its quizzes, or null for all.
const QUIZZES: &str = "z.course_id = ?1 AND z.workflow_state <> 'deleted' AND (?2 IS NULL OR z.id = ?2)";

/// The number of quizzes that extensions are for, and of the students among those whom they name.
#[derive(Deserialize)]
pub(crate) struct Extent {
    pub(crate) quizzes: usize,
    pub(crate) students: usize,
}

/// Counts the quizzes and the students. Those who are limited to sections name the students of these alone.
pub(crate) async fn extent(
    db: &Db,
    course: &CourseAccess,
    quiz: Option<QuizId>,
    forms: &[ExtensionForm],
) -> db::Result<Extent> {
    let is_seen = has_student_sql("?4", "named.value ->> 'user_id'", "?1");
    let sql = format!(
        "SELECT (SELECT count(*) FROM quizzes z WHERE {QUIZZES}) AS quizzes, (
             SELECT count(*) FROM json_each(?3) named
             WHERE {is_seen} AND EXISTS (
                 SELECT 1 FROM enrollments e
                 WHERE e.user_id = named.value ->> 'user_id' AND e.course_id = ?1 AND e.type = 'StudentEnrollment'
                   AND e.workflow_state IN ('active', 'completed', 'inactive'))) AS students"
    );
    db.fetch_one(&sql, (course.id, quiz, Json(forms), course.section_limit())).await
}

/// Keeps extensions of a quiz, or of all that the course has now, and puts the end of attempts off that run. `db` is in a
/// transaction.
pub(crate) async fn extend(
    db: &Db,
    course: &CourseAccess,
    quiz: Option<QuizId>,
    forms: &[ExtensionForm],
    now: Timestamp,
) -> db::Result<Vec<QuizExtension>> {
    let keep = format!(
        "INSERT INTO quiz_extensions (quiz_id, user_id, extra_attempts, extra_time, manually_unlocked, updated_at)
         SELECT z.id, x.value ->> 'user_id', x.value ->> 'extra_attempts', x.value ->> 'extra_time',
                x.value ->> 'manually_unlocked', ?4
         FROM json_each(?3) x CROSS JOIN quizzes z WHERE {QUIZZES}
         ON CONFLICT (quiz_id, user_id) DO UPDATE SET
             extra_attempts = ifnull(excluded.extra_attempts, extra_attempts),
             extra_time = ifnull(excluded.extra_time, extra_time),
             manually_unlocked = ifnull(excluded.manually_unlocked, manually_unlocked),
             updated_at = excluded.updated_at"
    );
    db.execute(&keep, (course.id, quiz, Json(forms), now)).await?;
    if forms.iter().any(ExtensionForm::moves_end) {
        // Crossed joins and the limit make SQLite go from the students to their attempts, and not through all attempts.
        let put_off = format!(
            "UPDATE quiz_submissions
             SET end_at = strftime('%Y-%m-%dT%H:%M:%SZ', iif(own.from_now IS NULL, end_at, ?4), own.minutes || ' minutes'),
                 updated_at = ?4
             FROM (
                 SELECT s.id, x.value ->> 'extend_from_now' AS from_now,
                        ifnull(x.value ->> 'extend_from_now', x.value ->> 'extend_from_end_at') AS minutes
                 FROM json_each(?3) x CROSS JOIN quizzes z CROSS JOIN quiz_submissions s
                 WHERE {QUIZZES} AND s.quiz_id = z.id AND s.user_id = x.value ->> 'user_id'
                   AND s.workflow_state = 'untaken' AND s.end_at IS NOT NULL AND minutes IS NOT NULL LIMIT -1
             ) own
             WHERE quiz_submissions.id = own.id"
        );
        db.execute(&put_off, (course.id, quiz, Json(forms), now)).await?;
    }
    let extended = format!(
        "SELECT own.quiz_id, own.user_id, own.extra_attempts, own.extra_time, own.manually_unlocked,
                iif({}, NULL, (SELECT s.end_at FROM quiz_submissions s
                               WHERE s.quiz_id = own.quiz_id AND s.user_id = own.user_id)) AS end_at
         FROM json_each(?3) x CROSS JOIN quizzes z CROSS JOIN quiz_extensions own
         WHERE {QUIZZES} AND own.quiz_id = z.id AND own.user_id = x.value ->> 'user_id' ORDER BY z.id, x.key",
        is_anonymous("z", "own.user_id")
    );
    db.fetch_all(&extended, (course.id, quiz, Json(forms))).await
}
