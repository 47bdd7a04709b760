//! Users as the area knows them.

use serde::Deserialize;
use shared::db::{Changes, Json};
use shared::ids::UserId;
use shared::needs::{Lookup, MatchedPath, Record};
use shared::people::family_name_first;
use shared::{Db, Result, db};

use crate::model::entity::new_id;

/// A user, with the e-mail addresses that the platform knows.
#[derive(Deserialize)]
pub(crate) struct BadgeUser {
    pub(crate) user_id: UserId,
    pub(crate) entity_id: String,
    pub(crate) name: String,
    pub(crate) marketing_opt_in: bool,
    pub(crate) agreed_terms_version: Option<i64>,
    pub(crate) has_password: bool,
    pub(crate) emails: Json<Vec<Email>>,
}

/// An address of a user.
#[derive(Deserialize, Clone)]
pub(crate) struct Email {
    pub(crate) address: String,
    pub(crate) verified: bool,
}

/// Sees to it that the area knows the user.
pub(crate) async fn ensure_profile(db: &Db, user: UserId) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_users (user_id, entity_id) VALUES (?1, ?2) ON CONFLICT (user_id) DO NOTHING",
        (user, new_id()),
    )
    .await
}

const USER: &str = "SELECT b.user_id, b.entity_id, u.name, b.marketing_opt_in, b.agreed_terms_version,
            EXISTS (SELECT 1 FROM pseudonyms WHERE user_id = u.id AND workflow_state = 'active' AND password_hash IS NOT NULL)
                AS has_password,
            (SELECT json_group_array(json_object('address', address, 'verified', json(iif(workflow_state = 'active', 'true', 'false'))))
             FROM (SELECT address, workflow_state FROM communication_channels
                   WHERE user_id = u.id AND type = 'email' AND workflow_state <> 'retired'
                   ORDER BY workflow_state <> 'active', position, id)) AS emails
     FROM badge_users b JOIN users u ON u.id = b.user_id AND u.workflow_state <> 'deleted'";

/// The caller, if the area knows them.
impl Record for BadgeUser {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(format!("{USER} WHERE b.user_id = caller.user_id"), ()))
    }
}

/// A user whom the caller knows: from the staff of the same issuer.
pub(crate) async fn colleague(db: &Db, caller: UserId, entity_id: &str) -> db::Result<Option<BadgeUser>> {
    let sql = format!(
        "{USER} WHERE b.entity_id = ?2 AND (b.user_id = ?1 OR EXISTS (
             SELECT 1 FROM badge_staff mine JOIN badge_staff theirs ON theirs.issuer_id = mine.issuer_id
             WHERE mine.user_id = ?1 AND theirs.user_id = b.user_id
         ))"
    );
    db.fetch(&sql, (caller, entity_id)).await
}

/// True if the address is one of the user's own that are verified.
pub(crate) async fn owns_email(db: &Db, user: UserId, email: &str) -> db::Result<bool> {
    db.affects(&verified_email("?1", "?2"), (user, email)).await
}

/// The statement that finds an address among the user's own that are verified; both are values or columns.
pub(crate) fn verified_email(user: &str, email: &str) -> String {
    format!(
        "SELECT 1 FROM communication_channels
         WHERE user_id = {user} AND type = 'email' AND workflow_state = 'active' AND address = {email}"
    )
}

/// Changes what is named of what the area keeps of a user, whom it knows from then on. The user as they are then.
pub(crate) async fn update(db: &Db, user: UserId, changes: Changes) -> db::Result<BadgeUser> {
    let assignments = Changes::assignments(3, &["marketing_opt_in", "agreed_terms_version"], &[]);
    let write = format!(
        "INSERT INTO badge_users (user_id, entity_id, marketing_opt_in, agreed_terms_version)
         VALUES (?1, ?2, ifnull(?3 ->> 'marketing_opt_in', 0), ?3 ->> 'agreed_terms_version')
         ON CONFLICT (user_id) DO UPDATE SET {assignments}"
    );
    let select = format!("{USER} WHERE b.user_id = badge_users.user_id");
    db.write_and_read(&write, &select, (user, new_id(), changes)).await?.ok_or(db::Error::NoRow)
}

/// Gives a user another name; names that were derived from the one before follow.
pub(crate) async fn rename(db: &Db, user: UserId, before: &str, name: &str) -> db::Result<()> {
    db.execute(
        "UPDATE users SET name = ?2, short_name = iif(short_name = name, ?2, short_name),
                sortable_name = iif(sortable_name = ?3, ?4, sortable_name)
         WHERE id = ?1",
        (user, name, family_name_first(before), family_name_first(name)),
    )
    .await
}
