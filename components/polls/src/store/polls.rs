//! Polls.

use serde::Deserialize;
use shared::auth::Caller;
use shared::ids::PollId;
use shared::{Db, Patch, Timestamp, db};

use crate::model::polls::Poll;
use crate::store::rights::{CALLER, facts, may_update, watches_a_session};

/// A poll as the caller sees it.
pub(super) fn select_visible() -> String {
    let (may_update, watches_a_session, takes_part) = (may_update(), watches_a_session(), facts().takes_part());
    let total_results = total_results();
    format!(
        "SELECT p.id, p.root_account_id, p.question, p.description, p.created_at,
                {may_update} AS may_update,
                {may_update} OR {watches_a_session} AS may_list_sessions,
                {may_update} OR EXISTS (
                    SELECT 1 FROM poll_sessions s JOIN courses c ON c.id = s.course_id
                    WHERE s.poll_id = p.id AND {takes_part}
                ) AS may_read,
                iif({may_update}, p.user_id, NULL) AS user_id,
                iif({may_update}, {total_results}, NULL) AS total_results
         FROM polls p {CALLER}"
    )
}

/// The caller's own polls as they are answered ([`Poll`]), the newest first.
pub(super) fn own() -> String {
    let total_results = total_results();
    format!(
        r#"SELECT concat(
            '{{"id":', p.id, ',"question":', json_quote(p.question), ',"description":', json_quote(p.description),
            ',"created_at":"', p.created_at, '","user_id":', p.user_id, ',"total_results":', {total_results}, '}}') AS record
         FROM polls p {CALLER}
         WHERE p.user_id = caller.user_id ORDER BY p.created_at DESC, p.id DESC"#
    )
}

/// The votes for each choice in all sessions that the user reaches ([`Counts`](crate::model::polls::Counts)).
fn total_results() -> String {
    let (counted, reaches) = (facts().counted(), facts().reaches());
    // A poll that was never opened has none: nothing is summed up for it.
    format!(
        "iif(NOT EXISTS (SELECT 1 FROM poll_sessions s WHERE s.poll_id = p.id), '{{}}', (
          SELECT json_group_object(chosen, total) FROM (
              SELECT CAST(r.poll_choice_id AS TEXT) AS chosen, sum({counted}) AS total
              FROM poll_results r
              JOIN poll_sessions s ON s.id = r.poll_session_id
              JOIN courses c ON c.id = s.course_id
              WHERE s.poll_id = p.id AND r.submissions > 0 AND {reaches} GROUP BY r.poll_choice_id ORDER BY chosen
          ) WHERE total > 0))"
    )
}

/// Answers the poll as its owner sees it.
pub(crate) async fn insert(
    db: &Db,
    owner: &Caller,
    question: String,
    description: Option<String>,
    now: Timestamp,
) -> db::Result<Poll> {
    db.fetch_one(
        "INSERT INTO polls (root_account_id, user_id, question, description, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5)
         RETURNING id, root_account_id, question, description, created_at, user_id, '{}' AS total_results,
             1 AS may_update, 1 AS may_list_sessions, 1 AS may_read",
        (owner.root_account, owner.user, question, description, now),
    )
    .await
}

/// What a change of a poll has left in it.
#[derive(Deserialize)]
pub(crate) struct Texts {
    pub(crate) question: String,
    pub(crate) description: Option<String>,
}

/// Nothing, if the poll is not there any more.
pub(crate) async fn update(
    db: &Db,
    id: PollId,
    question: Option<String>,
    description: Patch<String>,
    now: Timestamp,
) -> db::Result<Option<Texts>> {
    db.fetch(
        "UPDATE polls SET question = ifnull(?2, question), description = iif(?3, ?4, description), updated_at = ?5
         WHERE id = ?1 RETURNING question, description",
        (id, question, description.is_present(), description.into_option(), now),
    )
    .await
}

/// Deletes the poll with its choices, sessions and submissions.
pub(crate) async fn delete(db: &Db, id: PollId) -> db::Result<()> {
    db.execute("DELETE FROM polls WHERE id = ?1", (id,)).await
}
