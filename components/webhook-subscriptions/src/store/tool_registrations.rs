//! Registrations of tools that register themselves: an invitation, what the tool has sent, and what became of it.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::AccountAccess;
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, ToolProxyId, ToolRegistrationId, UserId};
use shared::pagination::Page;
use shared::{Db, Paged, Result, Timestamp};

use crate::model::tool_registrations::{Registering, ToolRegistration};
use crate::store::{tool_proxies, use_once};

/// The columns of [`ToolRegistration`], without the word `SELECT`.
pub(crate) const COLUMNS: &str =
    "r.id, r.account_id, r.version, r.status, t.guid, t.name, r.capabilities, r.configuration,
    r.initiation_url, r.invited_by, r.invited_until, r.created_at, r.registered_at, r.decided_by, r.decided_at";
const FROM: &str = "FROM tool_registrations r LEFT JOIN tool_proxies t ON t.id = r.tool_proxy_id";

pub(crate) struct Invitation {
    pub(crate) version: &'static str,
    pub(crate) initiation_url: String,
    pub(crate) uuid: String,
    pub(crate) token_hash: Option<String>,
    pub(crate) sealed_password: Option<String>,
    pub(crate) invited_by: UserId,
    pub(crate) until: Timestamp,
}

/// Invites a tool, unless the tenant has so many registrations that wait.
pub(crate) async fn invite(
    db: &Db,
    account: &AccountAccess,
    new: Invitation,
    most: i64,
    now: Timestamp,
) -> db::Result<Option<ToolRegistrationId>> {
    let row: Option<IdRow<ToolRegistrationId>> = db
        .fetch(
            "INSERT INTO tool_registrations
                 (root_account_id, account_id, version, initiation_url, uuid, token_hash, sealed_password, invited_by,
                  invited_until, created_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
             WHERE (SELECT count(*) FROM tool_registrations
                    WHERE root_account_id = ?1 AND status IN ('invited', 'pending')
                      AND (status = 'pending' OR invited_until > ?10)) < ?11
             RETURNING id",
            (
                account.root_account,
                account.id,
                new.version,
                new.initiation_url,
                new.uuid,
                new.token_hash,
                new.sealed_password,
                new.invited_by,
                new.until,
                now,
                most,
            ),
        )
        .await?;
    Ok(row.map(|row| row.id))
}

pub(crate) async fn find(db: &Db, id: ToolRegistrationId) -> db::Result<Option<ToolRegistration>> {
    db.fetch(&format!("SELECT {COLUMNS} {FROM} WHERE r.id = ?1"), (id,)).await
}

pub(crate) async fn of_account(
    db: &Db,
    account: AccountId,
    status: Option<&str>,
    page: &Page,
) -> Result<Paged<ToolRegistration>> {
    let condition = match status {
        Some(_) => "r.account_id = ?1 AND r.status = ?2",
        None => "r.account_id = ?1 AND ?2 IS NULL",
    };
    page.fetch(db, &format!("SELECT {COLUMNS} {FROM} WHERE {condition} ORDER BY r.id"), (account, status)).await
}

/// An invitation that is good still.
#[derive(Deserialize)]
pub(crate) struct Invited {
    pub(crate) id: ToolRegistrationId,
    root_account: AccountId,
    account: AccountId,
    pub(crate) sealed_password: Option<String>,
}

impl Invited {
    /// True if the tool asks at the account of its profile.
    pub(crate) fn is_for(&self, place: tool_proxies::Place) -> bool {
        matches!(place, tool_proxies::Place::Account(account) if account == self.account)
    }
}

/// While the accounts are there.
const GOOD: &str = "FROM tool_registrations r JOIN accounts a ON a.id = r.account_id
    JOIN accounts o ON o.id = r.root_account_id
    WHERE r.status = 'invited' AND r.invited_until > ?2
      AND a.workflow_state = 'active' AND o.workflow_state = 'active'";
const INVITED: &str = "r.id, r.root_account_id AS root_account, r.account_id AS account, r.sealed_password";

pub(crate) async fn invited_by_token(db: &Db, hash: &str, now: Timestamp) -> db::Result<Option<Invited>> {
    db.fetch(&format!("SELECT {INVITED} {GOOD} AND r.token_hash = ?1"), (hash, now)).await
}

/// The invitation of an LTI 2 tool by its registration key.
pub(crate) async fn invited_by_key(db: &Db, uuid: &str, now: Timestamp) -> db::Result<Option<Invited>> {
    db.fetch(&format!("SELECT {INVITED} {GOOD} AND r.uuid = ?1 AND r.sealed_password IS NOT NULL"), (uuid, now)).await
}

/// Notes that a signature of the invitation's tool was used; false where it was before. Those that have ended are forgotten.
pub(crate) async fn use_nonce(
    db: &Db,
    registration: ToolRegistrationId,
    nonce: &str,
    end: Timestamp,
    now: Timestamp,
) -> db::Result<bool> {
    use_once(
        db,
        "DELETE FROM tool_registration_nonces WHERE expires_at <= ?1",
        "INSERT INTO tool_registration_nonces (tool_registration_id, nonce, expires_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO NOTHING RETURNING nonce",
        (registration, nonce, end),
        now,
    )
    .await
}

/// Makes the tool, without capabilities, and lets its registration wait; false where somebody else has followed the
/// invitation.
pub(crate) async fn register(
    db: &Db,
    invited: &Invited,
    guid: &str,
    registering: Registering,
    now: Timestamp,
) -> db::Result<bool> {
    let Registering { name, capabilities, configuration, sealed_secret, methods, access_token_hash } = registering;
    let new = tool_proxies::New {
        root_account: invited.root_account,
        account: invited.account,
        guid: guid.to_owned(),
        name: Some(name),
        sealed_secret,
        capabilities: Vec::new(),
        methods,
    };
    db.transaction(async |db| {
        let sql = "SELECT 1 AS one FROM tool_registrations WHERE id = ?1 AND status = 'invited'";
        if !db.affects(sql, (invited.id,)).await? {
            return Ok(false);
        }
        tool_proxies::insert(db, new, now).await?;
        db.execute(
            "UPDATE tool_registrations
             SET status = 'pending', tool_proxy_id = (SELECT id FROM tool_proxies WHERE guid = ?2), capabilities = ?3,
                 configuration = ?4, access_token_hash = ?5, registered_at = ?6, token_hash = NULL, sealed_password = NULL
             WHERE id = ?1",
            (invited.id, guid, Json(Value::from(capabilities)), Json(configuration), access_token_hash, now),
        )
        .await?;
        Ok(true)
    })
    .await
}

/// A registration as its tool reads it.
#[derive(Deserialize)]
pub(crate) struct OwnRegistration {
    pub(crate) status: String,
    pub(crate) guid: String,
    pub(crate) registered_at: Timestamp,
    pub(crate) configuration: Json<Value>,
    /// The capabilities that the tool has.
    pub(crate) capabilities: Json<Vec<String>>,
}

pub(crate) async fn own(db: &Db, guid: &str, access_token_hash: &str) -> db::Result<Option<OwnRegistration>> {
    db.fetch(
        "SELECT r.status, t.guid, r.registered_at, r.configuration, t.capabilities
         FROM tool_registrations r JOIN tool_proxies t ON t.id = r.tool_proxy_id
         WHERE r.access_token_hash = ?2 AND t.guid = ?1 AND t.deleted_at IS NULL",
        (guid, access_token_hash),
    )
    .await
}

/// Gives the tool its capabilities; false where the registration does not wait, or the tool was removed.
pub(crate) async fn approve(
    db: &Db,
    registration: &ToolRegistration,
    capabilities: Vec<String>,
    by: UserId,
    now: Timestamp,
) -> db::Result<bool> {
    let Some(guid) = &registration.guid else { return Ok(false) };
    db.transaction(async |db| {
        let sql = "SELECT 1 AS one FROM tool_proxies WHERE guid = ?1 AND deleted_at IS NULL";
        let is_there = db.affects(sql, (guid.as_str(),)).await?;
        if !is_there || !decide(db, registration.id, &["pending"], "approved", by, now).await? {
            return Ok(false);
        }
        tool_proxies::update(db, guid, None, Some(capabilities), now).await?;
        Ok(true)
    })
    .await
}

/// Ends the invitation or the tool; false where it was decided before.
pub(crate) async fn refuse(db: &Db, registration: &ToolRegistration, by: UserId, now: Timestamp) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Tool {
        guid: Option<String>,
    }
    db.transaction(async |db| {
        if !decide(db, registration.id, &["invited", "pending"], "refused", by, now).await? {
            return Ok(false);
        }
        // It may have registered since it was looked at.
        let tool: Option<Tool> = db.fetch(&format!("SELECT t.guid {FROM} WHERE r.id = ?1"), (registration.id,)).await?;
        if let Some(guid) = tool.and_then(|tool| tool.guid) {
            tool_proxies::delete(db, &guid, now).await?;
        }
        Ok(true)
    })
    .await
}

