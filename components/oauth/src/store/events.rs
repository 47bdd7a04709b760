//! The log of log-ins.

use serde::Deserialize;
use shared::Result;
use shared::auth::{AccountAccess, NEEDED_ID, NEEDED_TENANT, UserAccess};
use shared::db::{BuiltRow, Json};
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{HasTenant, Lookup, MatchedPath, Needed, Record, may, nested_list};
use shared::pagination::Key;
use shared::period::Period;
use shared::prefetch::{List, Pages};

use crate::model::events::{AuthenticationEvent, LinkedUser};

const NEWEST_FIRST: Pages = Pages::Cursor(Key::descending(&["created_at", "id"]));

/// The user, login or root account that a path names, whose log the administrators of its tenant read.
pub(crate) type NeededLog = Needed<Log, may::AdministerTenant>;

/// Whose events: a user's, a login's, be it deleted, or an account's.
#[derive(Deserialize)]
pub(crate) struct Log {
    #[expect(dead_code, reason = "the statement of the events reads it")]
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

/// The events of a user, for who administers the tenant.
pub(crate) struct EventsOfUser;

/// Those of a login.
pub(crate) struct EventsOfLogin;

/// Those of a root account.
pub(crate) struct EventsOfAccount;

impl List for EventsOfUser {
    type Row = BuiltRow<AuthenticationEvent>;
    const PAGES: Pages = NEWEST_FIRST;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        events("user_id", path)
    }
}

impl List for EventsOfLogin {
    type Row = BuiltRow<AuthenticationEvent>;
    const PAGES: Pages = NEWEST_FIRST;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        events("pseudonym_id", path)
    }
}

impl List for EventsOfAccount {
    type Row = BuiltRow<AuthenticationEvent>;
    const PAGES: Pages = NEWEST_FIRST;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        events("root_account_id", path)
    }
}

/// An event as it is answered.
const EVENT: &str = "json_object(
    'id', CAST(id AS TEXT), 'created_at', substr(created_at, 1, 19) || 'Z', 'event_type', event_type,
    'network', nullif(network, ''), 'links', json_object(
        'account', root_account_id, 'user', user_id, 'real_user', real_user_id, 'login', pseudonym_id,
        'developer_key', developer_key_id, 'token', access_token_id, 'page_view', NULL))";

/// The events that have the id of what is needed in that column, and those of the users whom they name who are of the tenant: others,
/// such as the site's administrators, are known by their ids alone.
fn events(column: &str, path: MatchedPath<'_>) -> Result<Lookup> {
    let found = format!(
        "SELECT * FROM authentication_events
         WHERE {column} = {NEEDED_ID} AND +root_account_id = {NEEDED_TENANT} AND created_at >= ?1 AND created_at <= ?2"
    );
    let shown = format!("SELECT id, created_at, {EVENT} AS record FROM page");
    let users = nested_list::<LinkedUser>(&format!(
        "SELECT id, name FROM users
         WHERE root_account_id = {NEEDED_TENANT} AND id IN (SELECT user_id FROM shown UNION SELECT real_user_id FROM shown) ORDER BY id"
    ))?;
    let linked = format!("concat('{{\"users\":', {users}, '}}')");
    Ok(Lookup::new(found, path.query::<Period>()?.bounds()).shown_by(shown).with(linked))
}
