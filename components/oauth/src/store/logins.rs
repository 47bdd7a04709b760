//! Logins with their passwords, and the count of wrong ones.

use serde::Deserialize;
use shared::ids::{AccountId, UserId};
use shared::{Db, Timestamp, db};

/// A login of a tenant, whose user is there.
#[derive(Deserialize)]
pub(crate) struct Login {
    pub(crate) user_id: UserId,
    pub(crate) password_hash: Option<String>,
}

/// A try that counts as a failure until the password proves right.
#[derive(Deserialize)]
pub(crate) struct Try {
    id: i64,
}

pub(crate) async fn login(db: &Db, tenant: AccountId, name: &str) -> db::Result<Option<Login>> {
    db.fetch(
        "SELECT p.user_id, p.password_hash FROM pseudonyms p JOIN users u ON u.id = p.user_id
         WHERE p.root_account_id = ?1 AND p.unique_id = ?2 AND p.workflow_state = 'active'
           AND u.workflow_state <> 'deleted'",
        (tenant, name),
    )
    .await
}

/// Counts a try before its password is looked at, unless there were `most` failures since then: so many tries at the
/// same moment cannot be more than that either.
pub(crate) async fn begin(
    db: &Db,
    tenant: AccountId,
    name: &str,
    most: i64,
    since: Timestamp,
    now: Timestamp,
) -> db::Result<Option<Try>> {
    db.execute("DELETE FROM login_failures WHERE failed_at <= ?1", (since,)).await?;
    db.fetch(
        "INSERT INTO login_failures (root_account_id, unique_id, failed_at)
         SELECT ?1, ?2, ?5 WHERE (
             SELECT count(*) FROM login_failures WHERE root_account_id = ?1 AND unique_id = ?2 AND failed_at > ?4
         ) < ?3
         RETURNING id",
        (tenant, name, most, since, now),
    )
    .await
}

/// The password was right: the try was no failure.
pub(crate) async fn succeed(db: &Db, attempt: Try) -> db::Result<()> {
    db.execute("DELETE FROM login_failures WHERE id = ?1", (attempt.id,)).await
}
