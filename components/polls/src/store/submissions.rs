//! Submissions to sessions of polls.

use serde::Deserialize;
use shared::ids::{PollChoiceId, PollId, PollSessionId, UserId};
use shared::{Db, Error, Result, Timestamp, db};

use crate::model::submissions::PollSubmission;
use crate::store::rights::{CALLER, USER, facts};

/// The user's rights in a session.
#[derive(Deserialize)]
pub(crate) struct Ballot {
    is_published: bool,
    pub(crate) takes_part: bool,
    pub(crate) watches: bool,
}

impl Ballot {
    /// 403 unless it is open and the user takes part in it.
    pub(crate) fn require_taking_submissions(&self) -> Result<()> {
        if self.is_published && self.takes_part { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// The caller's rights in the session `?2` of the poll `?1`.
pub(super) fn ballot() -> String {
    format!(
        "SELECT s.is_published, {} AS takes_part, {} AS watches
         FROM poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {CALLER}
         WHERE s.poll_id = ?1 AND s.id = ?2",
        facts().takes_part(),
        facts().watches()
    )
}

/// The submission `?2` of the session `?1`.
pub(super) fn one() -> String {
    format!(
        "SELECT x.id, x.poll_session_id, x.poll_choice_id, x.user_id, x.created_at,
                x.user_id = u.id OR {} AND (NOT {} OR {}) AS is_seen
         FROM poll_submissions x JOIN poll_sessions s ON s.id = x.poll_session_id
             JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {CALLER}
         WHERE x.poll_session_id = ?1 AND x.id = ?2",
        facts().watches(),
        facts().sees_part(),
        facts().is_own_vote()
    )
}

/// Stores the submission if the session is open, the user takes part in it and the choice is one of its poll's. The table sees
/// to it that nobody submits twice, and a trigger counts: all of it is this one statement.
pub(crate) async fn insert(
    db: &Db,
    user: UserId,
    poll: PollId,
    session: PollSessionId,
    choice: PollChoiceId,
    now: Timestamp,
) -> db::Result<Option<PollSubmission>> {
    let sql = format!(
        "INSERT INTO poll_submissions (poll_session_id, poll_choice_id, user_id, created_at)
         SELECT s.id, choice.id, u.id, ?5
         FROM poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {USER}
             JOIN poll_choices choice ON choice.poll_id = s.poll_id AND choice.id = ?4
         WHERE s.poll_id = ?2 AND s.id = ?3 AND s.is_published AND {}
         RETURNING id, poll_session_id, poll_choice_id, user_id, created_at",
        facts().takes_part()
    );
    db.fetch(&sql, (user, poll, session, choice, now)).await
}
