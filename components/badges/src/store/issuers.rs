//! Issuers and their staff.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::Right;
use shared::db::{Changes, Json};
use shared::ids::{AccountId, IssuerId, UserId};
use shared::needs::Lookup;
use shared::{Db, Timestamp, db};

use crate::model::entity::Moment;
use crate::model::role::Role;
use crate::model::staff::Member;
use crate::store::users::verified_email;

/// An issuer, as a member of its staff reads it.
#[derive(Deserialize)]
pub(crate) struct IssuerRow {
    pub(crate) id: IssuerId,
    pub(crate) entity_id: String,
    pub(crate) created_by: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) description: String,
    pub(crate) url: String,
    pub(crate) image: Option<String>,
    pub(crate) extensions: Json<Value>,
    pub(crate) created_at: Moment,
    pub(crate) role: Role,
    pub(crate) staff: Json<Vec<Member>>,
}

/// The list of a user's issuers has no pages.
const MAX_LISTED: i64 = 500;
/// An issuer has so many owners, editors and staff at most, and a user owns so many issuers.
pub(crate) const MAX_STAFF: usize = 200;
const MAX_OWNED: i64 = 200;

/// The members `s` of the staffs of issuers, without users who are deleted.
macro_rules! members {
    () => {
        "badge_staff s
             JOIN badge_users b ON b.user_id = s.user_id
             JOIN users u ON u.id = s.user_id AND u.workflow_state <> 'deleted'
             JOIN user_emails e ON e.user_id = s.user_id"
    };
}

/// The issuers with a member of their staff, `own`.
const OF_STAFF: &str = concat!(
    "SELECT i.id, i.entity_id, c.entity_id AS created_by, i.name, i.email, i.description, i.url, i.image, i.extensions,
            i.created_at, i.updated_at, own.role,
            (SELECT json_group_array(json_object('user', b.entity_id, 'role', s.role, 'name', u.name, 'email', e.email))
             FROM ",
    members!(),
    " WHERE s.issuer_id = i.id) AS staff
     FROM badge_staff own
     JOIN badge_issuers i ON i.id = own.issuer_id
     JOIN badge_users c ON c.user_id = i.created_by"
);

/// The issuer of that entity id, if the caller is of its staff.
pub(crate) fn lookup(entity_id: &str) -> Lookup {
    Lookup::new(format!("{OF_STAFF} WHERE own.user_id = caller.user_id AND i.entity_id = ?1"), (entity_id,))
}

/// An issuer of which somebody looks after the staff.
#[derive(Deserialize)]
pub(crate) struct StaffedIssuer {
    pub(crate) id: IssuerId,
    pub(crate) entity_id: String,
    pub(crate) role: Role,
}

/// The issuer of that entity id, if the caller is of its staff. While it has no owner who is there, whoever administers its
/// tenant has an owner's role.
pub(crate) fn lookup_staffed(entity_id: &str) -> Lookup {
    let sql = "SELECT id, entity_id, ifnull(in_place, role) AS role
         FROM (SELECT i.id, i.entity_id, own.role,
                      iif(i.root_account_id = caller.root_account_id
                          AND (caller.site_admin OR EXISTS (
                              SELECT 1 FROM account_admins
                              WHERE user_id = caller.user_id AND account_id = i.root_account_id))
                          AND NOT EXISTS (
                              SELECT 1 FROM badge_staff s JOIN users u ON u.id = s.user_id AND u.workflow_state <> 'deleted'
                              WHERE s.issuer_id = i.id AND s.role = 'owner'),
                          'owner', NULL) AS in_place
               FROM badge_issuers i
               LEFT JOIN badge_staff own ON own.issuer_id = i.id AND own.user_id = caller.user_id
               WHERE i.entity_id = ?1)
         WHERE in_place IS NOT NULL OR role IS NOT NULL";
    Lookup::new(sql, (entity_id,))
}

/// The condition that a user is an owner or editor of an issuer when the statement is executed; both are values or columns.
pub(crate) fn is_edited_by(user: &str, issuer: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM badge_staff WHERE issuer_id = {issuer} AND user_id = {user} AND role IN ('owner', 'editor'))"
    )
}

pub(crate) async fn list(db: &Db, user: UserId) -> db::Result<Vec<IssuerRow>> {
    let sql = format!("{OF_STAFF} WHERE own.user_id = ?1 ORDER BY i.created_at DESC, i.id DESC LIMIT ?2");
    db.fetch_all(&sql, (user, MAX_LISTED)).await
}

