//! The SQL of logins.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::auth::UserAccess;
use shared::db::{self, Binds, Changes, Json};
use shared::error::Violation;
use shared::ids::{AccountId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::Page;
use shared::{Db, Error, Paged, Result, Timestamp};

use crate::model::checks::invalid;
use crate::model::logins::{Login, in_pseudonym};

const LOGIN: &str = "id, user_id, root_account_id AS account_id, unique_id, sis_user_id, integration_id,
    NULL AS authentication_provider_id,
    iif(workflow_state = 'active' AND suspended, 'suspended', workflow_state) AS workflow_state, created_at";

/// A login that is made.
pub(crate) struct NewLogin {
    pub(crate) unique_id: String,
    pub(crate) password_hash: Option<String>,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
}

impl NewLogin {
    fn binds(self, user: UserId, now: Timestamp) -> impl Binds {
        (user, self.unique_id, self.password_hash, self.sis_user_id, self.integration_id, now)
    }
}

pub(crate) async fn logins(db: &Db, user: UserId, page: &Page) -> Result<Paged<Login>> {
    let sql = format!("SELECT {LOGIN} FROM pseudonyms WHERE user_id = ?1 AND workflow_state = 'active' ORDER BY id");
    page.fetch(db, &sql, (user,)).await
}

pub(crate) async fn login(db: &Db, root: AccountId, id: i64) -> db::Result<Option<Login>> {
    let sql =
        format!("SELECT {LOGIN} FROM pseudonyms WHERE id = ?1 AND root_account_id = ?2 AND workflow_state = 'active'");
    db.fetch(&sql, (id, root)).await
}

/// The login that a path names, of the tenant of the account that is needed, with its user.
#[derive(Deserialize)]
pub(crate) struct LoginNamed {
    pub(crate) login: Json<Login>,
    pub(crate) has_password: bool,
    /// The user, as the caller may see one.
    pub(crate) user: Option<Json<UserAccess>>,
}

impl Record for LoginNamed {
    const IDS: &'static [&'static str] = &["logins"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: i64 = path.id("logins")?;
        let login = nested::<Login>(&format!("SELECT {LOGIN} FROM pseudonyms WHERE id = known.id"))?;
        let user = nested::<UserAccess>(&UserAccess::by_id("known.user_id"))?;
        let sql = format!(
            "SELECT {login} AS login, known.password_hash IS NOT NULL AS has_password, {user} AS user
             FROM pseudonyms known
             WHERE known.id = ?1 AND known.root_account_id = caller.needed ->> 'root_account'
               AND known.workflow_state = 'active'"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

const INSERT: &str = "INSERT INTO pseudonyms
         (user_id, root_account_id, unique_id, password_hash, sis_user_id, integration_id, created_at)
     SELECT id, root_account_id, ?2, ?3, ?4, ?5, ?6 FROM users WHERE id = ?1";

pub(crate) async fn insert(db: &Db, user: UserId, new: NewLogin, now: Timestamp) -> Result<Login> {
    let made = db.fetch_one(&format!("{INSERT} RETURNING {LOGIN}"), new.binds(user, now)).await;
    made.map_err(|error| worded(error, invalid))
}

/// The same with the first login of a user, who is read by that statement.
pub(super) async fn insert_and_read<T: DeserializeOwned>(
    db: &Db,
    user: UserId,
    new: NewLogin,
    now: Timestamp,
    select: &str,
) -> Result<T> {
    let read = db.write_and_read(INSERT, select, new.binds(user, now)).await;
    read.map_err(|error| worded(error, in_pseudonym))?.ok_or_else(|| db::Error::NoRow.into())
}

pub(crate) async fn update(db: &Db, id: i64, changes: Changes) -> Result<Option<Login>> {
    let assignments = Changes::assignments(2, &["unique_id", "password_hash"], &["sis_user_id", "integration_id"]);
    let sql = format!(
        "UPDATE pseudonyms
         SET {assignments},
             suspended = ifnull(?2 ->> 'workflow_state' = 'suspended', suspended)
         WHERE id = ?1 AND workflow_state = 'active'
         RETURNING {LOGIN}"
    );
    db.fetch(&sql, (id, changes)).await.map_err(|error| worded(error, invalid))
}

/// Nothing, if it is the user's last.
pub(crate) async fn delete(db: &Db, user: UserId, id: i64) -> db::Result<Option<Login>> {
    let sql = format!(
        "UPDATE pseudonyms SET workflow_state = 'deleted'
         WHERE id = ?1 AND user_id = ?2 AND workflow_state = 'active'
           AND EXISTS (SELECT 1 FROM pseudonyms p
                       WHERE p.user_id = ?2 AND p.id <> ?1 AND p.workflow_state = 'active')
         RETURNING {LOGIN}"
    );
    db.fetch(&sql, (id, user)).await
}

fn worded(error: db::Error, refuse: fn(Violation) -> Error) -> Error {
    match error {
        db::Error::Unique(columns) if columns == "pseudonyms.unique_id, pseudonyms.root_account_id" => {
            let message = "ID already in use for this account and authentication provider";
            refuse(Violation::new("unique_id", "taken", message))
        }
        db::Error::Unique(columns) if columns == "pseudonyms.root_account_id, pseudonyms.sis_user_id" => {
            refuse(Violation::new("sis_user_id", "taken", "is already in use"))
        }
        other => other.into(),
    }
}
