//! Polls.

use serde::Deserialize;
use shared::auth::Caller;
use shared::ids::{PollId, UserId};
use shared::pagination::Page;
use shared::{Db, Paged, Patch, Result, Timestamp, db};

use crate::model::polls::Poll;
use crate::store::rights::{MAY_UPDATE, RUNS_A_SESSION, TAKES_PART, USER};

/// A poll as the user `?1` sees it.
fn seen() -> String {
    format!(
        "SELECT p.id, p.root_account_id, p.question, p.description, p.created_at,
                {MAY_UPDATE} AS may_update,
                {MAY_UPDATE} OR {RUNS_A_SESSION} AS may_list_sessions,
                {MAY_UPDATE} OR EXISTS (
                    SELECT 1 FROM poll_sessions s JOIN courses c ON c.id = s.course_id
                    WHERE s.poll_id = p.id AND {TAKES_PART}
                ) AS may_read,
                iif({MAY_UPDATE}, p.user_id, NULL) AS user_id,
                iif({MAY_UPDATE}, (
                    SELECT json_group_object(CAST(poll_choice_id AS TEXT), total) FROM (
                        SELECT r.poll_choice_id, sum(r.submissions) AS total
                        FROM poll_results r JOIN poll_sessions s ON s.id = r.poll_session_id
                        WHERE s.poll_id = p.id AND r.submissions > 0 GROUP BY r.poll_choice_id
                    )
                ), NULL) AS total_results
         FROM polls p {USER}"
    )
}

/// The user's own polls, the newest first.
pub(crate) async fn of(db: &Db, user: UserId, page: &Page) -> Result<Paged<Poll>> {
    let sql = format!("{} WHERE p.user_id = ?1 ORDER BY p.created_at DESC, p.id DESC", seen());
    page.fetch(db, &sql, (user,)).await
}

pub(crate) async fn find(db: &Db, user: UserId, id: PollId) -> db::Result<Option<Poll>> {
    db.fetch(&format!("{} WHERE p.id = ?2", seen()), (user, id)).await
}

pub(crate) async fn insert(
    db: &Db,
    owner: &Caller,
    question: String,
    description: Option<String>,
    now: Timestamp,
) -> db::Result<PollId> {
    #[derive(Deserialize)]
    struct Made {
        id: PollId,
    }
    let made: Made = db
        .fetch_one(
            "INSERT INTO polls (root_account_id, user_id, question, description, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
            (owner.root_account, owner.user, question, description, now),
        )
        .await?;
    Ok(made.id)
}

pub(crate) async fn update(
    db: &Db,
    id: PollId,
    question: Option<String>,
    description: Patch<String>,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE polls SET question = ifnull(?2, question), description = iif(?3, ?4, description), updated_at = ?5
         WHERE id = ?1",
        (id, question, description.is_present(), description.into_option(), now),
    )
    .await
}

/// Deletes the poll with its choices, sessions and submissions.
pub(crate) async fn delete(db: &Db, id: PollId) -> db::Result<()> {
    db.execute("DELETE FROM polls WHERE id = ?1", (id,)).await
}
