//! Accommodations of students.

use serde::{Deserialize, Serialize};
use shared::auth::section_limit::has_student_sql;
use shared::auth::{CourseAccess, SectionLimit};
use shared::db::{self, Json};
use shared::ids::{AssignmentId, CourseId, QuizSessionId, UserId};
use shared::{Db, Timestamp};
use submissions::accommodations::given_sql;
use submissions::quiz_settings::QuizSettings;
use submissions::student_dates;

use crate::model::accommodations::Accommodation;

/// Where students are accommodated: at one quiz, or at all of a course.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) course: CourseId,
    pub(crate) quiz: Option<AssignmentId>,
}

/// A user who is named in an accommodation.
#[derive(Deserialize)]
pub(crate) struct NamedStudent {
    pub(crate) user_id: UserId,
    /// True if the user is or was a student, of the sections that the caller is limited to.
    pub(crate) is_student: bool,
    /// True if the user takes such a quiz now.
    pub(crate) is_taking: bool,
}

/// The users that are named, as far as the accommodations depend on them.
pub(crate) async fn named(
    db: &Db,
    course: &CourseAccess,
    scope: Scope,
    list: &[Accommodation],
) -> db::Result<Vec<NamedStudent>> {
    let is_in_sections = has_student_sql("?4", "named.user_id", "?1");
    let sql = format!(
        "SELECT named.user_id,
                EXISTS (SELECT 1 FROM enrollments e
                        WHERE e.user_id = named.user_id AND e.course_id = ?1 AND e.type = 'StudentEnrollment'
                          AND e.workflow_state IN ('active', 'completed', 'inactive'))
                  AND {is_in_sections} AS is_student,
                EXISTS (SELECT 1 FROM quiz_sessions s
                        WHERE s.course_id = ?1 AND s.user_id = named.user_id AND s.state = 'taking'
                          AND s.is_preview = 0 AND (?2 IS NULL OR s.assignment_id = ?2)) AS is_taking
         FROM (SELECT value ->> 'user_id' AS user_id FROM json_each(?3)) named"
    );
    let limit: SectionLimit = course.section_limit();
    db.fetch_all(&sql, (scope.course, scope.quiz, Json(list), limit)).await
}

/// Keeps what students are given. What is not said stays as it is.
pub(crate) async fn give(db: &Db, scope: Scope, list: &[Accommodation], now: Timestamp) -> db::Result<()> {
    let target = match scope.quiz {
        Some(_) => "(assignment_id, user_id) WHERE assignment_id IS NOT NULL",
        None => "(course_id, user_id) WHERE assignment_id IS NULL",
    };
    let sql = format!(
        "INSERT INTO quiz_accommodations
             (course_id, assignment_id, user_id, extra_time, extra_attempts, reduce_choices_enabled, created_at, updated_at)
         SELECT ?1, ?2, given.value ->> 'user_id', given.value ->> 'extra_time', given.value ->> 'extra_attempts',
                given.value ->> 'reduce_choices_enabled', ?4, ?4
         FROM json_each(?3) given WHERE TRUE
         ON CONFLICT {target} DO UPDATE SET
             extra_time = ifnull(excluded.extra_time, extra_time),
             extra_attempts = ifnull(excluded.extra_attempts, extra_attempts),
             reduce_choices_enabled = ifnull(excluded.reduce_choices_enabled, reduce_choices_enabled),
             updated_at = excluded.updated_at"
    );
    db.execute(&sql, (scope.course, scope.quiz, Json(list), now)).await
}

/// A session that runs, with what its end depends on.
#[derive(Deserialize)]
pub(crate) struct RunningSession {
    pub(crate) id: QuizSessionId,
    pub(crate) started_at: Timestamp,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) quiz_settings: Json<QuizSettings>,
    pub(crate) extra_time: i64,
    pub(crate) has_fewer_choices: bool,
}

/// The sessions of these users that run.
pub(crate) async fn running(db: &Db, scope: Scope, users: &[UserId]) -> db::Result<Vec<RunningSession>> {
    let given = |column| given_sql(column, "s.course_id", "s.assignment_id", "s.user_id");
    let sql = format!(
        "SELECT s.id, s.started_at, s.end_at, {} AS lock_at, n.quiz_settings, {} AS extra_time, {} AS has_fewer_choices
         FROM json_each(?3) named
         CROSS JOIN quiz_sessions s ON s.course_id = ?1 AND s.user_id = named.value AND s.state = 'taking'
         JOIN assignments a ON a.id = s.assignment_id
         JOIN new_quizzes n ON n.assignment_id = a.id
         WHERE s.is_preview = 0 AND (?2 IS NULL OR s.assignment_id = ?2)",
        student_dates::ASSIGNMENT.lock_at("s.user_id"),
        given("extra_time"),
        given("reduce_choices_enabled"),
    );
    db.fetch_all(&sql, (scope.course, scope.quiz, Json(users))).await
}

/// What a session that runs is changed to.
#[derive(Serialize)]
pub(crate) struct Extension {
    pub(crate) id: QuizSessionId,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) has_fewer_choices: bool,
}

/// Changes sessions that run.
pub(crate) async fn extend(db: &Db, extensions: &[Extension]) -> db::Result<()> {
    db.execute(
        "UPDATE quiz_sessions SET end_at = given.value ->> 'end_at', has_fewer_choices = given.value ->> 'has_fewer_choices'
         FROM json_each(?1) AS given
         WHERE quiz_sessions.id = given.value ->> 'id' AND quiz_sessions.state = 'taking'",
        (Json(extensions),),
    )
    .await
}