/// Issuers that changed behind that moment, or that there are.
pub(crate) fn changed(user: UserId, since: Option<String>) -> (String, Vec<db::Value>) {
    let mut sql = format!("{OF_STAFF} WHERE own.user_id = ?1");
    let mut values = vec![db::Value::Integer(user.0)];
    if let Some(since) = since {
        values.push(db::Value::Text(since));
        sql.push_str(" AND i.updated_at > ?2");
    }
    (sql, values)
}

/// True if the user may make issuers, as the tenant has it.
pub(crate) async fn may_insert(db: &Db, user: UserId, tenant: AccountId) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 FROM accounts a JOIN users u ON u.id = ?1
         WHERE a.id = ?2 AND (
             a.badge_issuers = 'everyone' OR u.site_admin
             OR EXISTS (
                 SELECT 1 FROM account_admins m JOIN accounts b ON b.id = m.account_id
                 WHERE m.user_id = ?1 AND b.root_account_id = ?2 AND b.workflow_state = 'active')
             OR (a.badge_issuers = 'staff' AND EXISTS (
                 SELECT 1 FROM enrollments e JOIN courses c ON c.id = e.course_id
                 WHERE e.user_id = ?1 AND e.type IN {}
                   AND e.workflow_state = 'active' AND c.root_account_id = ?2 AND c.workflow_state <> 'deleted'))
         )",
        Right::ReadAsStaff.roles_sql()
    );
    db.affects(&sql, (user, tenant)).await
}

/// Makes an issuer, of which the user becomes the owner; false where the user owns too many.
pub(crate) async fn insert(
    db: &Db,
    tenant: AccountId,
    user: UserId,
    entity_id: &str,
    new: Changes,
) -> db::Result<bool> {
    let inserted = db
        .affects(
            "INSERT INTO badge_issuers
                 (root_account_id, entity_id, created_by, name, email, description, url, image, extensions, created_at, updated_at)
             SELECT ?1, ?2, ?3, ?4 ->> 'name', ?4 ->> 'email', ?4 ->> 'description', ?4 ->> 'url', ?4 ->> 'image',
                    ifnull(?4 ->> 'extensions', '{}'), ?5, ?5
             WHERE (SELECT count(*) FROM badge_staff WHERE user_id = ?3 AND role = 'owner') < ?6
             RETURNING id",
            (tenant, entity_id, user, new, Moment::of_writing(), MAX_OWNED),
        )
        .await?;
    db.execute(
        "INSERT INTO badge_staff (issuer_id, user_id, role) SELECT id, ?2, 'owner' FROM badge_issuers WHERE entity_id = ?1",
        (entity_id, user),
    )
    .await?;
    Ok(inserted)
}

/// Changes what is named, for an owner or editor; nothing where the user has not that role any more, or where the changes
/// name an address that is neither the one before nor one of the user's own that are verified.
pub(crate) async fn update(db: &Db, id: IssuerId, user: UserId, changes: Changes) -> db::Result<Option<IssuerRow>> {
    let required = ["name", "email", "description", "url", "extensions"];
    let write = format!(
        "UPDATE badge_issuers SET {}, updated_at = ?4
         WHERE id = ?1 AND {} AND (
             ifnull(lower(?3 ->> 'email') = lower(email), true) OR EXISTS ({}))",
        Changes::assignments(3, &required, &["image"]),
        is_edited_by("?2", "badge_issuers.id"),
        verified_email("?2", "?3 ->> 'email'")
    );
    let select = format!("{OF_STAFF} WHERE own.user_id = ?2 AND i.id = badge_issuers.id");
    db.write_and_read(&write, &select, (id, user, changes, Moment::of_writing())).await
}

/// Deletes an issuer with all that is its own, unless an award of it is neither revoked nor expired.
pub(crate) async fn delete(db: &Db, id: IssuerId, now: Timestamp) -> db::Result<bool> {
    db.affects(
        "DELETE FROM badge_issuers WHERE id = ?1 AND NOT EXISTS (
             SELECT 1 FROM badge_assertions
             WHERE issuer_id = ?1 AND revoked_at IS NULL AND (expires IS NULL OR expires > ?2)
         ) RETURNING id",
        (id, now),
    )
    .await
}

/// The user who made an issuer.
pub(crate) async fn creator(db: &Db, id: IssuerId) -> db::Result<UserId> {
    #[derive(Deserialize)]
    struct Row {
        created_by: UserId,
    }
    let row: Row = db.fetch_one("SELECT created_by FROM badge_issuers WHERE id = ?1", (id,)).await?;
    Ok(row.created_by)
}

