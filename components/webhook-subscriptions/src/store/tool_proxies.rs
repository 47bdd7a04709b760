//! Tools, and the assertions that they have used.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;
use shared::db::{self, Changes, Json};
use shared::ids::{AccountId, CourseId, ToolProxyId};
use shared::needs::nested;
use shared::pagination::Page;
use shared::{Db, Paged, Patch, Result, Timestamp};

use crate::model::capabilities::Capabilities;
use crate::model::subscriptions::KnownSubscription;
use crate::model::tool_proxies::ToolProxy;
use crate::model::tools::Tool;
use crate::store::use_once;

pub(crate) struct New {
    pub(crate) root_account: AccountId,
    pub(crate) account: AccountId,
    pub(crate) guid: String,
    pub(crate) name: Option<String>,
    pub(crate) sealed_secret: String,
    pub(crate) capabilities: Vec<String>,
    /// The methods with which it may call; none: all of them.
    pub(crate) methods: Option<Vec<String>>,
}

/// The endpoint where a tool asks for a token.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Account(AccountId),
    Course(CourseId),
}

/// A tool whose assertion is to be checked.
#[derive(Deserialize)]
pub(crate) struct Signer {
    pub(crate) id: ToolProxyId,
    pub(crate) guid: String,
    pub(crate) sealed_secret: String,
    /// The secret before it, as long as that is good.
    pub(crate) sealed_previous_secret: Option<String>,
}

pub(crate) async fn insert(db: &Db, new: New, now: Timestamp) -> db::Result<ToolProxy> {
    db.fetch_one(
        "INSERT INTO tool_proxies (guid, root_account_id, account_id, name, sealed_secret, capabilities, created_at,
             subscription_methods)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         RETURNING guid, account_id, name, capabilities, created_at",
        (
            new.guid,
            new.root_account,
            new.account,
            new.name,
            new.sealed_secret,
            Json(Value::from(new.capabilities)),
            now,
            new.methods.map(Json),
        ),
    )
    .await
}

pub(crate) async fn of_account(db: &Db, account: AccountId, page: &Page) -> Result<Paged<ToolProxy>> {
    page.fetch(
        db,
        "SELECT guid, account_id, name, capabilities, created_at, NULL AS shared_secret
         FROM tool_proxies WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY id",
        (account,),
    )
    .await
}

/// Changes what is named. With other capabilities the tool's subscriptions tell of what it may know of and they ask for, and
/// what was still to be sent of anything else is not sent.
pub(crate) async fn update(
    db: &Db,
    guid: &str,
    name: Option<String>,
    capabilities: Option<Vec<String>>,
    now: Timestamp,
) -> db::Result<Option<ToolProxy>> {
    let allowed = capabilities.as_ref().map(|held| Json(Value::from(Capabilities(held).allowed())));
    // As text, so that it is stored as it is written here.
    let held = capabilities.map(|held| Value::from(held).to_string());
    let changes = Changes::default().set("name", Patch::from(name)).set("capabilities", Patch::from(held));
    let assignments = Changes::assignments(2, &["name", "capabilities"], &[]);
    let sql = format!(
        "UPDATE tool_proxies SET {assignments} WHERE guid = ?1 AND deleted_at IS NULL
         RETURNING guid, account_id, name, capabilities, created_at"
    );
    db.transaction(async |db| {
        let tool = db.fetch(&sql, (guid, changes)).await?;
        if let (Some(_), Some(allowed)) = (&tool, allowed) {
            limit_subscriptions(db, guid, allowed, now).await?;
        }
        Ok(tool)
    })
    .await
}

