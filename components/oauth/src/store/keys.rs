//! Developer keys: the clients that administrators register.

use serde::Deserialize;
use shared::auth::AccountAccess;
use shared::db::{self, Changes, Json};
use shared::ids::{AccountId, ClientId, UserId};
use shared::needs::{Judgement, Lookup, MatchedPath, Needed, Record, nested};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Patch, Result, Timestamp};

use crate::model::developer_keys::DeveloperKey;

/// The columns of a [`DeveloperKey`].
const COLUMNS: &str = "id, CAST(id AS TEXT) AS client_id, name, account_id,
    (SELECT name FROM accounts WHERE id = account_id) AS account_name, user_id,
    (SELECT name FROM users WHERE id = user_id) AS user_name, ifnull(scopes, '[]') AS scopes,
    scopes IS NOT NULL AS require_scopes, redirect_uris, push_topic_arn, workflow_state, created_at";

/// A developer key as the OAuth2 endpoint needs it.
#[derive(Deserialize)]
pub(crate) struct ClientKey {
    pub(crate) id: ClientId,
    pub(crate) root_account_id: AccountId,
    pub(crate) name: String,
    pub(crate) secret_hash: String,
    pub(crate) user_id: Option<UserId>,
    pub(crate) redirect_uris: Json<Vec<String>>,
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// The fields of a key that are set or changed.
pub(crate) struct Change {
    pub(crate) name: Option<String>,
    pub(crate) user: Patch<UserId>,
    pub(crate) scopes: Patch<Vec<String>>,
    pub(crate) redirect_uris: Option<Vec<String>>,
    pub(crate) push_topic_arn: Patch<String>,
}

pub(crate) async fn of_client(db: &Db, id: ClientId) -> db::Result<Option<ClientKey>> {
    db.fetch(
        "SELECT k.id, k.root_account_id, k.name, k.secret_hash, u.id AS user_id, k.redirect_uris, k.scopes
         FROM developer_keys k
         JOIN accounts a ON a.id = k.account_id
         JOIN accounts root ON root.id = k.root_account_id
         LEFT JOIN users u ON u.id = k.user_id AND u.workflow_state <> 'deleted'
         WHERE k.id = ?1 AND k.workflow_state = 'active' AND a.workflow_state = 'active'
           AND root.workflow_state = 'active'",
        (id,),
    )
    .await
}

/// The keys of the account that is needed.
pub(crate) struct KeysOfAccount;

impl List for KeysOfAccount {
    type Row = DeveloperKey;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {COLUMNS} FROM developer_keys
             WHERE account_id = (caller.needed ->> 'id') AND workflow_state = 'active'"
        );
        Ok(Lookup::new(sql, ()))
    }
}

/// The key that a path names, in an account that the caller administers.
pub(crate) type NeededKey = Needed<KeyNamed, AdministerAccount>;

/// A key of the caller's tenant, with its account.
#[derive(Deserialize)]
pub(crate) struct KeyNamed {
    pub(crate) developer_key: Json<DeveloperKey>,
    pub(crate) account: Json<AccountAccess>,
}

impl Record for KeyNamed {
    const IDS: &'static [&'static str] = &["developer_keys"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ClientId = path.id("developer_keys")?;
        let developer_key =
            nested::<DeveloperKey>(&format!("SELECT {COLUMNS} FROM developer_keys WHERE id = known.id"))?;
        let account = nested::<AccountAccess>(&AccountAccess::by_id("known.account_id"))?;
        let sql = format!(
            "SELECT * FROM (
                 SELECT {developer_key} AS developer_key, {account} AS account FROM developer_keys known
                 WHERE known.id = ?1 AND known.workflow_state = 'active'
                   AND (caller.site_admin OR known.root_account_id = caller.root_account_id) LIMIT 1)
             WHERE account IS NOT NULL"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

/// Administer the account of a key.
pub(crate) struct AdministerAccount;

impl Judgement<KeyNamed> for AdministerAccount {
    const WHO: &'static str = "administrators of the key's account, or of one above it.";

    fn judge(key: &KeyNamed) -> Result<()> {
        key.account.0.require_administrator()
    }
}

pub(crate) async fn insert(
    db: &Db,
    (tenant, account): (AccountId, AccountId),
    secret_hash: &str,
    new: Change,
    now: Timestamp,
) -> db::Result<DeveloperKey> {
    let sql = format!(
        "INSERT INTO developer_keys
             (root_account_id, account_id, name, secret_hash, user_id, redirect_uris, scopes, push_topic_arn,
              created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING {COLUMNS}"
    );
    let redirect_uris = Json(new.redirect_uris.unwrap_or_default());
    let (user, scopes) = (new.user.into_option(), new.scopes.into_option().map(Json));
    let topic = new.push_topic_arn.into_option();
    db.fetch_one(&sql, (tenant, account, new.name, secret_hash, user, redirect_uris, scopes, topic, now)).await
}

/// Changes a key. Tokens that could call more than the key may from now on are revoked.
pub(crate) async fn update(db: &Db, id: ClientId, change: Change, now: Timestamp) -> Result<Option<DeveloperKey>> {
    let assignments = Changes::assignments(2, &["name", "redirect_uris"], &["user_id", "scopes", "push_topic_arn"]);
    let sql = format!(
        "UPDATE developer_keys SET {assignments}
         WHERE id = ?1 AND workflow_state = 'active' RETURNING {COLUMNS}"
    );
    let limit = change.scopes.clone().into_option();
    let changes = Changes::default()
        .set("name", Patch::from(change.name))
        .set("redirect_uris", Patch::from(change.redirect_uris))
        .set("user_id", change.user.map(|user| user.0))
        .set("scopes", change.scopes)
        .set("push_topic_arn", change.push_topic_arn);
    db.transaction(async |db| {
        let key = db.fetch(&sql, (id, changes)).await?;
        if let Some(limit) = limit {
            revoke_beyond(db, id, Json(limit), now).await?;
        }
        Ok(key)
    })
    .await
}

/// Revokes what a key gave, or what was made with that, which could call more than these scopes allow.
async fn revoke_beyond(db: &Db, id: ClientId, limit: Json<Vec<String>>, now: Timestamp) -> db::Result<()> {
    const BEYOND: &str = "revoked_at IS NULL AND (scopes IS NULL OR EXISTS (
        SELECT 1 FROM json_each(scopes) WHERE value NOT IN (SELECT value FROM json_each(?2))))";
    for (table, given) in [
        ("refresh_tokens", "developer_key_id = ?1"),
        ("access_tokens", "(developer_key_id = ?1 OR made_through_key_id = ?1)"),
    ] {
        let sql = format!("UPDATE {table} SET revoked_at = ?3 WHERE {given} AND {BEYOND}");
        db.execute(&sql, (id, limit.clone(), now)).await?;
    }
    Ok(())
}

/// Marks a key as deleted, which makes its tokens invalid.
pub(crate) async fn delete(db: &Db, id: ClientId) -> db::Result<Option<DeveloperKey>> {
    let sql = format!(
        "UPDATE developer_keys SET workflow_state = 'deleted' WHERE id = ?1 AND workflow_state = 'active'
         RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id,)).await
}
