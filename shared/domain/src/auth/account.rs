//! Accounts: which one is named, and whether the caller administers it.

use database::{Binds, Db};
use serde::Deserialize;
use types::JsonSchema;
use types::ids::{AccountId, IdOrAlias};
use web::error::{Error, Result};
use web::lookup::{self, Lookup, MatchedPath, Record};

use super::Caller;
use crate::administers_account;

/// The account from which the whole site is administered: the first.
const SITE: AccountId = AccountId(1);

/// An account, and whether the caller administers it: as administrator of it, of one above it, or of the site.
#[derive(Debug, Clone, Deserialize)]
pub struct AccountAccess {
    /// Its id.
    pub id: AccountId,
    /// The tenant it belongs to.
    pub root_account: AccountId,
    /// Its name.
    pub name: String,
    /// True if the caller administers it.
    pub admin: bool,
}

impl AccountAccess {
    /// 403 unless the caller administers it.
    pub fn require_administrator(&self) -> Result<()> {
        if self.admin { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// The tenant of the record that is needed, which [`AccountAccess::with_tenant`] has found, in a statement of a list. A statement of its
/// own asks the caller: a list that referred to the caller around it would find its page anew for each statement about the page.
pub const NEEDED_TENANT: &str = "(SELECT caller.needed ->> 'tenant' ->> 'root_account' FROM caller)";

/// The id of that record, for who administers its tenant; null for others.
pub const NEEDED_ID: &str = "(SELECT caller.needed ->> 'id' FROM caller WHERE caller.needed ->> 'tenant' ->> 'admin')";

/// A path to something of an account.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AccountPath {
    #[expect(missing_docs, reason = "the type says in the description how it is named")]
    pub account_id: IdOrAlias<AccountId>,
}

/// The account that is named; 404 where the caller's tenant has none like that.
pub async fn account(db: &Db, caller: &Caller, named: &IdOrAlias<AccountId>) -> Result<AccountAccess> {
    lookup::find(db, caller, lookup(named)?).await
}

impl Record for AccountAccess {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.behind("accounts")?.unwrap_or(IdOrAlias::Own))
    }
}

/// The accounts of the caller's tenant, and whether the caller administers them.
const ACCOUNTS: &str = concat!(
    "
    SELECT a.id, a.root_account_id AS root_account, a.name,
           caller.site_admin OR ",
    administers_account!("caller.user_id", "a.id"),
    " AS admin
    FROM accounts a
    WHERE a.workflow_state <> 'deleted' AND (caller.site_admin OR a.root_account_id = caller.root_account_id)"
);

impl AccountAccess {
    /// The statement of a lookup that finds an account by an expression of its id.
    pub fn by_id(id: &str) -> String {
        format!("{ACCOUNTS} AND a.id = {id}")
    }

    /// The lookup of the account that is named, where it is no path that names it.
    pub fn named(named: &IdOrAlias<AccountId>) -> Result<Lookup> {
        lookup(named)
    }

    /// A lookup of the record that a statement finds with the columns `id` and `root_account`: its id, and as JSON its `tenant`,
    /// which is that root account with what the caller may do there. Nothing where the caller does not see the tenant.
    pub fn with_tenant(record: &str, binds: impl Binds) -> Result<Lookup> {
        let tenant = lookup::nested::<Self>(&Self::by_id("record.root_account"))?;
        // With a limit SQLite makes the row once, instead of the tenant twice.
        let sql = format!(
            "SELECT * FROM (SELECT record.id, {tenant} AS tenant FROM ({record}) record LIMIT 1) WHERE tenant IS NOT NULL"
        );
        Ok(Lookup::new(sql, binds))
    }
}

fn lookup(named: &IdOrAlias<AccountId>) -> Result<Lookup> {
    let (column, value) = match named {
        IdOrAlias::Own => ("own", String::new()),
        IdOrAlias::Id(id) => ("id", id.to_string()),
        IdOrAlias::Other(prefix, value) => match prefix.as_str() {
            "default" => ("own", String::new()),
            "site_admin" => ("site", SITE.to_string()),
            "sis_account_id" => ("sis_account_id", value.clone()),
            "uuid" => ("uuid", value.clone()),
            _ => return Err(Error::not_found()),
        },
    };
    let sql = AccountAccess::by_id(
        "CASE ?1
             WHEN 'own' THEN caller.root_account_id
             WHEN 'id' THEN CAST(?2 AS INTEGER)
             WHEN 'site' THEN iif(caller.site_admin, CAST(?2 AS INTEGER), NULL)
             WHEN 'sis_account_id' THEN (
                 SELECT id FROM accounts WHERE sis_account_id = ?2 AND root_account_id = caller.root_account_id
                   AND workflow_state <> 'deleted')
             ELSE (SELECT id FROM accounts WHERE uuid = ?2)
         END",
    );
    Ok(Lookup::new(sql, (column, value)))
}
