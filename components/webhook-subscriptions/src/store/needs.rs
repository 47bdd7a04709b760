//! The needs of the endpoints for administrators: a tool, in the statement that finds the caller. Tools themselves call
//! with tokens of their own: see [`crate::access`].

use serde::Deserialize;
use shared::Result;
use shared::auth::AccountAccess;
use shared::db::{self, Json};
use shared::ids::{IdOrAlias, ToolRegistrationId};
use shared::needs::{Judgement, Lookup, MatchedPath, Record, nested};

use crate::model::tool_proxies::{AccountFilter, ToolProxy};
use crate::model::tool_registrations::ToolRegistration;
use crate::store::tool_registrations;

/// The account that a list names by its `account_id`: the caller's root account unless given.
#[derive(Deserialize)]
pub(crate) struct ListedAccount {
    account: Json<AccountAccess>,
}

impl ListedAccount {
    /// The account, which the caller must administer.
    pub(crate) fn administered(self) -> Result<AccountAccess> {
        self.account.0.require_administrator()?;
        Ok(self.account.0)
    }
}

impl Record for ListedAccount {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let named = path.query::<AccountFilter>()?.account_id.unwrap_or(IdOrAlias::Own);
        let (accounts, values) = AccountAccess::named(&named)?.into_parts();
        let object = db::json_object::<AccountAccess>()?;
        Ok(Lookup::new(format!("SELECT {object} AS account FROM ({accounts})"), values))
    }
}

/// A tool, and the account with which it is registered.
#[derive(Deserialize)]
pub(crate) struct ManagedTool {
    pub(crate) tool: Json<ToolProxy>,
    account: Json<AccountAccess>,
}

impl Record for ManagedTool {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let guid: String = path.id("tool_proxies")?;
        let tool = nested::<ToolProxy>(
            "SELECT t.guid, t.account_id, t.name, t.capabilities, t.created_at, NULL AS shared_secret",
        )?;
        let account = nested::<AccountAccess>(&AccountAccess::by_id("t.account_id"))?;
        let sql = format!(
            "SELECT * FROM (
                 SELECT {tool} AS tool, {account} AS account FROM tool_proxies t
                 WHERE t.guid = ?1 AND t.deleted_at IS NULL
                   AND (caller.site_admin OR t.root_account_id = caller.root_account_id)
                 LIMIT 1
             ) WHERE account IS NOT NULL"
        );
        Ok(Lookup::new(sql, (guid,)))
    }
}

/// The registration of a tool, and the account with which it registers.
#[derive(Deserialize)]
pub(crate) struct ManagedRegistration {
    pub(crate) registration: Json<ToolRegistration>,
    account: Json<AccountAccess>,
}

impl Record for ManagedRegistration {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ToolRegistrationId = path.id("tool_registrations")?;
        let registration = nested::<ToolRegistration>(&format!("SELECT {}", tool_registrations::COLUMNS))?;
        let account = nested::<AccountAccess>(&AccountAccess::by_id("r.account_id"))?;
        let sql = format!(
            "SELECT * FROM (
                 SELECT {registration} AS registration, {account} AS account
                 FROM tool_registrations r LEFT JOIN tool_proxies t ON t.id = r.tool_proxy_id
                 WHERE r.id = ?1 AND (caller.site_admin OR r.root_account_id = caller.root_account_id)
                 LIMIT 1
             ) WHERE account IS NOT NULL"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

impl Judgement<ManagedRegistration> for Manage {
    const WHO: &'static str = "administrators of the account with which the tool registers, or of one above it.";

    fn judge(registration: &ManagedRegistration) -> Result<()> {
        registration.account.0.require_administrator()
    }
}

/// Change the tool: administer its account.
pub(crate) struct Manage;

impl Judgement<ManagedTool> for Manage {
    const WHO: &'static str = "administrators of the tool's account, or of one above it.";

    fn judge(tool: &ManagedTool) -> Result<()> {
        tool.account.0.require_administrator()
    }
}
