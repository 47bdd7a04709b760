//! The content of the pages of a session.

use shared::ids::{PollId, PollSessionId, UserId};
use shared::{Db, db};

use crate::model::board::Board;
use crate::store::rights::{USER, counted, takes_part, watches};

/// The session as the user sees it, with its counts: the cost does not grow with the votes, but for those who are limited to
/// sections.
pub(crate) async fn board(db: &Db, user: UserId, poll: PollId, session: PollSessionId) -> db::Result<Option<Board>> {
    let (watches, takes_part, counted) = (watches(), takes_part(), counted());
    let sql = format!(
        "SELECT p.question, p.description, s.is_published, s.has_public_results,
                {watches} AS watches, {takes_part} AS takes_part,
                (SELECT poll_choice_id FROM poll_submissions
                 WHERE poll_session_id = s.id AND user_id = u.id) AS own_choice,
                (SELECT json_group_array(json_object('id', id, 'text', text, 'votes', votes)) FROM (
                     SELECT choice.id, choice.text, ifnull({counted}, 0) AS votes
                     FROM poll_choices choice
                     LEFT JOIN poll_results r ON r.poll_session_id = s.id AND r.poll_choice_id = choice.id
                     WHERE choice.poll_id = p.id ORDER BY choice.position, choice.id
                )) AS choices
         FROM poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {USER}
         WHERE s.poll_id = ?2 AND s.id = ?3"
    );
    db.fetch(&sql, (user, poll, session)).await
}
