//! Tokens that tenants have used.

use shared::ids::AccountId;
use shared::{Db, db};

/// Adds to the month's tokens, unless they would be more than `most`: false then.
pub(crate) async fn add(db: &Db, tenant: AccountId, month: &str, tokens: i64, most: i64) -> db::Result<bool> {
    db.affects(
        "INSERT INTO ai_usage (root_account_id, month, tokens) SELECT ?1, ?2, max(?3, 0) WHERE ?3 <= ?4
         ON CONFLICT DO UPDATE SET tokens = max(tokens + ?3, 0) WHERE tokens + ?3 <= ?4
         RETURNING tokens",
        (tenant, month, tokens, most),
    )
    .await
}
