//! The content of the pages of sessions.

use shared::ids::{PollId, PollSessionId, UserId};
use shared::{Db, db};

use crate::model::board::Board;
use crate::model::overview::MAX_LISTED;
use crate::store::rights::{CALLER, FOUND, IS_ASKED, USER, facts, found};

/// The session as the user sees it, with its counts: the cost does not grow with the votes, but for those who are limited to
/// sections.
pub(crate) async fn board(db: &Db, user: UserId, poll: PollId, session: PollSessionId) -> db::Result<Option<Board>> {
    db.fetch(&select_board(USER, "s.poll_id = ?2 AND s.id = ?3"), (user, poll, session)).await
}

/// The same of the session `?2` of the poll `?1`, as the caller sees it.
pub(super) fn board_of_caller() -> String {
    select_board(CALLER, "s.poll_id = ?1 AND s.id = ?2")
}

fn select_board(user: &str, condition: &str) -> String {
    let tables = "poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id";
    let found = found(", p.question, p.description", &format!("{tables} {user} WHERE {condition}"));
    let (watches, runs, takes_part) = (FOUND.watches(), FOUND.runs(), FOUND.takes_part());
    let (counted, user) = (FOUND.counted(), FOUND.user);
    format!(
        "{found}
         SELECT seen.question, seen.description, seen.is_published, seen.has_public_results, seen.hides_results,
                iif(seen.is_published, seen.join_code, NULL) AS join_code,
                {watches} AS watches, {runs} AS runs, {takes_part} AS takes_part,
                (SELECT poll_choice_id FROM poll_submissions
                 WHERE poll_session_id = seen.id AND user_id = {user}) AS own_choice,
                (SELECT json_group_array(json_object('id', id, 'text', text, 'votes', votes)) FROM (
                     SELECT choice.id, choice.text, ifnull({counted}, 0) AS votes
                     FROM poll_choices choice
                     LEFT JOIN poll_results r ON r.poll_session_id = seen.id AND r.poll_choice_id = choice.id
                     WHERE choice.poll_id = seen.poll_id ORDER BY choice.position, choice.id
                )) AS choices
         FROM seen"
    )
}

/// The sessions of the caller's own polls, and the open ones that ask the caller.
pub(super) fn overview() -> String {
    const LISTED: &str = "SELECT s.id AS session, s.poll_id AS poll, p.question, c.name AS course, s.is_published";
    const OBJECTS: &str = "json_group_array(json_object('session', session, 'poll', poll, 'question', question,
        'course', course, 'is_open', json(iif(is_published, 'true', 'false'))))";
    let (watches, takes_part) = (facts().watches(), facts().takes_part());
    format!(
        "SELECT (SELECT {OBJECTS} FROM (
                     {LISTED} FROM polls p JOIN poll_sessions s ON s.poll_id = p.id
                     JOIN courses c ON c.id = s.course_id {CALLER}
                     WHERE p.user_id = caller.user_id AND {watches} ORDER BY s.id DESC LIMIT {MAX_LISTED}
                )) AS run,
                (SELECT {OBJECTS} FROM (
                     {LISTED} FROM poll_sessions s JOIN polls p ON p.id = s.poll_id
                     JOIN courses c ON c.id = s.course_id {CALLER}
                     WHERE s.is_published = 1 AND {IS_ASKED} AND {takes_part}
                       AND s.course_id IN (
                           SELECT course_id FROM enrollments WHERE user_id = caller.user_id AND workflow_state = 'active')
                     ORDER BY s.id DESC LIMIT {MAX_LISTED}
                )) AS asked"
    )
}

/// The open session with the code `?1`, of the caller's tenant.
pub(super) fn invitation() -> String {
    format!(
        "SELECT s.poll_id AS poll, s.id AS session, {} AS takes_part
         FROM poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {CALLER}
         WHERE s.join_code = ?1 AND s.is_published",
        facts().takes_part()
    )
}
