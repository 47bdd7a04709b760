//! The SQL of codes.

use serde::Deserialize;
use shared::auth::secrets;
use shared::channels;
use shared::db;
use shared::ids::ChannelId;
use shared::{Db, Result, Timestamp};

use crate::model::channels::Row;
use crate::store::channels::COLUMNS;

/// The number of times that one code may be tried.
const MAX_TRIES: i64 = 5;

/// The outcome of a try.
pub(crate) enum Try {
    /// The channel is active.
    Right(Box<Row>),
    Wrong,
    /// There is no code, or it is too old, or it was tried too often.
    NoneLeft,
}

/// Tries a code. The try is counted before it is judged, so that no more than so many are made however many come at
/// once.
pub(crate) async fn try_code(db: &Db, channel: ChannelId, code: &str, now: Timestamp) -> Result<Try> {
    #[derive(Deserialize)]
    struct CodeRow {
        code_hash: String,
    }
    db.transaction(async |db| {
        let kept: Option<CodeRow> = db
            .fetch(
                "UPDATE confirmation_codes SET tries = tries + 1
                 WHERE channel_id = ?1 AND tries < ?2 AND expires_at > ?3 RETURNING code_hash",
                (channel, MAX_TRIES, now),
            )
            .await?;
        let Some(CodeRow { code_hash }) = kept else { return Ok(Try::NoneLeft) };
        if !secrets::same(&hash(code), &code_hash) {
            return Ok(Try::Wrong);
        }
        Ok(activate(db, channel, now).await?.map_or(Try::NoneLeft, |row| Try::Right(Box::new(row))))
    })
    .await
}

/// Confirms the channel that a code is for. The same code may come again: a browser that heard no answer asks twice.
pub(crate) async fn confirm_by_code(db: &Db, code: &str, now: Timestamp) -> Result<Option<Row>> {
    db.transaction(async |db| match of_code(db, code, now).await? {
        Some(found) => Ok(activate(db, found.id, now).await?),
        None => Ok(None),
    })
    .await
}

/// The purpose of a code.
#[derive(Deserialize)]
pub(crate) struct ConfirmationRow {
    id: ChannelId,
    pub(crate) address: String,
    /// The user who wants messages to come there.
    pub(crate) user_name: String,
    pub(crate) account_name: String,
}

/// The hash is looked up, not the code: how long that takes tells nothing of any code.
pub(crate) async fn of_code(db: &Db, code: &str, now: Timestamp) -> db::Result<Option<ConfirmationRow>> {
    db.fetch(
        "SELECT c.id, c.address, u.name AS user_name, a.name AS account_name FROM confirmation_codes k
         JOIN communication_channels c ON c.id = k.channel_id
         JOIN users u ON u.id = c.user_id JOIN accounts a ON a.id = c.root_account_id AND a.workflow_state = 'active'
         WHERE k.code_hash = ?1 AND k.expires_at > ?2 AND k.tries < ?3 AND c.workflow_state <> 'retired'",
        (hash(code), now, MAX_TRIES),
    )
    .await
}

fn hash(code: &str) -> String {
    secrets::hash(channels::as_written(code))
}

async fn activate(db: &Db, channel: ChannelId, now: Timestamp) -> db::Result<Option<Row>> {
    let sql = format!(
        "UPDATE communication_channels
         SET workflow_state = 'active', updated_at = iif(workflow_state = 'active', updated_at, ?2),
             told_by_default = {}
         WHERE id = ?1 AND workflow_state <> 'retired' RETURNING {COLUMNS}",
        channels::SETTLED
    );
    db.fetch(&sql, (channel, now)).await
}
