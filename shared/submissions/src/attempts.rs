//! Attempts at new quizzes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, UserId};
use shared::{Db, Error, JsonSchema, Result, Timestamp};

use crate::accommodations::given_sql;
use crate::quiz_settings::QuizSettings;

/// The answer of a student.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    pub id: i64,
    /// 1 is the student's first.
    pub attempt: i64,
    /// Null to graders while the work is graded anonymously.
    pub user_id: Option<UserId>,
    pub created_at: Timestamp,
    /// Null to students where the quiz does not show them.
    pub responses: Option<Json>,
}

/// The limits of a student's attempts at a quiz, however many it allows: so many, and so many bytes of responses in all of
/// them.
const MAX_ATTEMPTS: i64 = 250;
const MAX_RESPONSE_BYTES: i64 = 8 * 1024 * 1024;

/// True if a user takes a quiz in a session, as an expression of SQL. Both are given as expressions.
pub fn is_taken(quiz: &str, user: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM quiz_sessions running
                 WHERE running.assignment_id = {quiz} AND running.user_id = {user} AND running.is_preview = 0
                   AND running.state = 'taking')"
    )
}

/// What a user has made of a quiz until now.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Progress {
    /// The attempts that are made.
    pub count: i64,
    /// When the last of them was made.
    pub latest_at: Option<Timestamp>,
    /// The bytes of their responses.
    pub bytes: i64,
    /// The attempts that the user may make beyond what the quiz allows.
    pub extra_attempts: i64,
    /// True if the user takes the quiz now.
    pub is_taken: bool,
}

impl Progress {
    /// True if the last attempt is made, and none is made now.
    pub fn has_none_left(self, settings: &QuizSettings) -> bool {
        !self.is_taken && settings.are_all_made(self.count, self.extra_attempts)
    }

    /// 409 where the user takes the quiz now, has no attempt left or must wait for it.
    pub fn require_attempt(self, settings: &QuizSettings, now: Timestamp) -> Result<()> {
        if self.is_taken {
            return Err(Error::conflict("a session of the quiz runs"));
        }
        let most = settings.most_attempts(self.extra_attempts).map_or(MAX_ATTEMPTS, |most| most.min(MAX_ATTEMPTS));
        if self.count >= most || self.bytes > MAX_RESPONSE_BYTES {
            return Err(Error::conflict("no attempts are left"));
        }
        let waits_until = settings.cooling_period().zip(self.latest_at).map(|(seconds, at)| at.plus_seconds(seconds));
        match waits_until.filter(|until| now < *until) {
            Some(until) => Err(Error::conflict(format!("the next attempt may begin at {until}"))),
            None => Ok(()),
        }
    }
}

