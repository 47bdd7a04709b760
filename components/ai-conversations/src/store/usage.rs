//! Tokens that tenants have used, and the calls of the model that took them.

use shared::ids::AccountId;
use shared::status::ModelFailure;
use shared::{Db, db};

/// Counts a call, and adds to the month's tokens, unless they would be more than `most`: false then.
pub(crate) async fn begin(db: &Db, tenant: AccountId, month: &str, tokens: i64, most: i64) -> db::Result<bool> {
    db.affects(
        "INSERT INTO ai_usage (root_account_id, month, tokens, calls) SELECT ?1, ?2, max(?3, 0), 1 WHERE ?3 <= ?4
         ON CONFLICT DO UPDATE SET tokens = max(tokens + ?3, 0), calls = calls + 1 WHERE tokens + ?3 <= ?4
         RETURNING tokens",
        (tenant, month, tokens, most),
    )
    .await
}

/// Adds to the month's tokens, or takes some of them back, when the call has ended, and counts it where it has failed.
pub(crate) async fn end(
    db: &Db,
    tenant: AccountId,
    month: &str,
    difference: i64,
    failed: Option<ModelFailure>,
) -> db::Result<()> {
    db.execute(
        "UPDATE ai_usage
         SET tokens = max(tokens + ?3, 0), failed_calls = failed_calls + (?4 IS NOT NULL),
             last_failure = ifnull(?4, last_failure)
         WHERE root_account_id = ?1 AND month = ?2",
        (tenant, month, difference, failed.map(ModelFailure::name)),
    )
    .await
}