/// The user of the tenant whose verified address that is.
pub(crate) async fn user_of_email(db: &Db, tenant: AccountId, email: &str) -> db::Result<Option<UserId>> {
    #[derive(Deserialize)]
    struct Row {
        user_id: UserId,
    }
    let row: Option<Row> = db
        .fetch(
            "SELECT c.user_id FROM communication_channels c JOIN users u ON u.id = c.user_id
             WHERE c.address = ?2 AND c.type = 'email' AND c.workflow_state = 'active'
               AND u.root_account_id = ?1 AND u.workflow_state <> 'deleted'
             ORDER BY c.id LIMIT 1",
            (tenant, email),
        )
        .await?;
    Ok(row.map(|row| row.user_id))
}

/// The numbers of users on the staff of an issuer, without those who are deleted.
#[derive(Deserialize)]
pub(crate) struct StaffCount {
    pub(crate) members: usize,
    pub(crate) owners: usize,
}

pub(crate) async fn count_staff(db: &Db, id: IssuerId) -> db::Result<StaffCount> {
    let sql = "SELECT count(*) AS members, count(*) FILTER (WHERE s.role = 'owner') AS owners
         FROM badge_staff s JOIN users u ON u.id = s.user_id AND u.workflow_state <> 'deleted'
         WHERE s.issuer_id = ?1";
    db.fetch_one(sql, (id,)).await
}

/// A member of the staff of an issuer.
pub(crate) async fn member(db: &Db, id: IssuerId, user: UserId) -> db::Result<Option<Member>> {
    const SQL: &str = concat!(
        "SELECT b.entity_id AS user, s.role, u.name, e.email FROM ",
        members!(),
        " WHERE s.issuer_id = ?1 AND s.user_id = ?2"
    );
    db.fetch(SQL, (id, user)).await
}

/// The condition that somebody who is there owns the issuer `?1` beside the user `?2`.
const ANOTHER_OWNER: &str = "EXISTS (
             SELECT 1 FROM badge_staff s JOIN users u ON u.id = s.user_id AND u.workflow_state <> 'deleted'
             WHERE s.issuer_id = ?1 AND s.role = 'owner' AND s.user_id <> ?2
         )";

/// Gives a user a role; false where it would leave the issuer without an owner.
pub(crate) async fn set_role(db: &Db, id: IssuerId, user: UserId, role: Role) -> db::Result<bool> {
    let sql = format!(
        "INSERT INTO badge_staff (issuer_id, user_id, role)
         SELECT ?1, ?2, ?3 WHERE ?3 = 'owner' OR {ANOTHER_OWNER}
         ON CONFLICT DO UPDATE SET role = excluded.role RETURNING role"
    );
    db.affects(&sql, (id, user, role)).await
}

/// Takes a member off the staff; false where it would leave the issuer without an owner.
pub(crate) async fn remove_member(db: &Db, id: IssuerId, user: UserId) -> db::Result<bool> {
    let sql =
        format!("DELETE FROM badge_staff WHERE issuer_id = ?1 AND user_id = ?2 AND {ANOTHER_OWNER} RETURNING role");
    db.affects(&sql, (id, user)).await
}

pub(crate) async fn is_member(db: &Db, id: IssuerId, user: UserId) -> db::Result<bool> {
    db.affects("SELECT 1 FROM badge_staff WHERE issuer_id = ?1 AND user_id = ?2", (id, user)).await
}

/// Notes that an issuer changed by a change of its staff.
pub(crate) async fn touch(db: &Db, id: IssuerId) -> db::Result<()> {
    db.execute("UPDATE badge_issuers SET updated_at = ?2 WHERE id = ?1", (id, Moment::of_writing())).await
}

/// Makes the list of users and roles the staff. Who is none of the issuer's tenant is left out, so that the transaction must
/// not be kept where the numbers are not those of the list. It names nobody twice.
pub(crate) async fn replace_staff(db: &Db, id: IssuerId, members: &[(&str, Role)]) -> db::Result<StaffCount> {
    db.execute("DELETE FROM badge_staff WHERE issuer_id = ?1", (id,)).await?;
    db.execute(
        "INSERT INTO badge_staff (issuer_id, user_id, role)
         SELECT i.id, b.user_id, json_extract(m.value, '$[1]')
         FROM json_each(?2) m
         CROSS JOIN badge_users b ON b.entity_id = json_extract(m.value, '$[0]')
         JOIN badge_issuers i ON i.id = ?1
         JOIN users u ON u.id = b.user_id AND u.root_account_id = i.root_account_id AND u.workflow_state <> 'deleted'",
        (id, Json(members)),
    )
    .await?;
    count_staff(db, id).await
}