async fn decide(
    db: &Db,
    id: ToolRegistrationId,
    from: &[&str],
    to: &str,
    by: UserId,
    now: Timestamp,
) -> db::Result<bool> {
    db.affects(
        "UPDATE tool_registrations
         SET status = ?3, decided_by = ?4, decided_at = ?5, token_hash = NULL, sealed_password = NULL
         WHERE id = ?1 AND status IN (SELECT value FROM json_each(?2)) RETURNING id",
        (id, Json(Value::from(from.to_vec())), to, by, now),
    )
    .await
}

/// The profile of an invitation of LTI 2, with the account at which its tool asks for tokens.
pub(crate) async fn profile(db: &Db, uuid: &str) -> db::Result<Option<AccountId>> {
    #[derive(Deserialize)]
    struct Row {
        account_id: AccountId,
    }
    let sql = "SELECT account_id FROM tool_registrations WHERE uuid = ?1 AND version = 'lti_2' AND status <> 'refused'";
    Ok(db.fetch::<Row>(sql, (uuid,)).await?.map(|row| row.account_id))
}

/// A tool that signs with a key of its own.
#[derive(Deserialize)]
pub(crate) struct KeyOwner {
    pub(crate) id: ToolProxyId,
    pub(crate) guid: String,
    pub(crate) jwks_uri: String,
    pub(crate) capabilities: Json<Vec<String>>,
}

/// The tool, if it has registered with LTI 1.3 and was approved.
pub(crate) async fn key_owner(db: &Db, guid: &str) -> db::Result<Option<KeyOwner>> {
    db.fetch(
        "SELECT t.id, t.guid, r.configuration ->> 'jwks_uri' AS jwks_uri, t.capabilities
         FROM tool_proxies t JOIN tool_registrations r ON r.tool_proxy_id = t.id
         JOIN accounts a ON a.id = t.account_id JOIN accounts o ON o.id = t.root_account_id
         WHERE t.guid = ?1 AND t.deleted_at IS NULL AND r.version = 'lti_1_3' AND r.status = 'approved'
           AND a.workflow_state = 'active' AND o.workflow_state = 'active'",
        (guid,),
    )
    .await
}
