//! Features that an account switches on and off, for itself and the accounts below it.

use serde::{Deserialize, Serialize};
use shared::auth;
use shared::error::OrNotFound;
use shared::features::{self, FEATURES};
use shared::ids::{AccountId, IdOrAlias};
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::store::features as store;

endpoints![get_feature_flag, update_feature_flag];

#[derive(Deserialize, JsonSchema)]
struct FlagPath {
    account_id: IdOrAlias<AccountId>,
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
async fn get_feature_flag(cx: Context, Path(at): Path<FlagPath>) -> Result<Reply<Flag>> {
    let account = account(&cx, &at).await?;
    let on = features::is_on(&cx.db, account, &at.feature).await?;
    Ok(Reply::ok(flag(account, at.feature, on)))
}

/// Switches a feature on or off, for the account and those below it.
#[endpoint(PUT "/api/v1/accounts/:account_id/features/flags/:feature")]
async fn update_feature_flag(cx: Context, Path(at): Path<FlagPath>, body: Form<FlagForm>) -> Result<Reply<Flag>> {
    let account = account(&cx, &at).await?;
    let on = match body.decode()?.state.as_deref() {
        Some("on") => true,
        Some("off") => false,
        _ => return Err(Error::invalid("state", "inclusion", "must be on or off")),
    };
    store::set(&cx.db, account, &at.feature, on, cx.now).await?;
    Ok(Reply::ok(flag(account, at.feature, on)))
}

/// The account, for its administrators, if there is such a feature.
async fn account(cx: &Context, at: &FlagPath) -> Result<AccountId> {
    let account = auth::account(&cx.db, cx.caller()?, &at.account_id).await?;
    account.require_administrator()?;
    FEATURES.contains(&at.feature.as_str()).then_some(account.id).or_not_found()
}

fn flag(account: AccountId, feature: String, on: bool) -> Flag {
    let state = if on { "on" } else { "off" };
    Flag { context_type: "Account", context_id: account, feature, state, locked: false }
}
