//! The SQL of users and their logins.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::auth::password;
use shared::csv::Row;
use shared::db::{IdRow, Json};
use shared::ids::{AccountId, UserId};
use shared::{Db, Result, channels};

use crate::rows::Target;
use crate::rows::known::login_of_row;
use crate::rows::users::{Passwords, SHORTEST_PASSWORD, User};
use crate::work::watch::Watch;

/// The login that a row names, and its user.
#[derive(Deserialize)]
pub(super) struct KnownLogin {
    pub(super) pseudonym: Option<i64>,
    pub(super) user: Option<UserId>,
    pub(super) login: Option<String>,
    pub(super) sis_user_id: Option<String>,
    pub(super) integration_id: Option<String>,
    pub(super) has_password: bool,
    pub(super) login_active: bool,
    pub(super) suspended: bool,
    pub(super) name: Option<String>,
    pub(super) sortable_name: Option<String>,
    pub(super) short_name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) user_active: bool,
    pub(super) site_admin: bool,
    /// The number of other logins that the user has.
    pub(super) others: i64,
    /// True if somebody else has the name under which the user wants to come in, and who that is in the other system.
    pub(super) claimed: bool,
    pub(super) claimed_by: Option<String>,
}

/// A user and the login as they are to be.
#[derive(Debug, Serialize)]
pub(super) struct Record<'a> {
    pub(super) user: UserId,
    pub(super) pseudonym: Option<i64>,
    pub(super) name: String,
    pub(super) sortable_name: String,
    pub(super) short_name: String,
    pub(super) email: Option<String>,
    pub(super) login: &'a str,
    pub(super) sis_user_id: &'a str,
    pub(super) integration_id: Option<String>,
    pub(super) password_hash: Option<&'a str>,
    pub(super) suspended: bool,
}

/// Looks for the logins that the rows name, in their order: by the institution's id, or by a name that nobody has
/// claimed for such an id yet.
pub(super) async fn find(into: &Target<'_>, rows: &[&User<'_>]) -> Result<Vec<KnownLogin>> {
    let found = into.db.fetch_all(
        concat!(
            "SELECT p.id AS pseudonym, p.user_id AS user, p.unique_id AS login, p.sis_user_id, p.integration_id,
                ifnull(p.password_hash IS NOT NULL, 0) AS has_password,
                ifnull(p.workflow_state = 'active', 0) AS login_active, ifnull(p.suspended, 0) AS suspended,
                u.name, u.sortable_name, u.short_name, u.email,
                ifnull(u.workflow_state <> 'deleted', 0) AS user_active, ifnull(u.site_admin, 0) AS site_admin,
                (SELECT count(*) FROM pseudonyms x
                 WHERE x.user_id = p.user_id AND x.id <> p.id AND x.workflow_state = 'active') AS others,
                o.id IS NOT NULL AS claimed, o.sis_user_id AS claimed_by
         FROM json_each(?2) r
         LEFT JOIN pseudonyms p ON p.id = ",
            login_of_row!(),
            "
         LEFT JOIN users u ON u.id = p.user_id
         LEFT JOIN pseudonyms o ON o.id = (
             SELECT id FROM pseudonyms
             WHERE root_account_id = ?1 AND unique_id = r.value ->> 'login' AND workflow_state = 'active'
               AND id IS NOT p.id)
         ORDER BY r.key"
        ),
        (into.root, Json(rows)),
    );
    Ok(found.await?)
}

/// Ids are given out here, because a login of the same statement needs its user's. The transaction keeps others out.
pub(super) async fn next_id(db: &Db) -> Result<i64> {
    let IdRow { id } = db.fetch_one("SELECT ifnull(max(id), 0) + 1 AS id FROM users", ()).await?;
    Ok(id)
}

pub(super) async fn insert(into: &Target<'_>, records: &[Record<'_>]) -> Result<()> {
    let users = "INSERT INTO users
             (id, root_account_id, name, sortable_name, short_name, email, created_at, updated_at)
         SELECT value ->> 'user', ?1, value ->> 'name', value ->> 'sortable_name', value ->> 'short_name',
                value ->> 'email', ?3, ?3
         FROM json_each(?2)";
    into.db.execute(users, (into.root, Json(records), into.now)).await?;
    let logins = "INSERT INTO pseudonyms
             (user_id, root_account_id, unique_id, sis_user_id, integration_id, password_hash, suspended, created_at)
         SELECT value ->> 'user', ?1, value ->> 'login', value ->> 'sis_user_id', value ->> 'integration_id',
                value ->> 'password_hash', value ->> 'suspended', ?3
         FROM json_each(?2)";
    into.db.execute(logins, (into.root, Json(records), into.now)).await?;
    Ok(channels::vouch(into.db, &users_of(records), into.now).await?)
}

fn users_of(records: &[Record<'_>]) -> Vec<UserId> {
    records.iter().map(|record| record.user).collect()
}

pub(super) async fn update(into: &Target<'_>, records: &[Record<'_>]) -> Result<()> {
    let users = "UPDATE users
         SET name = r.value ->> 'name', sortable_name = r.value ->> 'sortable_name',
             short_name = r.value ->> 'short_name', email = r.value ->> 'email', workflow_state = 'registered',
             updated_at = ?2
         FROM json_each(?1) r WHERE users.id = r.value ->> 'user'";
    into.db.execute(users, (Json(records), into.now)).await?;
    let logins = "UPDATE pseudonyms
         SET unique_id = r.value ->> 'login', sis_user_id = r.value ->> 'sis_user_id',
             integration_id = r.value ->> 'integration_id',
             password_hash = ifnull(password_hash, r.value ->> 'password_hash'), workflow_state = 'active',
             suspended = r.value ->> 'suspended'
         FROM json_each(?1) r WHERE pseudonyms.id = r.value ->> 'pseudonym'";
    into.db.execute(logins, (Json(records),)).await?;
    Ok(channels::vouch(into.db, &users_of(records), into.now).await?)
}

/// Takes logins from users who have others.
pub(super) async fn delete_logins(into: &Target<'_>, logins: Vec<i64>) -> Result<()> {
    let sql = "UPDATE pseudonyms SET workflow_state = 'deleted' WHERE id IN (SELECT value FROM json_each(?1))";
    Ok(into.db.execute(sql, (Json(logins),)).await?)
}

/// Only a login that has no password yet gets one: who has chosen another keeps it.
pub(crate) async fn passwords(db: &Db, root: AccountId, rows: &[Row], watch: &mut Watch<'_>) -> Result<Passwords> {
    #[derive(Deserialize)]
    struct KnownLogin {
        sis_user_id: String,
    }
    let given: BTreeMap<_, _> =
        rows.iter().filter_map(|row| Some((row.get("user_id")?, row.get("password")?))).collect();
    if given.is_empty() {
        return Ok(Passwords::new());
    }
    let sql = "SELECT sis_user_id FROM pseudonyms
         WHERE root_account_id = ?1 AND sis_user_id IN (SELECT value FROM json_each(?2)) AND password_hash IS NOT NULL";
    let ids: Vec<_> = given.keys().collect();
    let have: Vec<KnownLogin> = db.fetch_all(sql, (root, Json(ids))).await?;
    let have: BTreeSet<_> = have.iter().map(|found| found.sis_user_id.as_str()).collect();
    let needed =
        given.into_iter().filter(|(id, password)| !have.contains(id) && password.chars().count() >= SHORTEST_PASSWORD);
    let mut passwords = Passwords::new();
    for (id, password) in needed {
        passwords.insert(id.to_owned(), password::hash(password)?);
        watch.look().await?;
    }
    Ok(passwords)
}
