//! Accounts: a tree, whose root is a tenant.

pub(crate) mod tenants;

use serde::Deserialize;
use shared::auth;
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::{AccountId, IdOrAlias};
use shared::needs::{NeededAccount, may};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::accounts::{Account, BadgeIssuers, SubAccountFilter};
use crate::model::checks::{MAX_CHARS, invalid, optional, required, time_zone};
use crate::model::unsupported;
use crate::store::accounts as store;
use crate::store::stickiness::{self, StickyRecord};

endpoints![list_accounts, get_account, update_account, list_sub_accounts, create_sub_account, delete_sub_account];

#[derive(Deserialize, JsonSchema)]
struct SubAccountPath {
    id: IdOrAlias<AccountId>,
}

impl From<BadgeIssuers> for serde_json::Value {
    fn from(makers: BadgeIssuers) -> Self {
        serde_json::json!(makers)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct AccountBody {
    pub(crate) account: AccountForm,
    /// Only for an account that exists. True unless given; false leaves the name that somebody has changed since an import.
    #[serde(default)]
    override_sis_stickiness: Option<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct AccountForm {
    name: Patch<String>,
    sis_account_id: Patch<String>,
    default_time_zone: Patch<String>,
    settings: AccountSettingsForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AccountSettingsForm {
    badge_issuers: Patch<BadgeIssuers>,
}

/// Lists the accounts that the caller administers.
#[endpoint(
    GET "/api/v1/accounts",
    foreigners(200, "lists the caller's own"),
    students(200, "lists those that the caller administers: none"),
)]
async fn list_accounts(cx: Context) -> Result<Reply<Vec<Account>>> {
    Ok(Reply::page(store::administered(&cx.db, cx.caller()?, &cx.page().await?).await?))
}

/// Reads an account.
#[endpoint(GET "/api/v1/accounts/:id")]
async fn get_account(cx: Context, account: NeededAccount<may::Administer>) -> Result<Reply<Account>> {
    Ok(Reply::ok(store::account(&cx.db, account.id).await?.or_not_found()?))
}

/// Changes an account.
#[endpoint(PUT "/api/v1/accounts/:id", unsupported(unsupported::ACCOUNT))]
async fn update_account(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<AccountBody>,
) -> Result<Reply<Account>> {
    let AccountBody { account: form, override_sis_stickiness } = body.decode()?;
    if form.settings.badge_issuers.is_present() && account.id != account.root_account {
        return Err(Error::invalid("settings", "invalid", "belong to the root account"));
    }
    let (record, changes) = (StickyRecord::Account(account.id), validated(form)?);
    let changes = stickiness::without_sticky(&cx.db, record, override_sis_stickiness, changes).await?;
    Ok(Reply::ok(store::update(&cx.db, account.id, changes, cx.now).await?.or_not_found()?))
}

/// Lists the accounts under an account.
#[endpoint(GET "/api/v1/accounts/:account_id/sub_accounts")]
async fn list_sub_accounts(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<SubAccountFilter>,
) -> Result<Reply<Vec<Account>>> {
    let filter = body.decode()?;
    Ok(Reply::page(store::sub_accounts(&cx.db, account.id, filter, &cx.page().await?).await?))
}

/// Creates an account under an account.
#[endpoint(POST "/api/v1/accounts/:account_id/sub_accounts", unsupported(unsupported::ACCOUNT))]
async fn create_sub_account(
    cx: Context,
    parent: NeededAccount<may::Administer>,
    body: Form<AccountBody>,
) -> Result<Reply<Account>> {
    let new = validated_new(body.decode()?.account)?;
    Ok(Reply::ok(store::insert(&cx.db, &parent, new, cx.now).await?.or_not_found()?))
}

/// Deletes an empty account.
#[endpoint(
    DELETE "/api/v1/accounts/:account_id/sub_accounts/:id",
    answers(409, "The account has courses or accounts below it."),
)]
async fn delete_sub_account(
    cx: Context,
    Path(at): Path<SubAccountPath>,
    parent: NeededAccount,
) -> Result<Reply<Account>> {
    let account = auth::account(&cx.db, cx.caller()?, &at.id).await?;
    store::child(&cx.db, parent.id, account.id).await?.or_not_found()?;
    parent.require_administrator()?;
    let deleted = store::delete(&cx.db, account.id, cx.now).await?;
    let has_some = || Error::conflict("You can't delete an account that has active courses or sub-accounts");
    Ok(Reply::ok(deleted.ok_or_else(has_some)?))
}

/// The fields of an account that is made: it needs a name.
pub(crate) fn validated_new(form: AccountForm) -> Result<Changes> {
    match form.name {
        Patch::Absent => Err(Error::missing("account[name]")),
        _ => validated(form),
    }
}

fn validated(form: AccountForm) -> Result<Changes> {
    let changes = Changes::default()
        .set("name", required("name", form.name, MAX_CHARS).map_err(invalid)?)
        .set("sis_account_id", optional("sis_account_id", form.sis_account_id, MAX_CHARS).map_err(invalid)?)
        .set("badge_issuers", form.settings.badge_issuers);
    let zone = required("default_time_zone", form.default_time_zone, MAX_CHARS).map_err(invalid)?;
    Ok(changes.set("default_time_zone", time_zone("default_time_zone", zone).map_err(invalid)?))
}
