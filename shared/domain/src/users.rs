//! The end of users, whichever area ends them.

use database::{Db, Json};
use types::clock::Timestamp;
use types::ids::UserId;

use crate::{auth, channels};

/// True of a user who may come in, by whatever way: is neither deleted nor suspended. The argument is the user's row.
#[macro_export]
macro_rules! may_come_in {
    ($user:literal) => {
        concat!(
            $user,
            ".workflow_state <> 'deleted' AND NOT EXISTS (SELECT 1 FROM suspended_users kept_out WHERE kept_out.user_id = ",
            $user,
            ".id)"
        )
    };
}

/// A statement for the user of that place, who may come in and administers the tenant, an expression, or the site: `user`,
/// `tenant` and `is_of_site`.
pub fn administrator_sql(user: &str, tenant: &str) -> String {
    format!(
        "SELECT u.id AS user, u.root_account_id AS tenant, u.site_admin AS is_of_site FROM users u
         WHERE u.id = {user} AND {} AND (u.site_admin OR EXISTS (
             SELECT 1 FROM account_admins WHERE user_id = u.id AND account_id = {tenant}))",
        may_come_in!("u")
    )
}

/// Deletes users: their logins are free, and nothing that they had is left. `db` is in a transaction.
pub async fn delete(db: &Db, users: &[UserId], now: Timestamp) -> database::Result<()> {
    for sql in [
        "UPDATE users SET workflow_state = 'deleted', updated_at = ?2
         WHERE id IN (SELECT value FROM json_each(?1)) AND workflow_state <> 'deleted'",
        "UPDATE enrollments SET workflow_state = 'deleted', updated_at = ?2
         WHERE user_id IN (SELECT value FROM json_each(?1)) AND workflow_state <> 'deleted'",
        "UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = ?2
         WHERE user_id IN (SELECT value FROM json_each(?1)) AND workflow_state <> 'deleted'",
    ] {
        db.execute(sql, (Json(users), now)).await?;
    }
    for sql in [
        "UPDATE pseudonyms SET workflow_state = 'deleted' WHERE user_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM account_admins WHERE user_id IN (SELECT value FROM json_each(?1))",
    ] {
        db.execute(sql, (Json(users),)).await?;
    }
    shut_out(db, users, now).await
}

/// Ends what lets users in and what reaches them: tokens, sessions, authorization codes, and channels.
/// `db` is in a transaction.
pub async fn shut_out(db: &Db, users: &[UserId], now: Timestamp) -> database::Result<()> {
    auth::revoke_all_but(db, users, None, now).await?;
    channels::retire_all(db, users, now).await
}