/// Lets the tool's subscriptions tell of these types of events alone.
async fn limit_subscriptions(db: &Db, guid: &str, allowed: Json<Value>, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE webhook_subscriptions
         SET event_types = (
             SELECT json_group_array(name) FROM (
                 SELECT DISTINCT upper(asked.value) AS name
                 FROM json_each(webhook_subscriptions.parameters, '$.EventTypes') asked
                 WHERE upper(asked.value) IN (SELECT value FROM json_each(?2))))
         WHERE tool_proxy_id = (SELECT id FROM tool_proxies WHERE guid = ?1) AND status <> 'deleted'",
        (guid, allowed),
    )
    .await?;
    db.execute(
        "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?2, lease = NULL
         WHERE status = 'pending' AND event_id IS NOT NULL
           AND subscription_id IN (
               SELECT s.id FROM webhook_subscriptions s JOIN tool_proxies t ON t.id = s.tool_proxy_id WHERE t.guid = ?1)
           AND NOT EXISTS (
               SELECT 1 FROM webhook_subscriptions s JOIN live_events e ON e.id = webhook_deliveries.event_id
               WHERE s.id = webhook_deliveries.subscription_id
                 AND EXISTS (SELECT 1 FROM json_each(s.event_types) WHERE value = e.event_type))",
        (guid, now),
    )
    .await
}

/// What becomes of the secret that a new one replaces.
#[derive(Clone, Copy)]
pub(crate) enum Previous {
    /// It is good until then.
    GoodUntil(Timestamp),
    /// It is good for nothing from now on, and neither are tokens that were given out for it.
    Revoked,
}

/// Gives the tool a new secret.
pub(crate) async fn rotate(
    db: &Db,
    guid: &str,
    sealed: String,
    previous: Previous,
    now: Timestamp,
) -> db::Result<Option<ToolProxy>> {
    let (until, tokens_since) = match previous {
        Previous::GoodUntil(moment) => (Some(moment), None),
        Previous::Revoked => (None, Some(now.unix())),
    };
    db.fetch(
        "UPDATE tool_proxies
         SET sealed_previous_secret = iif(?3 IS NULL, NULL, sealed_secret), previous_secret_until = ?3, sealed_secret = ?2,
             tokens_since = ifnull(?4, tokens_since)
         WHERE guid = ?1 AND deleted_at IS NULL
         RETURNING guid, account_id, name, capabilities, created_at",
        (guid, sealed, until, tokens_since),
    )
    .await
}

/// Ends the tool, its subscriptions, and what was still to be sent to them.
pub(crate) async fn delete(db: &Db, guid: &str, now: Timestamp) -> db::Result<()> {
    db.transaction(async |db| {
        db.execute("UPDATE tool_proxies SET deleted_at = ?2 WHERE guid = ?1", (guid, now)).await?;
        db.execute(
            "UPDATE webhook_subscriptions SET status = 'deleted', updated_at = ?2
             WHERE tool_proxy_id = (SELECT id FROM tool_proxies WHERE guid = ?1) AND status <> 'deleted'",
            (guid, now),
        )
        .await?;
        db.execute(
            "UPDATE webhook_deliveries SET status = 'dead', ended_at = ?2, lease = NULL
             WHERE status = 'pending' AND subscription_id IN (
                 SELECT s.id FROM webhook_subscriptions s JOIN tool_proxies t ON t.id = s.tool_proxy_id WHERE t.guid = ?1)",
            (guid, now),
        )
        .await
    })
    .await
}

/// The columns of a tool `t` that calls, and of a subscription.
const CALLING: &str = "t.id, t.root_account_id AS root_account, t.account_id AS account, t.capabilities,
    t.subscription_methods AS methods";

/// The tool, while its accounts are there.
const CALLER: &str =
    "FROM tool_proxies t JOIN accounts a ON a.id = t.account_id JOIN accounts r ON r.id = t.root_account_id
    WHERE t.guid = ?1 AND ifnull(t.tokens_since, ?2) <= ?2 AND t.deleted_at IS NULL
      AND a.workflow_state = 'active' AND r.workflow_state = 'active'";

/// Of whom a token says that it is theirs, and when it was given out, in seconds since 1970 began. A link that was made with
/// the token names the same, and ends where the token would be refused.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) issued_at: i64,
}

impl Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.issued_at, self.name)
    }
}

impl FromStr for Subject {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let (issued_at, name) = text.split_once('.').ok_or(())?;
        Ok(Self { name: name.to_owned(), issued_at: issued_at.parse().map_err(drop)? })
    }
}

