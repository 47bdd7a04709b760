//! Choices of polls.

use shared::ids::{PollChoiceId, PollId};
use shared::{Db, Timestamp, db};

use crate::model::choices::PollChoice;
use crate::store::rights::{CALLER, may_update, watches_a_session};

/// The most choices of a poll.
pub(crate) const MAX_CHOICES: i64 = 100;
/// The highest position of a choice.
pub(crate) const MAX_POSITION: i64 = 2_147_483_647;

/// The fields of a choice that are set or changed.
pub(crate) struct Change {
    pub(crate) text: Option<String>,
    pub(crate) is_correct: Option<bool>,
    pub(crate) position: Option<i64>,
}

/// A choice as the caller sees it.
pub(super) fn select_visible() -> String {
    format!(
        "SELECT choice.id, choice.poll_id, choice.text, choice.position,
                iif({}, choice.is_correct, NULL) AS is_correct
         FROM poll_choices choice JOIN polls p ON p.id = choice.poll_id {CALLER}",
        is_solved()
    )
}

/// The choices of the poll `?1` as they are answered ([`PollChoice`]), by their position.
pub(super) fn of_poll() -> String {
    let is_solved = is_solved();
    format!(
        r#"SELECT concat(
            '{{"id":', choice.id, ',"poll_id":', choice.poll_id, ',"text":', json_quote(choice.text),
            ',"position":', choice.position,
            iif({is_solved}, iif(choice.is_correct, ',"is_correct":true', ',"is_correct":false'), ''), '}}') AS record
         FROM poll_choices choice JOIN polls p ON p.id = choice.poll_id {CALLER}
         WHERE choice.poll_id = ?1 ORDER BY choice.position, choice.id"#
    )
}

/// True if the user may know which choices of the poll are correct.
fn is_solved() -> String {
    format!(
        "({} OR {} OR EXISTS (
            SELECT 1 FROM poll_sessions s JOIN poll_submissions x ON x.poll_session_id = s.id
            WHERE s.poll_id = p.id AND NOT s.is_published AND x.user_id = u.id))",
        may_update(),
        watches_a_session()
    )
}

/// A choice as those see it who may change it.
const CHOICE: &str = "id, poll_id, text, position, is_correct";

/// A new choice without a position comes last; behind the highest there is, its id puts it there. Nothing, if the poll has as
/// many as it may have, or is not there any more.
pub(crate) async fn insert(db: &Db, poll: PollId, new: Change, now: Timestamp) -> db::Result<Option<PollChoice>> {
    let sql = format!(
        "INSERT INTO poll_choices (poll_id, text, is_correct, position, created_at, updated_at)
         SELECT id, ?2, ifnull(?3, 0), ifnull(?4, (
             SELECT min(1 + ifnull(max(position), 0), {MAX_POSITION}) FROM poll_choices WHERE poll_id = ?1
         )), ?5, ?5
         FROM polls WHERE id = ?1 AND (SELECT count(*) FROM poll_choices WHERE poll_id = ?1) < ?6
         RETURNING {CHOICE}"
    );
    db.fetch(&sql, (poll, new.text, new.is_correct, new.position, now, MAX_CHOICES)).await
}

/// Nothing, if the choice is not there any more.
pub(crate) async fn update(
    db: &Db,
    id: PollChoiceId,
    change: Change,
    now: Timestamp,
) -> db::Result<Option<PollChoice>> {
    let sql = format!(
        "UPDATE poll_choices
         SET text = ifnull(?2, text), is_correct = ifnull(?3, is_correct), position = ifnull(?4, position), updated_at = ?5
         WHERE id = ?1 RETURNING {CHOICE}"
    );
    db.fetch(&sql, (id, change.text, change.is_correct, change.position, now)).await
}

/// Deletes the choice with its submissions.
pub(crate) async fn delete(db: &Db, id: PollChoiceId) -> db::Result<()> {
    db.execute("DELETE FROM poll_choices WHERE id = ?1", (id,)).await
}
