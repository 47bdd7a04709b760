//! The SQL of tenants.

use shared::db::{Changes, IdRow, OnUnique};
use shared::ids::{AccountId, ClientId, UserId};
use shared::{Db, Error, Result, Timestamp};
use uuid::Uuid;

use crate::model::accounts::Account;
use crate::model::checks::already_taken;
use crate::store::accounts::ACCOUNT;

/// A root account, its administrator, and a client that acts for the administrator: all of them or none.
pub(crate) async fn insert(db: &Db, new: Changes, secret_hash: String, now: Timestamp) -> Result<(Account, ClientId)> {
    db.transaction(async |db| {
        let account = insert_account(db, new, now).await?;
        let admin = insert_admin(db, account.id, now).await?;
        let client = insert_client(db, account.id, admin, secret_hash, now).await?;
        Ok::<_, Error>((account, client))
    })
    .await
}

/// A root account names itself as its root, so its id must be known before.
async fn insert_account(db: &Db, new: Changes, now: Timestamp) -> Result<Account> {
    let sql = format!(
        "INSERT INTO accounts (id, root_account_id, name, sis_account_id, default_time_zone, uuid, created_at, updated_at)
         SELECT next, next, ?1 ->> 'name', ?1 ->> 'sis_account_id',
                ifnull(?1 ->> 'default_time_zone', 'America/Denver'), ?2, ?3, ?3
         FROM (SELECT max(id) + 1 AS next FROM accounts)
         RETURNING {ACCOUNT}"
    );
    db.fetch_one(&sql, (new, Uuid::new_v4().to_string(), now))
        .await
        .on_unique("accounts.root_account_id, accounts.sis_account_id", || already_taken("sis_account_id"))
}

async fn insert_admin(db: &Db, account: AccountId, now: Timestamp) -> Result<UserId> {
    let user: IdRow<UserId> = db
        .fetch_one(
            "INSERT INTO users (root_account_id, name, sortable_name, short_name, created_at, updated_at)
             VALUES (?1, 'Admin', 'Admin', 'Admin', ?2, ?2) RETURNING id",
            (account, now),
        )
        .await?;
    let login = "INSERT INTO pseudonyms (user_id, root_account_id, unique_id, created_at) VALUES (?1, ?2, 'admin', ?3)";
    db.execute(login, (user.id, account, now)).await?;
    let admin = "INSERT INTO account_admins (account_id, user_id, created_at) VALUES (?1, ?2, ?3)";
    db.execute(admin, (account, user.id, now)).await?;
    Ok(user.id)
}

async fn insert_client(
    db: &Db,
    account: AccountId,
    user: UserId,
    secret_hash: String,
    now: Timestamp,
) -> Result<ClientId> {
    let client: IdRow<ClientId> = db
        .fetch_one(
            "INSERT INTO developer_keys (root_account_id, account_id, name, secret_hash, user_id, created_at)
             VALUES (?1, ?1, 'Administration', ?2, ?3, ?4) RETURNING id",
            (account, secret_hash, user, now),
        )
        .await?;
    Ok(client.id)
}
