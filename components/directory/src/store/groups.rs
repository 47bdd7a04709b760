//! The SQL of groups of users.

use shared::db::{self, Changes, OnUnique};
use shared::ids::{AccountId, CourseId, UserGroupId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};

use crate::model::checks::already_taken;
use crate::model::groups::Group;

/// `?1` is whether SIS ids are told.
const GROUP: &str = "id, name, description, is_public, 0 AS followed_by_user, join_level, max_membership, created_at,
    (SELECT count(*) FROM group_memberships m
     WHERE m.group_id = groups.id AND m.workflow_state <> 'deleted' AND m.workflow_state = 'accepted') AS members_count,
    NULL AS avatar_url, iif(course_id IS NULL, 'Account', 'Course') AS context_type,
    ifnull((SELECT c.name FROM courses c WHERE c.id = groups.course_id),
           (SELECT a.name FROM accounts a WHERE a.id = groups.account_id)) AS context_name,
    course_id, account_id, NULL AS role, NULL AS group_category_id, iif(?1, sis_group_id, NULL) AS sis_group_id,
    ifnull((SELECT c.workflow_state = 'completed' FROM courses c WHERE c.id = groups.course_id), 0) AS concluded";

const SIS_ID: &str = "groups.root_account_id, groups.sis_group_id";

/// Which groups are listed.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// Of a course; of these only those that a user is in, if one is named.
    Course(CourseId, Option<UserId>),
    /// Of an account itself, not of its courses; of these only those that a user is in, if one is named.
    Account(AccountId, Option<UserId>),
    /// Those that a user is in: of courses, of accounts, or both.
    User(UserId, Option<bool>),
}

pub(crate) async fn groups(db: &Db, manages: bool, scope: Scope, page: &Page) -> Result<Paged<Group>> {
    let key = Key::ascending(&["id"]);
    let of_place = |column| {
        format!(
            "SELECT {GROUP} FROM groups
             WHERE {column} = ?2 AND workflow_state = 'available'
               AND (?3 IS NULL OR id IN (SELECT group_id FROM group_memberships
                                         WHERE user_id = ?3 AND workflow_state = 'accepted'))"
        )
    };
    match scope {
        Scope::Course(course, only_of) => {
            page.fetch_keyset(db, &of_place("course_id"), (manages, course, only_of), key).await
        }
        Scope::Account(account, only_of) => {
            page.fetch_keyset(db, &of_place("account_id"), (manages, account, only_of), key).await
        }
        Scope::User(user, of_courses) => {
            let sql = format!(
                "SELECT {GROUP} FROM groups
                 WHERE workflow_state = 'available' AND (?3 IS NULL OR ?3 = (course_id IS NOT NULL))
                   AND id IN (SELECT group_id FROM group_memberships
                              WHERE user_id = ?2 AND workflow_state = 'accepted')
                   AND NOT EXISTS (SELECT 1 FROM courses c
                                   WHERE c.id = groups.course_id AND c.workflow_state = 'deleted')
                   AND NOT EXISTS (SELECT 1 FROM accounts a
                                   WHERE a.id = groups.account_id AND a.workflow_state = 'deleted')"
            );
            page.fetch_keyset(db, &sql, (manages, user, of_courses), key).await
        }
    }
}

/// The group that is needed, with its SIS id.
impl Record for Group {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql =
            format!("SELECT {GROUP} FROM groups WHERE id = caller.needed ->> 'id' AND workflow_state = 'available'");
        Ok(Lookup::new(sql, (true,)))
    }
}

pub(crate) async fn insert(
    db: &Db,
    root: AccountId,
    course: Option<CourseId>,
    account: Option<AccountId>,
    new: Changes,
    now: Timestamp,
) -> Result<Group> {
    let sql = format!(
        "INSERT INTO groups
             (root_account_id, course_id, account_id, name, description, is_public, join_level, max_membership,
              sis_group_id, created_at, updated_at)
         VALUES (?2, ?3, ?4, ?5 ->> 'name', ?5 ->> 'description', ifnull(?5 ->> 'is_public', 0),
                 ifnull(?5 ->> 'join_level', 'invitation_only'), ?5 ->> 'max_membership', ?5 ->> 'sis_group_id', ?6, ?6)
         RETURNING {GROUP}"
    );
    let made = db.fetch_one(&sql, (true, root, course, account, new, now)).await;
    made.on_unique(SIS_ID, || already_taken("sis_group_id"))
}

pub(crate) async fn update(db: &Db, id: UserGroupId, changes: Changes, now: Timestamp) -> Result<Option<Group>> {
    let nullable = ["description", "max_membership", "sis_group_id"];
    let assignments = Changes::assignments(3, &["name", "is_public", "join_level"], &nullable);
    let sql = format!(
        "UPDATE groups SET {assignments}, updated_at = ?4
         WHERE id = ?2 AND workflow_state = 'available'
         RETURNING {GROUP}"
    );
    db.fetch(&sql, (true, id, changes, now)).await.on_unique(SIS_ID, || already_taken("sis_group_id"))
}

pub(crate) async fn delete(db: &Db, id: UserGroupId, now: Timestamp) -> db::Result<Option<Group>> {
    let sql = format!(
        "UPDATE groups SET workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?2 AND workflow_state = 'available'
         RETURNING {GROUP}"
    );
    db.fetch(&sql, (true, id, now)).await
}
