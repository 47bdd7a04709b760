//! The SQL of memberships of groups.

use serde::Deserialize;
use shared::ids::{CourseId, GroupMembershipId, UserGroupId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp, db};

use crate::model::filters::AnyOf;
use crate::model::group_memberships::{Membership, MembershipState};
use crate::model::groups::JoinLevel;
use crate::store::rosters::{Row, TOOK_PART};
use crate::store::users::USER;

const MEMBERSHIP: &str = "id, group_id, user_id, workflow_state, moderator, created_at";

/// By what a membership of a group is named.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    Id(GroupMembershipId),
    OfUser(UserId),
}

pub(crate) async fn memberships(
    db: &Db,
    group: UserGroupId,
    states: AnyOf<MembershipState>,
    page: &Page,
) -> Result<Paged<Membership>> {
    let sql = format!(
        "SELECT {MEMBERSHIP} FROM group_memberships
         WHERE group_id = ?1 AND workflow_state <> 'deleted'
           AND (?2 IS NULL OR workflow_state IN (SELECT value FROM json_each(?2)))"
    );
    page.fetch_keyset(db, &sql, (group, states), Key::ascending(&["id"])).await
}

pub(crate) async fn membership(db: &Db, group: UserGroupId, which: Which) -> db::Result<Option<Membership>> {
    let (id, user) = match which {
        Which::Id(id) => (Some(id), None),
        Which::OfUser(user) => (None, Some(user)),
    };
    let sql = format!(
        "SELECT {MEMBERSHIP} FROM group_memberships
         WHERE group_id = ?1 AND workflow_state <> 'deleted' AND (id = ?2 OR user_id = ?3)"
    );
    db.fetch(&sql, (group, id, user)).await
}

/// The members, those who are in the group of the course, or of an account.
pub(crate) async fn users(
    db: &Db,
    course: Option<CourseId>,
    group: UserGroupId,
    term: Option<String>,
    page: &Page,
) -> Result<Paged<Row>> {
    let sql = format!(
        "SELECT {USER}, {TOOK_PART} AS took_part FROM users
         WHERE workflow_state <> 'deleted' AND id IN (
                   SELECT m.user_id FROM group_memberships m
                   WHERE m.group_id = ?3 AND m.workflow_state <> 'deleted' AND m.workflow_state = 'accepted')
           AND (?2 IS NULL OR instr(lower(name), lower(?2)) OR instr(lower(sortable_name), lower(?2)))"
    );
    page.fetch_keyset(db, &sql, (course, term, group), Key::ascending(&["id"])).await
}

pub(crate) async fn join_level(db: &Db, group: UserGroupId) -> db::Result<Option<JoinLevel>> {
    #[derive(Deserialize)]
    struct Found {
        join_level: JoinLevel,
    }
    let sql = "SELECT join_level FROM groups WHERE id = ?1 AND workflow_state = 'available'";
    Ok(db.fetch(sql, (group,)).await?.map(|Found { join_level }| join_level))
}

/// Whether the user is in the course, or invited to it.
pub(crate) async fn takes_part(db: &Db, course: CourseId, user: UserId) -> db::Result<bool> {
    let sql = "SELECT 1 FROM enrollments
         WHERE user_id = ?2 AND course_id = ?1 AND workflow_state IN ('active', 'invited') LIMIT 1";
    db.affects(sql, (course, user)).await
}

/// Who is in the group stays in it, and who is let in twice is in it once. Nothing, if the group is full.
pub(crate) async fn insert(
    db: &Db,
    group: UserGroupId,
    user: UserId,
    state: MembershipState,
    now: Timestamp,
) -> db::Result<Option<Membership>> {
    let sql = format!(
        "INSERT INTO group_memberships (group_id, user_id, workflow_state, created_at, updated_at)
         SELECT g.id, ?2, ?3, ?4, ?4 FROM groups g
         WHERE g.id = ?1 AND (g.max_membership IS NULL OR g.max_membership > (
             SELECT count(*) FROM group_memberships m
             WHERE m.group_id = ?1 AND m.workflow_state <> 'deleted' AND m.workflow_state = 'accepted'
               AND m.user_id <> ?2))
         ON CONFLICT (group_id, user_id) WHERE workflow_state <> 'deleted' DO UPDATE SET
             workflow_state = iif(?3 = 'accepted', 'accepted', workflow_state),
             updated_at = ?4
         RETURNING {MEMBERSHIP}"
    );
    db.fetch(&sql, (group, user, state.name(), now)).await
}

/// Nothing, if the group is full.
pub(crate) async fn update(
    db: &Db,
    id: GroupMembershipId,
    accepts: bool,
    moderator: Option<bool>,
    now: Timestamp,
) -> db::Result<Option<Membership>> {
    let sql = format!(
        "UPDATE group_memberships
         SET workflow_state = iif(?2, 'accepted', workflow_state), moderator = ifnull(?3, moderator), updated_at = ?4
         WHERE id = ?1 AND workflow_state <> 'deleted'
           AND (NOT ?2 OR workflow_state = 'accepted' OR EXISTS (
               SELECT 1 FROM groups g
               WHERE g.id = group_memberships.group_id AND (g.max_membership IS NULL OR g.max_membership > (
                   SELECT count(*) FROM group_memberships m
                   WHERE m.group_id = g.id AND m.workflow_state <> 'deleted' AND m.workflow_state = 'accepted'))))
         RETURNING {MEMBERSHIP}"
    );
    db.fetch(&sql, (id, accepts, moderator, now)).await
}

pub(crate) async fn delete(db: &Db, id: GroupMembershipId, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = ?2
         WHERE id = ?1 AND workflow_state <> 'deleted'",
        (id, now),
    )
    .await
}
