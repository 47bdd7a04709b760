//! The SQL of accounts.

use shared::auth::{AccountAccess, Caller};
use shared::db::{self, Changes, OnUnique};
use shared::ids::AccountId;
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp, accounts_below};
use uuid::Uuid;

use crate::model::accounts::{Account, SubAccountFilter, SubAccountOrder};
use crate::model::checks::already_taken;
use crate::model::filters::Direction;

pub(super) const ACCOUNT: &str = "id, name, parent_account_id, nullif(root_account_id, id) AS root_account_id,
    sis_account_id, default_time_zone, uuid, workflow_state, NULL AS course_count, NULL AS sub_account_count,
    iif(parent_account_id IS NULL, json_object('badge_issuers', badge_issuers), NULL) AS settings";

/// Those of which the caller is an administrator; those who administer the site have all root accounts too.
pub(crate) async fn administered(db: &Db, caller: &Caller, page: &Page) -> Result<Paged<Account>> {
    let sql = format!(
        "SELECT {ACCOUNT} FROM accounts
         WHERE workflow_state = 'active'
           AND (id IN (SELECT account_id FROM account_admins WHERE user_id = ?1) OR (?2 AND parent_account_id IS NULL))"
    );
    page.fetch_keyset(db, &sql, (caller.user, caller.site_admin), Key::ascending(&["id"])).await
}

pub(crate) async fn account(db: &Db, id: AccountId) -> db::Result<Option<Account>> {
    db.fetch(&format!("SELECT {ACCOUNT} FROM accounts WHERE id = ?1 AND workflow_state = 'active'"), (id,)).await
}

pub(crate) async fn child(db: &Db, parent: AccountId, id: AccountId) -> db::Result<Option<Account>> {
    let sql = format!(
        "SELECT {ACCOUNT} FROM accounts WHERE id = ?1 AND parent_account_id = ?2 AND workflow_state = 'active'"
    );
    db.fetch(&sql, (id, parent)).await
}

/// The accounts under an account, with the counts that are asked for. They are as few as the account is large, so that they
/// are put in order without an index.
pub(crate) async fn sub_accounts(
    db: &Db,
    parent: AccountId,
    filter: SubAccountFilter,
    page: &Page,
) -> Result<Paged<Account>> {
    let parents = if filter.recursive { accounts_below!("?1") } else { "(?1)" };
    let sql = format!(
        "SELECT id, name, parent_account_id, root_account_id, sis_account_id, default_time_zone, uuid, workflow_state,
                settings, lower(name) AS sort_key,
                iif(?2, (SELECT count(*) FROM courses c
                         WHERE c.account_id = found.id AND c.workflow_state <> 'deleted'), NULL) AS course_count,
                iif(?3, (SELECT count(*) FROM accounts a
                         WHERE a.parent_account_id = found.id AND a.workflow_state = 'active'),
                    NULL) AS sub_account_count
         FROM (SELECT {ACCOUNT} FROM accounts
               WHERE parent_account_id IN {parents} AND workflow_state = 'active') found"
    );
    let counted = |word| filter.include.names(word);
    let key = Direction::Asc.key(filter.order == SubAccountOrder::Name);
    let binds = (parent, counted("course_count"), counted("sub_account_count"));
    page.fetch_keyset(db, &sql, binds, key).await
}

/// Nothing, if the account above it is gone.
pub(crate) async fn insert(db: &Db, parent: &AccountAccess, new: Changes, now: Timestamp) -> Result<Option<Account>> {
    let sql = format!(
        "INSERT INTO accounts
             (name, sis_account_id, default_time_zone, parent_account_id, root_account_id, uuid, created_at, updated_at)
         SELECT ?1 ->> 'name', ?1 ->> 'sis_account_id', ifnull(?1 ->> 'default_time_zone', default_time_zone),
                id, root_account_id, ?2, ?3, ?3
         FROM accounts WHERE id = ?4 AND workflow_state = 'active'
         RETURNING {ACCOUNT}"
    );
    db.fetch(&sql, (new, Uuid::new_v4().to_string(), now, parent.id))
        .await
        .on_unique("accounts.root_account_id, accounts.sis_account_id", || already_taken("sis_account_id"))
}

pub(crate) async fn update(db: &Db, id: AccountId, changes: Changes, now: Timestamp) -> Result<Option<Account>> {
    let required = ["name", "default_time_zone", "badge_issuers"];
    let assignments = Changes::assignments(2, &required, &["sis_account_id"]);
    let sql = format!(
        "UPDATE accounts SET {assignments}, updated_at = ?3
         WHERE id = ?1 AND workflow_state = 'active'
         RETURNING {ACCOUNT}"
    );
    db.fetch(&sql, (id, changes, now))
        .await
        .on_unique("accounts.root_account_id, accounts.sis_account_id", || already_taken("sis_account_id"))
}

/// Nothing, if the account has courses or accounts under it. Its clients go with it, and their tokens with them.
pub(crate) async fn delete(db: &Db, id: AccountId, now: Timestamp) -> db::Result<Option<Account>> {
    let sql = format!(
        "UPDATE accounts SET workflow_state = 'deleted', updated_at = ?2
         WHERE id = ?1 AND workflow_state = 'active'
           AND NOT EXISTS (SELECT 1 FROM courses c WHERE c.account_id = ?1 AND c.workflow_state <> 'deleted')
           AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.parent_account_id = ?1 AND a.workflow_state = 'active')
         RETURNING {ACCOUNT}"
    );
    db.transaction(async |db| {
        let deleted = db.fetch(&sql, (id, now)).await?;
        if deleted.is_some() {
            db.execute("UPDATE developer_keys SET workflow_state = 'deleted' WHERE account_id = ?1", (id,)).await?;
        }
        Ok(deleted)
    })
    .await
}
