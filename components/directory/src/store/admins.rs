//! The SQL of administrators.

use shared::auth::AccountAccess;
use shared::db;
use shared::ids::{AccountId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::admins::Admin;
use crate::model::filters::AnyOf;

const ADMIN: &str = "id, role,
    (SELECT json_object('id', u.id, 'name', u.name, 'sortable_name', u.sortable_name, 'short_name', u.short_name,
                        'login_id', u.kept_login_id)
     FROM users u WHERE u.id = account_admins.user_id) AS user";

pub(crate) async fn admins(db: &Db, account: AccountId, users: AnyOf<UserId>, page: &Page) -> Result<Paged<Admin>> {
    let sql = format!(
        "SELECT {ADMIN}, 'active' AS workflow_state FROM account_admins
         WHERE account_id = ?1 AND (?2 IS NULL OR user_id IN (SELECT value FROM json_each(?2)))"
    );
    page.fetch_keyset(db, &sql, (account, users), Key::ascending(&["id"])).await
}

/// Nothing, if the user is none of the account's tenant. Who is an administrator already stays one.
pub(crate) async fn insert(
    db: &Db,
    account: &AccountAccess,
    user: UserId,
    now: Timestamp,
) -> db::Result<Option<Admin>> {
    let sql = format!(
        "INSERT INTO account_admins (account_id, user_id, created_at)
         SELECT ?1, id, ?4 FROM users WHERE id = ?2 AND root_account_id = ?3 AND workflow_state <> 'deleted'
         ON CONFLICT (user_id, account_id) DO UPDATE SET role = excluded.role
         RETURNING {ADMIN}, 'active' AS workflow_state"
    );
    db.fetch(&sql, (account.id, user, account.root_account, now)).await
}

/// True if the user is an administrator of the account itself.
pub(crate) async fn administers(db: &Db, account: AccountId, user: UserId) -> db::Result<bool> {
    let sql = "SELECT 1 AS found FROM account_admins WHERE user_id = ?1 AND account_id = ?2";
    db.affects(sql, (user, account)).await
}

pub(crate) async fn delete(db: &Db, account: AccountId, user: UserId) -> db::Result<Option<Admin>> {
    let sql = format!(
        "DELETE FROM account_admins WHERE account_id = ?1 AND user_id = ?2
         RETURNING {ADMIN}, 'deleted' AS workflow_state"
    );
    db.fetch(&sql, (account, user)).await
}
