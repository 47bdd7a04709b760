//! Features that an account switches on or off, for itself and the accounts below it. All are on unless switched off.

use serde::Deserialize;

use crate::db::{self, Db};
use crate::ids::AccountId;

/// The features there are.
pub const FEATURES: [&str; 2] = ["ai_experiences", "mastery_api"];

/// Whether the feature is on for the account: what the account itself says counts, or else the next one above it.
pub async fn is_on(db: &Db, account: AccountId, feature: &str) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Row {
        is_on: bool,
    }
    let sql = format!("SELECT {} AS is_on", is_on_sql("?1", "?2"));
    Ok(db.fetch_one::<Row>(&sql, (account, feature)).await?.is_on)
}

/// The same as an expression of a statement that knows the account; `feature` is an expression too.
pub fn is_on_sql(account: &str, feature: &str) -> String {
    format!(
        "ifnull((
             WITH RECURSIVE above (id, distance) AS (
                 SELECT {account}, 0
                 UNION ALL
                 SELECT parent.parent_account_id, distance + 1 FROM accounts parent JOIN above ON parent.id = above.id
                 WHERE parent.parent_account_id IS NOT NULL
             )
             SELECT state = 'on' FROM above JOIN feature_flags ON account_id = above.id AND feature = {feature}
             ORDER BY distance LIMIT 1
         ), 1)"
    )
}