/// The progress of a user with a quiz.
pub async fn progress(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<Progress> {
    let sql = format!(
        "SELECT count(*) AS count, max(created_at) AS latest_at,
                CAST(total(length(CAST(responses AS BLOB))) AS INTEGER) AS bytes, {} AS extra_attempts,
                {} AS is_taken
         FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2",
        given_sql("extra_attempts", COURSE, "?1", "?2"),
        is_taken("?1", "?2")
    );
    db.fetch_one(&sql, (quiz, user)).await
}

/// The course of the quiz, of which the first parameter is the id.
const COURSE: &str = "(SELECT quiz.course_id FROM assignments quiz WHERE quiz.id = ?1)";

/// Counts the user's attempts and adds the next in one statement; none where [`Progress::require_attempt`] refuses one, or the
/// responses are too many with those before.
pub async fn insert(
    db: &Db,
    quiz: AssignmentId,
    user: UserId,
    responses: Value,
    settings: &QuizSettings,
    now: Timestamp,
) -> db::Result<Option<Attempt>> {
    let sql = format!(
        "INSERT INTO quiz_attempts (assignment_id, user_id, attempt, responses, created_at)
         SELECT ?1, ?2, 1 + ifnull(latest, 0), ?3, ?4
         FROM (
             SELECT count(*) AS made, max(attempt) AS latest, max(created_at) AS latest_at,
                    total(length(CAST(responses AS BLOB))) AS bytes
             FROM quiz_attempts WHERE assignment_id = ?1 AND user_id = ?2
         )
         WHERE made < min(ifnull(?5 + {}, ?6), ?6) AND bytes + length(CAST(?3 AS BLOB)) <= ?7 AND NOT {}
           AND ifnull(latest_at <= ?8, 1)
         RETURNING id, attempt, user_id, created_at, responses",
        given_sql("extra_attempts", COURSE, "?1", "?2"),
        is_taken("?1", "?2")
    );
    let most = settings.most_attempts(0);
    let before = settings.cooling_period().map(|seconds| now.plus_seconds(-seconds));
    db.fetch(&sql, (quiz, user, Json(responses), now, most, MAX_ATTEMPTS, MAX_RESPONSE_BYTES, before)).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(attempts: Value) -> QuizSettings {
        serde_json::from_value(json!({ "multiple_attempts": attempts })).unwrap()
    }

    const NOTHING: Progress = Progress { count: 0, latest_at: None, bytes: 0, extra_attempts: 0, is_taken: false };

    fn refusal(settings: &QuizSettings, progress: Progress) -> Option<String> {
        let now = Timestamp::parse("2026-01-01T12:00:00Z").unwrap();
        progress.require_attempt(settings, now).err().map(|error| error.to_string())
    }

    fn is_refused(settings: &QuizSettings, progress: Progress, reason: &str) -> bool {
        refusal(settings, progress).is_some_and(|refusal| refusal.contains(reason))
    }

    #[test]
    fn an_attempt_is_left_while_one_is_made() {
        let twice = json!({"multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 2});
        let (twice, endless) = (settings(twice), settings(json!({"multiple_attempts_enabled": true})));
        let made = |count, is_taken| Progress { count, is_taken, ..NOTHING };
        assert!(made(2, false).has_none_left(&twice) && made(3, false).has_none_left(&twice));
        assert!(!made(1, false).has_none_left(&twice) && !made(9, false).has_none_left(&endless));
        assert!(!made(2, true).has_none_left(&twice));
        assert!(!Progress { extra_attempts: 1, ..made(2, false) }.has_none_left(&twice));
    }

    #[test]
    fn attempts_are_as_many_as_are_allowed_with_the_extra_ones() {
        let (once, endless) = (settings(json!({"multiple_attempts_enabled": false})), settings(json!(null)));
        let made = |count| Progress { count, ..NOTHING };
        assert_eq!(refusal(&once, NOTHING), None);
        assert!(is_refused(&once, made(1), "no attempts are left"));
        assert_eq!(refusal(&once, Progress { extra_attempts: 1, ..made(1) }), None);
        assert_eq!(refusal(&endless, made(249)), None);
        assert!(is_refused(&endless, made(250), "no attempts are left"));
        assert!(is_refused(&endless, Progress { bytes: 9_000_000, ..NOTHING }, "no attempts are left"));
        assert!(is_refused(&endless, Progress { is_taken: true, ..NOTHING }, "a session of the quiz runs"));
    }

    #[test]
    fn the_next_attempt_waits_where_the_quiz_says_so() {
        let quiz = |cooling: bool| {
            settings(json!({
                "multiple_attempts_enabled": true, "cooling_period": cooling, "cooling_period_seconds": 60,
            }))
        };
        let made_at = |at: &str| Progress { count: 1, latest_at: Some(Timestamp::parse(at).unwrap()), ..NOTHING };
        let reason = "may begin at 2026-01-01T12:00:01Z";
        assert!(is_refused(&quiz(true), made_at("2026-01-01T11:59:01Z"), reason));
        assert_eq!(refusal(&quiz(true), made_at("2026-01-01T11:59:00Z")), None);
        assert_eq!(refusal(&quiz(false), made_at("2026-01-01T11:59:59Z")), None);
    }
}
