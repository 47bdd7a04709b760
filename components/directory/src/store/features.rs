//! Features of accounts.

use shared::ids::AccountId;
use shared::{Db, Timestamp, db};

pub(crate) async fn set(db: &Db, account: AccountId, feature: &str, on: bool, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO feature_flags (account_id, feature, state, updated_at) VALUES (?1, ?2, iif(?3, 'on', 'off'), ?4)
         ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at",
        (account, feature, on, now),
    )
    .await
}
