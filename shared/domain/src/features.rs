//! Features that an account switches on or off, for itself and the accounts below it.

use database::Db;
use serde::Deserialize;
use types::ids::AccountId;

use crate::accounts_above;

/// The features there are.
pub const FEATURES: [&str; 3] = ["ai_experiences", "mastery_api", DIRECT_ENROLLMENT];

/// True if the staff of courses enroll users without their consent.
pub const DIRECT_ENROLLMENT: &str = "direct_enrollment";

/// Those that are off unless they are switched on: all others are on unless they are switched off.
const OFF_AT_FIRST: [&str; 1] = [DIRECT_ENROLLMENT];

/// True if the feature is on for the account: what the account itself says counts, or else the next one above it.
pub async fn is_on(db: &Db, account: AccountId, feature: &str) -> database::Result<bool> {
    #[derive(Deserialize)]
    struct Row {
        is_on: bool,
    }
    let sql = format!("SELECT ifnull({}, ?3) AS is_on", switch_sql("?1", "?2"));
    Ok(db.fetch_one::<Row>(&sql, (account, feature, is_on_at_first(feature))).await?.is_on)
}

/// True if the feature is on where no account says anything of it.
pub fn is_on_at_first(feature: &str) -> bool {
    !OFF_AT_FIRST.contains(&feature)
}

/// The same as an expression of a statement that knows the account, for a feature that is on at first; `feature` is an
/// expression too.
pub fn is_on_sql(account: &str, feature: &str) -> String {
    format!("ifnull({}, 1)", switch_sql(account, feature))
}

/// The setting of the account, or else the next one above it, as an expression; null where none says anything.
pub fn switch_sql(account: &str, feature: &str) -> String {
    let above = format!(accounts_above!("{account}", "id, distance"), account = account);
    format!(
        "(
             SELECT state = 'on' FROM {above} above
             JOIN feature_flags ON account_id = above.id AND feature = {feature}
             ORDER BY distance LIMIT 1
         )"
    )
}
