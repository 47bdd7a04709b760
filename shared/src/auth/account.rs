//! Accounts: which one is named, and whether the caller administers it.

use serde::Deserialize;

use super::Caller;
use crate::JsonSchema;
use crate::db::Db;
use crate::error::{Error, OrNotFound, Result};
use crate::ids::{AccountId, Named};

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
    /// Whether the caller administers it.
    pub admin: bool,
}

impl AccountAccess {
    /// 403 unless the caller administers it.
    pub fn must_administer(&self) -> Result<()> {
        if self.admin { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// A path to something of an account.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AccountPath {
    #[expect(missing_docs, reason = "the type says in the description how it is named")]
    pub account_id: Named<AccountId>,
}

/// The account that is named; 404 where the caller's tenant has none like that.
pub async fn account(db: &Db, caller: &Caller, named: &Named<AccountId>) -> Result<AccountAccess> {
    let (id, sis_id, uuid) = match named {
        Named::Own => (Some(caller.root_account), None, None),
        Named::Id(id) => (Some(*id), None, None),
        Named::Other(prefix, value) => match prefix.as_str() {
            "default" => (Some(caller.root_account), None, None),
            "site_admin" if caller.site_admin => (Some(SITE), None, None),
            "sis_account_id" => (None, Some(value.as_str()), None),
            "uuid" => (None, None, Some(value.as_str())),
            _ => return Err(Error::not_found()),
        },
    };
    let account: Option<AccountAccess> = db
        .fetch(
            "SELECT a.id, a.root_account_id AS root_account, a.name,
                    ?5 OR EXISTS (
                        WITH RECURSIVE above (id) AS (
                            SELECT a.id
                            UNION ALL
                            SELECT parent.parent_account_id FROM accounts parent JOIN above ON parent.id = above.id
                            WHERE parent.parent_account_id IS NOT NULL
                        )
                        SELECT 1 FROM account_admins WHERE user_id = ?4 AND account_id IN above
                    ) AS admin
             FROM accounts a
             WHERE a.workflow_state <> 'deleted' AND (?3 IS NULL OR a.root_account_id = ?3)
               AND a.id = CASE
                   WHEN ?1 IS NOT NULL THEN ?1
                   WHEN ?2 IS NOT NULL THEN (
                       SELECT id FROM accounts WHERE sis_account_id = ?2 AND root_account_id = ?6
                         AND workflow_state <> 'deleted')
                   ELSE (SELECT id FROM accounts WHERE uuid = ?7)
               END",
            (id, sis_id, caller.tenant(), caller.user, caller.site_admin, caller.root_account, uuid),
        )
        .await?;
    account.or_not_found()
}
