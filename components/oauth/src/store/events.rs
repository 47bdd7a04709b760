//! The log of log-ins.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::events::LinkedUser;

/// Sorts behind every time.
const LAST: &str = "~";

/// Whose events.
#[derive(Clone, Copy)]
pub(crate) enum Log {
    Login(i64),
    Account(AccountId),
    User(UserId),
}

/// An event as it is stored.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) event_type: String,
    pub(crate) root_account_id: AccountId,
    pub(crate) user_id: Option<UserId>,
    pub(crate) real_user_id: Option<UserId>,
    pub(crate) pseudonym_id: Option<i64>,
    pub(crate) developer_key_id: Option<ClientId>,
    pub(crate) access_token_id: Option<TokenId>,
    pub(crate) network: String,
}

pub(crate) async fn events(
    db: &Db,
    root: AccountId,
    log: Log,
    (start, end): (Option<Timestamp>, Option<Timestamp>),
    page: &Page,
) -> Result<Paged<Row>> {
    let (column, id) = match log {
        Log::Login(id) => ("pseudonym_id", id),
        Log::Account(id) => ("root_account_id", id.0),
        Log::User(id) => ("user_id", id.0),
    };
    let sql = format!(
        "SELECT id, created_at, event_type, root_account_id, user_id, real_user_id, pseudonym_id, developer_key_id,
                access_token_id, network
         FROM authentication_events
         WHERE {column} = ?1 AND +root_account_id = ?2 AND created_at >= ?3 AND created_at <= ?4"
    );
    let start = start.map(Timestamp::with_microseconds).unwrap_or_default();
    let end = end.map_or_else(|| LAST.to_owned(), Timestamp::with_microseconds);
    page.fetch_keyset(db, &sql, (id, root, start, end), Key::descending(&["created_at", "id"])).await
}

/// The tenant of a login, be it deleted.
pub(crate) async fn root_of_login(db: &Db, tenant: Option<AccountId>, login: i64) -> db::Result<Option<AccountId>> {
    #[derive(Deserialize)]
    struct Owner {
        root_account_id: AccountId,
    }
    let sql = "SELECT root_account_id FROM pseudonyms WHERE id = ?1 AND (?2 IS NULL OR root_account_id = ?2)";
    Ok(db.fetch::<Owner>(sql, (login, tenant)).await?.map(|owner| owner.root_account_id))
}

/// Users of the tenant. Others, such as the site's administrators, are known by their ids alone.
pub(crate) async fn users(db: &Db, root: AccountId, ids: Vec<UserId>) -> db::Result<Vec<LinkedUser>> {
    db.fetch_all(
        "SELECT id, name FROM users
         WHERE root_account_id = ?1 AND id IN (SELECT value FROM json_each(?2)) ORDER BY id",
        (root, Json(ids)),
    )
    .await
}
