//! The log of log-ins.

use serde::Deserialize;
use shared::auth::{AccountAccess, UserAccess};
use shared::db::Json;
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{HasTenant, Lookup, MatchedPath, Needed, Record, may, nested_list};
use shared::pagination::{BuiltPage, Key, ListStatement, Page};
use shared::{Db, Result};

use crate::model::events::{AuthenticationEvent, LinkedUser};

const NEWEST_FIRST: Key = Key::descending(&["created_at", "id"]);

/// The user, login or root account that a path names, whose log the administrators of its tenant read.
pub(crate) type NeededLog = Needed<Log, may::AdministerTenant>;

/// Whose events: a user's, a login's, be it deleted, or an account's.
#[derive(Deserialize)]
pub(crate) struct Log {
    id: i64,
    tenant: Json<AccountAccess>,
}

impl HasTenant for Log {
    fn tenant(&self) -> &AccountAccess {
        &self.tenant.0
    }
}

impl Record for Log {
    const IDS: &'static [&'static str] = &["logins"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        if let Some(login) = path.behind::<i64>("logins")? {
            let sql = "SELECT id, root_account_id AS root_account FROM pseudonyms
                 WHERE id = ?1 AND (caller.site_admin OR root_account_id = caller.root_account_id)";
            return AccountAccess::with_tenant(sql, (login,));
        }
        let record = match path.behind::<IdOrAlias<UserId>>("users")? {
            Some(_) => UserAccess::lookup(path)?,
            None => AccountAccess::lookup(path)?,
        };
        let (sql, values) = record.into_parts();
        AccountAccess::with_tenant(&sql, values)
    }
}

/// The column of the events that has what the log is of.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    Login,
    Account,
    User,
}

/// An event as it is answered.
const EVENT: &str = "json_object(
    'id', CAST(id AS TEXT), 'created_at', substr(created_at, 1, 19) || 'Z', 'event_type', event_type,
    'network', nullif(network, ''), 'links', json_object(
        'account', root_account_id, 'user', user_id, 'real_user', real_user_id, 'login', pseudonym_id,
        'developer_key', developer_key_id, 'token', access_token_id, 'page_view', NULL))";

/// Events, and those of the users whom they name who are of the tenant: others, such as the site's administrators, are known by
/// their ids alone; these as JSON.
pub(crate) async fn events(
    db: &Db,
    log: &Log,
    column: Column,
    (start, end): (String, String),
    page: &Page,
) -> Result<(BuiltPage<AuthenticationEvent>, String)> {
    let column = match column {
        Column::Login => "pseudonym_id",
        Column::Account => "root_account_id",
        Column::User => "user_id",
    };
    let found = format!(
        "SELECT * FROM authentication_events
         WHERE {column} = ?1 AND +root_account_id = ?2 AND created_at >= ?3 AND created_at <= ?4"
    );
    let shown = format!("SELECT id, created_at, {EVENT} AS record FROM page");
    let users = nested_list::<LinkedUser>(
        "SELECT id, name FROM users
         WHERE root_account_id = ?2 AND id IN (SELECT user_id FROM shown UNION SELECT real_user_id FROM shown) ORDER BY id",
    )?;
    let binds = (log.id, log.root_account(), start, end);
    let list = ListStatement { found: &found, shown: Some(&shown) };
    let linked = format!("concat('{{\"users\":', {users}, '}}')");
    page.fetch_keyset_built_beside(db, list, binds, NEWEST_FIRST, &linked).await
}
