//! Features of accounts.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::features;
use shared::ids::AccountId;
use shared::needs::{Lookup, MatchedPath, Record};
use shared::{Db, Result, Timestamp, db};

/// The state of a feature for the account that is needed.
#[derive(Deserialize)]
pub(crate) struct FeatureState {
    pub(crate) is_on: bool,
}

impl Record for FeatureState {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let feature: String = path.behind("flags")?.or_not_found()?;
        let is_on_at_first = features::is_on_at_first(&feature);
        let switch = features::switch_sql("(caller.needed ->> 'id')", "?1");
        Ok(Lookup::new(format!("SELECT ifnull({switch}, ?2) AS is_on"), (feature, is_on_at_first)))
    }
}

pub(crate) async fn set(db: &Db, account: AccountId, feature: &str, on: bool, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO feature_flags (account_id, feature, state, updated_at) VALUES (?1, ?2, iif(?3, 'on', 'off'), ?4)
         ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at",
        (account, feature, on, now),
    )
    .await
}
