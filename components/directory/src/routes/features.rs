//! Features that an account switches on and off, for itself and the accounts below it.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::features::FEATURES;
use shared::ids::AccountId;
use shared::needs::{NeededAccount, may};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::store::features::{self as store, FeatureState};

endpoints![get_feature_flag, update_feature_flag];

#[derive(Deserialize, JsonSchema)]
struct FlagPath {
    /// `ai_experiences`, `mastery_api` or `direct_enrollment`.
    feature: String,
}

/// True if a feature is on.
#[derive(Serialize, JsonSchema)]
struct Flag {
    context_type: &'static str,
    context_id: AccountId,
    feature: String,
    /// `on` or `off`.
    state: &'static str,
    locked: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FlagForm {
    /// `on` or `off`.
    state: Option<String>,
}

/// Tells whether a feature is on.
#[endpoint(GET "/api/v1/accounts/:account_id/features/flags/:feature")]
async fn get_feature_flag(
    _: Context,
    Path(at): Path<FlagPath>,
    account: NeededAccount<may::Administer>,
    state: Prefetched<FeatureState>,
) -> Result<Reply<Flag>> {
    require_known(&at.feature)?;
    Ok(Reply::ok(flag(account.id, at.feature, state.record()?.is_on)))
}

/// Switches a feature on or off, for the account and those below it.
#[endpoint(PUT "/api/v1/accounts/:account_id/features/flags/:feature")]
async fn update_feature_flag(
    cx: Context,
    Path(at): Path<FlagPath>,
    account: NeededAccount<may::Administer>,
    body: Form<FlagForm>,
) -> Result<Reply<Flag>> {
    require_known(&at.feature)?;
    let on = match body.decode()?.state.as_deref() {
        Some("on") => true,
        Some("off") => false,
        _ => return Err(Error::invalid("state", "inclusion", "must be on or off")),
    };
    store::set(&cx.db, account.id, &at.feature, on, cx.now).await?;
    Ok(Reply::ok(flag(account.id, at.feature, on)))
}

/// 404 where there is no such feature.
fn require_known(feature: &str) -> Result<()> {
    FEATURES.contains(&feature).then_some(()).or_not_found()
}

fn flag(account: AccountId, feature: String, on: bool) -> Flag {
    let state = if on { "on" } else { "off" };
    Flag { context_type: "Account", context_id: account, feature, state, locked: false }
}