#[derive(Deserialize)]
struct Row {
    id: ToolProxyId,
    root_account: AccountId,
    account: AccountId,
    capabilities: Json<Vec<String>>,
    methods: Option<Json<Vec<String>>>,
    #[serde(default)]
    subscription: Option<Json<KnownSubscription>>,
}

impl Row {
    fn into_parts(self) -> (Tool, Option<KnownSubscription>) {
        let Self { id, root_account, account, capabilities, methods, subscription } = self;
        let methods = methods.map(|Json(methods)| methods);
        let tool = Tool { id, root_account, account, capabilities: capabilities.0, methods };
        (tool, subscription.map(|Json(found)| found))
    }
}

/// The tool that calls.
pub(crate) async fn calling(db: &Db, subject: &Subject) -> db::Result<Option<Tool>> {
    let values = (subject.name.as_str(), subject.issued_at);
    let row: Option<Row> = db.fetch(&format!("SELECT {CALLING} {CALLER}"), values).await?;
    Ok(row.map(|row| row.into_parts().0))
}

/// The tool that calls, and its subscription of that id.
pub(crate) async fn calling_for(
    db: &Db,
    subject: &Subject,
    uuid: &str,
) -> Result<Option<(Tool, Option<KnownSubscription>)>> {
    let subscription = nested::<KnownSubscription>(
        "SELECT s.id, s.uuid, s.root_account_id, s.tool_proxy_id, t.account_id, s.parameters, s.status FROM webhook_subscriptions s
         WHERE s.uuid = ?3 AND s.tool_proxy_id = t.id AND s.status <> 'deleted'",
    )?;
    let sql = format!("SELECT {CALLING}, {subscription} AS subscription {CALLER}");
    let row: Option<Row> = db.fetch(&sql, (subject.name.as_str(), subject.issued_at, uuid)).await?;
    Ok(row.map(Row::into_parts))
}

/// The tool, if it belongs to the tenant at whose account or course it asks.
pub(crate) async fn signer(db: &Db, guid: &str, place: Place, now: Timestamp) -> db::Result<Option<Signer>> {
    let (account, course) = match place {
        Place::Account(id) => (Some(id), None),
        Place::Course(id) => (None, Some(id)),
    };
    db.fetch(
        "SELECT t.id, t.guid, t.sealed_secret,
                iif(t.previous_secret_until > ?4, t.sealed_previous_secret, NULL) AS sealed_previous_secret
         FROM tool_proxies t JOIN accounts a ON a.id = t.account_id JOIN accounts r ON r.id = t.root_account_id
         WHERE t.guid = ?1 AND t.deleted_at IS NULL AND a.workflow_state = 'active' AND r.workflow_state = 'active'
           AND (EXISTS (SELECT 1 FROM accounts WHERE id = ?2 AND root_account_id = t.root_account_id
                          AND workflow_state <> 'deleted')
             OR EXISTS (SELECT 1 FROM courses WHERE id = ?3 AND root_account_id = t.root_account_id
                          AND workflow_state <> 'deleted'))",
        (guid, account, course, now),
    )
    .await
}

/// Notes that an assertion was used; false where it was before. Those that have ended are forgotten.
pub(crate) async fn use_assertion(
    db: &Db,
    tool: ToolProxyId,
    jti: &str,
    end: Timestamp,
    now: Timestamp,
) -> db::Result<bool> {
    use_once(
        db,
        "DELETE FROM tool_proxy_assertions WHERE expires_at <= ?1",
        "INSERT INTO tool_proxy_assertions (tool_proxy_id, jti, expires_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO NOTHING RETURNING jti",
        (tool, jti, end),
        now,
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_a_link_is_that_of_its_token() {
        let subject = Subject { name: "a.b-7".to_owned(), issued_at: 1_900_000_000 };
        let read: Subject = subject.to_string().parse().unwrap();
        assert_eq!((read.name, read.issued_at), (subject.name, subject.issued_at));
        assert!("".parse::<Subject>().is_err() && "a.7".parse::<Subject>().is_err());
    }
}
