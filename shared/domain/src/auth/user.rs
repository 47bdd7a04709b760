//! Users: which one is named, and whether the caller may act for that user.

use database::{Bind, Db, Value};
use serde::Deserialize;
use types::JsonSchema;
use types::ids::{AccountId, IdOrAlias, UserId};
use web::error::{Error, Result};
use web::lookup::{self, Lookup, MatchedPath, Record};

use super::Caller;

/// A user, and what the caller is to that user.
#[derive(Debug, Clone, Deserialize)]
pub struct UserAccess {
    /// The id.
    pub id: UserId,
    /// The tenant.
    pub root_account: AccountId,
    /// The name.
    pub name: String,
    /// True if this user administers the whole site.
    pub site_admin: bool,
    /// True if the caller is this user.
    pub own: bool,
    /// True if the caller administers the user's tenant, and is no less than the user.
    pub administered: bool,
}

/// The users of the caller's tenant, and what the caller is to them.
const USERS: &str = "
    SELECT u.id, u.root_account_id AS root_account, u.name, u.site_admin, u.id = caller.user_id AS own,
           caller.site_admin OR (NOT u.site_admin AND EXISTS (
               SELECT 1 FROM account_admins WHERE user_id = caller.user_id AND account_id = u.root_account_id
           )) AS administered
    FROM users u
    WHERE u.workflow_state <> 'deleted' AND (caller.site_admin OR u.root_account_id = caller.root_account_id)";

impl UserAccess {
    /// The statement of a lookup that finds a user by an expression of the id.
    pub fn by_id(id: &str) -> String {
        format!("{USERS} AND u.id = {id}")
    }

    /// 403 unless the caller is this user or administers the user's tenant.
    pub fn require_own_or_administered(&self) -> Result<()> {
        if self.own || self.administered { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// A path to something of a user.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UserPath {
    #[expect(missing_docs, reason = "the type says in the description how it is named")]
    pub user_id: IdOrAlias<UserId>,
}

/// The user who is named; 404 where the caller's tenant has none like that.
pub async fn user(db: &Db, caller: &Caller, named: &IdOrAlias<UserId>) -> Result<UserAccess> {
    lookup::find(db, caller, lookup(named)?).await
}

/// The id of the user who is named, as an expression in which `caller` is a row as in [`Lookup`], and whose values are
/// numbered from after those that are there already: null where there is nobody of that name.
pub fn user_id_sql(named: &IdOrAlias<UserId>, values: &mut Vec<Value>) -> Result<String> {
    match named {
        IdOrAlias::Own => Ok("caller.user_id".to_owned()),
        IdOrAlias::Id(id) => {
            values.push(id.value());
            Ok(format!("?{}", values.len()))
        }
        IdOrAlias::Other(..) => {
            let object = database::json_object::<UserAccess>()?;
            Ok(format!("({} ->> 'id')", lookup(named)?.expression(&object, values)))
        }
    }
}

impl Record for UserAccess {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.behind("users")?.unwrap_or(IdOrAlias::Own))
    }
}

fn lookup(named: &IdOrAlias<UserId>) -> Result<Lookup> {
    let (kind, value) = match named {
        IdOrAlias::Own => ("own", String::new()),
        IdOrAlias::Id(id) => ("id", id.to_string()),
        IdOrAlias::Other(kind, value) if USER_ALIASES.contains(&kind.as_str()) => (kind.as_str(), value.clone()),
        IdOrAlias::Other(..) => return Err(Error::not_found()),
    };
    let sql = UserAccess::by_id(&format!(
        "CASE ?1 WHEN 'own' THEN caller.user_id WHEN 'id' THEN CAST(?2 AS INTEGER) ELSE {} END",
        user_with_alias_sql("caller.root_account_id", "?1", "?2")
    ));
    Ok(Lookup::new(sql, (kind, value)))
}

/// The kinds of ids by which an institution calls its users.
pub const USER_ALIASES: [&str; 3] = ["sis_user_id", "sis_login_id", "sis_integration_id"];

/// The id of the user whom an institution calls so, as an expression: null where there is nobody, or the kind is none of
/// [`USER_ALIASES`]. The tenant, the kind and the value are expressions. Each kind has an index of its own.
pub fn user_with_alias_sql(tenant: &str, kind: &str, value: &str) -> String {
    format!(
        "CASE {kind}
             WHEN 'sis_user_id' THEN (
                 SELECT p.user_id FROM pseudonyms p
                 WHERE p.root_account_id = {tenant} AND p.sis_user_id = {value} AND p.workflow_state = 'active')
             WHEN 'sis_login_id' THEN (
                 SELECT p.user_id FROM pseudonyms p
                 WHERE p.root_account_id = {tenant} AND p.unique_id = {value} AND p.workflow_state = 'active')
             WHEN 'sis_integration_id' THEN (
                 SELECT p.user_id FROM pseudonyms p
                 WHERE p.root_account_id = {tenant} AND p.integration_id = {value} AND p.integration_id IS NOT NULL
                   AND p.workflow_state = 'active' ORDER BY p.id LIMIT 1)
         END"
    )
}
