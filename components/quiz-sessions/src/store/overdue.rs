//! Sessions whose time is over before a list tells of them.

use shared::auth::Right;
use shared::auth::section_limit::{has_student_sql, of_needed_sql};
use shared::needs::{Lookup, MatchedPath};
use shared::prefetch::{List, Pages};
use shared::{Result, clock};
use submissions::posting::is_anonymous;

use crate::model::sessions::{GRACE, OverdueSession, SessionsOf};

/// The most sessions that one who reads a list ends: the tick ends the others.
const MAX_ENDED: i64 = 5;

/// Of the sessions of the quiz that is needed those whose time is over: the caller's own, and to the staff those of the list that
/// they ask for, in their sections.
pub(crate) struct OverdueOfQuiz;

impl List for OverdueOfQuiz {
    type Row = OverdueSession;
    const PAGES: Pages = Pages::Whole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let SessionsOf { user_id } = path.query()?;
        // Two selects, so that a student does not go through the sessions of all others, and an index of those alone that run: most
        // have ended long ago. What could not be ended comes last.
        let sql = format!(
            "SELECT id, is_preview FROM (
                 SELECT s.id, s.is_preview, 0 AS place, s.hand_in_beginnings, s.end_at
                 FROM quiz_sessions s INDEXED BY quiz_sessions_taking
                 WHERE s.assignment_id = caller.needed ->> 'record' ->> 'id' AND s.user_id = caller.user_id
                   AND s.state = 'taking' AND s.end_at <= ?1
                 UNION ALL
                 SELECT s.id, s.is_preview, 1, s.hand_in_beginnings, s.end_at FROM quiz_sessions s INDEXED BY quiz_sessions_taking
                 WHERE s.assignment_id = caller.needed ->> 'record' ->> 'id' AND s.user_id <> caller.user_id
                   AND s.state = 'taking' AND s.end_at <= ?1 AND s.is_preview = 0
                   AND (caller.needed ->> 'course' ->> 'admin' OR EXISTS (
                       SELECT 1 FROM json_each(caller.needed ->> 'course' ->> 'roles') WHERE value IN {}))
                   AND {} AND (?2 IS NULL OR s.user_id = ?2 AND NOT {})
             ) ORDER BY place, hand_in_beginnings, end_at LIMIT {MAX_ENDED}",
            Right::ReadAsStaff.roles_sql(),
            has_student_sql(
                &of_needed_sql("caller.needed ->> 'course'"),
                "s.user_id",
                "(caller.needed ->> 'course' ->> 'id')"
            ),
            is_anonymous("s.assignment_id", "s.user_id"),
        );
        Ok(Lookup::new(sql, (clock::now().plus_seconds(-GRACE), user_id)))
    }
}
