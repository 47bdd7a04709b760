//! Grading of sessions by people, and what they look at for it.

use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, QuizSessionId, UserId};
use shared::{Db, Timestamp};
use submissions::posting::is_anonymous;

use crate::model::attempts::{AttemptLine, AttemptsAround, AttemptsFilter};
use crate::model::grading::{Grading, ItemGrade};

/// Grades a session that is handed in; false where somebody else has graded it since.
pub(crate) async fn grade(
    db: &Db,
    id: QuizSessionId,
    grading: &Grading,
    grader: UserId,
    now: Timestamp,
) -> db::Result<bool> {
    let sql = "UPDATE quiz_sessions
               SET grading_version = grading_version + 1, score = ?3, is_scored = ?4, fudge_points = ?5, grader_id = ?6,
                   graded_at = ?7
               WHERE id = ?1 AND state = 'submitted' AND grading_version = ?2 RETURNING id";
    let Grading { version, score, is_scored, fudge_points, .. } = *grading;
    db.affects(sql, (id, version, score, is_scored, fudge_points, grader, now)).await
}

/// Keeps the points of answers and what is said of them.
pub(crate) async fn set_grades(db: &Db, id: QuizSessionId, grades: &[ItemGrade]) -> db::Result<()> {
    db.execute(
        "INSERT INTO quiz_session_answers (session_id, item_id, version, points, grader_id, graded_at, comment, parts)
         SELECT ?1, given.value ->> 'item_id', 0, given.value ->> 'points', given.value ->> 'grader_id',
                given.value ->> 'graded_at', given.value ->> 'comment', given.value ->> 'parts'
         FROM json_each(?2) given WHERE TRUE
         ON CONFLICT (session_id, item_id) DO UPDATE SET
             points = excluded.points, grader_id = excluded.grader_id, graded_at = excluded.graded_at,
             comment = excluded.comment, parts = ifnull(excluded.parts, quiz_session_answers.parts)",
        (id, Json(grades)),
    )
    .await
}

/// The sessions `s` of the quiz `?1` that a grader of the course `?2` with the limit `?3` sees.
fn is_seen() -> String {
    format!("s.assignment_id = ?1 AND s.is_preview = 0 AND {}", has_student_sql("?3", "s.user_id", "?2"))
}

/// Whose the session `s` is, for graders: the name in `u`, or what stands for it while the work is graded anonymously.
fn student() -> String {
    format!(
        "iif({}, (SELECT w.anonymous_id FROM submissions w WHERE w.assignment_id = s.assignment_id AND w.user_id = s.user_id),
             u.name)",
        is_anonymous("s.assignment_id", "s.user_id")
    )
}

/// Attempts in the order in which they began, of which those behind `after` are shown.
pub(crate) async fn attempts(
    db: &Db,
    course: &CourseAccess,
    quiz: AssignmentId,
    filter: AttemptsFilter,
    most: i64,
) -> db::Result<Vec<AttemptLine>> {
    let waits = if filter.waiting { "AND s.is_scored = 0" } else { "" };
    let (student, is_anonymous) = (student(), is_anonymous("s.assignment_id", "s.user_id"));
    let sql = format!(
        "SELECT s.id, iif({is_anonymous}, NULL, s.user_id) AS user_id, {student} AS student, s.attempt, s.submitted_at, s.score, s.points_possible, s.is_scored,
                (SELECT count(*) FROM quiz_session_answers w WHERE w.session_id = s.id AND w.points IS NULL) AS waiting
         FROM quiz_sessions s CROSS JOIN users u ON u.id = s.user_id
         WHERE {} AND s.id > ?4 AND (?5 IS NULL OR s.user_id = ?5 AND NOT {is_anonymous}) {waits}
         ORDER BY s.id LIMIT ?6",
        is_seen()
    );
    let AttemptsFilter { after, user, .. } = filter;
    let after = after.map_or(0, |after| after.0);
    db.fetch_all(&sql, (quiz, course.id, course.section_limit(), after, user, most)).await
}

/// The student of a session with all attempts, and the next session that waits: behind it, or else from the beginning.
pub(crate) async fn around(
    db: &Db,
    course: &CourseAccess,
    quiz: AssignmentId,
    session: QuizSessionId,
) -> db::Result<Option<AttemptsAround>> {
    let (is_seen, student) = (is_seen(), student());
    let sql = format!(
        "SELECT (SELECT {student} FROM quiz_sessions s WHERE s.id = own.id) AS student,
                (SELECT g.name FROM users g WHERE g.id = own.grader_id) AS grader,
                (SELECT json_group_array(json_object('id', other.id, 'attempt', other.attempt)) FROM (
                     SELECT o.id, o.attempt FROM quiz_sessions o
                     WHERE o.assignment_id = ?1 AND o.user_id = own.user_id AND o.is_preview = 0 AND o.state = 'submitted'
                     ORDER BY o.id) other
                ) AS attempts,
                coalesce(
                    (SELECT min(s.id) FROM quiz_sessions s WHERE {is_seen} AND s.is_scored = 0 AND s.id > ?4),
                    (SELECT min(s.id) FROM quiz_sessions s WHERE {is_seen} AND s.is_scored = 0 AND s.id < ?4)
                ) AS next_waiting
         FROM quiz_sessions own JOIN users u ON u.id = own.user_id WHERE own.id = ?4"
    );
    db.fetch(&sql, (quiz, course.id, course.section_limit(), session)).await
}
