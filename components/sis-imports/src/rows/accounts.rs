//! Rows of accounts: the tree under the root account.

use serde::Deserialize;
use shared::ids::AccountId;
use shared::{Result, accounts_above};
use uuid::Uuid;

use crate::rows::known::record_known_as;
use crate::rows::{Read, Target, Verdict, optional, required, status};
use shared::csv::Row;

pub(super) struct Account<'a> {
    id: &'a str,
    parent: Option<&'a str>,
    name: Option<&'a str>,
    status: &'static str,
}

#[derive(Deserialize)]
struct KnownAccount {
    id: Option<AccountId>,
    name: Option<String>,
    parent_account_id: Option<AccountId>,
    workflow_state: Option<String>,
    /// The account that the row names as the parent.
    parent: Option<AccountId>,
    /// True if that is the account itself, or one under it.
    under_itself: bool,
    /// True if it has accounts or courses in it.
    in_use: bool,
}

pub(super) fn read(row: &Row) -> Read<Account<'_>> {
    let id = required(row, "account_id", "an account")?;
    let status = status(row, &["active", "deleted"], &format!("account {id}"))?;
    Ok(Account { id, parent: optional(row, "parent_account_id")?, name: optional(row, "name")?, status })
}

pub(super) async fn write(into: &Target<'_>, row: Account<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    if found.id == Some(into.root) {
        return Ok(Verdict::Refused("The root account is not changed by an import".to_owned()));
    }
    if row.status == "deleted" {
        return delete(into, found, row.id).await;
    }
    let Some(parent) = found.parent else {
        let parent = row.parent.unwrap_or_default();
        return Ok(Verdict::Refused(format!("Parent account didn't exist for account {}: {parent}", row.id)));
    };
    if found.under_itself {
        return Ok(Verdict::Refused(format!("Account {} cannot stand under itself", row.id)));
    }
    let Some(name) = row.name.map(str::to_owned).or_else(|| found.name.clone()) else {
        return Ok(Verdict::Refused(format!("No name given for account {}", row.id)));
    };
    let Some(id) = found.id else {
        insert(into, row.id, &name, parent).await?;
        return Ok(Verdict::Taken);
    };
    let as_it_is = found.workflow_state.as_deref() == Some("active")
        && found.parent_account_id == Some(parent)
        && found.name.as_ref() == Some(&name);
    if !as_it_is {
        let sql = "UPDATE accounts
             SET name = ?2, parent_account_id = ?3, workflow_state = 'active', updated_at = ?4 WHERE id = ?1";
        into.db.execute(sql, (id, name, parent, into.now)).await?;
    }
    Ok(Verdict::Taken)
}

async fn find(into: &Target<'_>, row: &Account<'_>) -> Result<KnownAccount> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT a.id, a.name, a.parent_account_id, a.workflow_state, p.id AS parent,
                ifnull(a.id IN ",
            accounts_above!("p.id"),
            ", FALSE) AS under_itself,
                EXISTS (SELECT 1 FROM courses c WHERE c.account_id = a.id AND c.workflow_state <> 'deleted')
                    OR EXISTS (SELECT 1 FROM accounts x
                               WHERE x.parent_account_id = a.id AND x.workflow_state = 'active') AS in_use
         FROM (SELECT 1)
         LEFT JOIN accounts a ON a.id = ",
            record_known_as!(Account, "?2"),
            "
         LEFT JOIN accounts p ON p.id = CASE WHEN ?3 IS NULL THEN ?1 ELSE (
             SELECT id FROM accounts
             WHERE root_account_id = ?1 AND sis_account_id = ?3 AND workflow_state <> 'deleted') END"
        ),
        (into.root, row.id, row.parent),
    );
    Ok(found.await?)
}

async fn insert(into: &Target<'_>, sis_id: &str, name: &str, parent: AccountId) -> Result<()> {
    let sql = "INSERT INTO accounts
             (name, sis_account_id, parent_account_id, root_account_id, uuid, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    let uuid = Uuid::new_v4().to_string();
    Ok(into.db.execute(sql, (name, sis_id, parent, into.root, uuid, into.now)).await?)
}

async fn delete(into: &Target<'_>, found: KnownAccount, sis_id: &str) -> Result<Verdict> {
    let Some(id) = found.id.filter(|_| found.workflow_state.as_deref() == Some("active")) else {
        return Ok(Verdict::Taken);
    };
    if found.in_use {
        return Ok(Verdict::Refused(format!("Account {sis_id} has courses or accounts in it and cannot be deleted")));
    }
    let sql = "UPDATE accounts SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1";
    into.db.execute(sql, (id, into.now)).await?;
    into.db.execute("UPDATE developer_keys SET workflow_state = 'deleted' WHERE account_id = ?1", (id,)).await?;
    Ok(Verdict::Taken)
}
