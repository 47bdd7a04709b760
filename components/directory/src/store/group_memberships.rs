//! The SQL of memberships of groups.

use serde::Deserialize;
use shared::auth::section_limit::{has_member_sql, has_section_sql};
use shared::auth::{SectionLimit, UserAccess};
use shared::db::Bind;
use shared::ids::{CourseId, GroupMembershipId, IdOrAlias, UserGroupId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, db};

use crate::model::filters::search_term;
use crate::model::group_memberships::{MemberSearch, Membership, MembershipFilter, MembershipState};
use crate::model::groups::JoinLevel;
use crate::store::rosters::{Participant, participants};
use crate::store::user_search::UserSearch;

const MEMBERSHIP: &str = "id, group_id, user_id, workflow_state, moderator, created_at";

/// True of a user whom the caller sees in the group that is needed. Its members see all of it; others who are limited to
/// sections of its course see who is in these.
fn is_seen_sql(user: &str) -> String {
    let is_in_sections = has_member_sql(
        "(caller.needed ->> 'course' ->> 'section_limit')",
        user,
        "(caller.needed ->> 'course' ->> 'id')",
    );
    format!(
        "(caller.needed ->> 'member' OR {user} = caller.user_id OR caller.needed ->> 'course' ->> 'admin' OR {is_in_sections})"
    )
}

/// The memberships of the group that is needed.
pub(crate) struct MembershipsOfGroup;

impl List for MembershipsOfGroup {
    type Row = Membership;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {MEMBERSHIP} FROM group_memberships
             WHERE group_id = caller.needed ->> 'id' AND workflow_state <> 'deleted'
               AND (?1 IS NULL OR workflow_state IN (SELECT value FROM json_each(?1)))
               AND {}",
            is_seen_sql("group_memberships.user_id")
        );
        Ok(Lookup::new(sql, (path.query::<MembershipFilter>()?.filter_states,)))
    }
}

/// A membership of the group that is needed: the one that the path names, or that of the user whom it names.
impl Record for Membership {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let mut values = Vec::new();
        let named = match path.behind("memberships")? {
            Some(IdOrAlias::Own) => "user_id = caller.user_id".to_owned(),
            Some(IdOrAlias::<GroupMembershipId>::Id(id)) => {
                values.push(id.value());
                "id = ?1".to_owned()
            }
            Some(IdOrAlias::Other(..)) => return Err(Error::not_found()),
            None => format!("user_id = {}", UserAccess::lookup(path)?.expression("id", &mut values)),
        };
        let sql = format!(
            "SELECT {MEMBERSHIP} FROM group_memberships
             WHERE group_id = caller.needed ->> 'id' AND workflow_state <> 'deleted' AND {named} AND {}",
            is_seen_sql("group_memberships.user_id")
        );
        Ok(Lookup::new(sql, values))
    }
}

pub(crate) async fn membership(db: &Db, group: UserGroupId, user: UserId) -> db::Result<Option<Membership>> {
    let sql = format!(
        "SELECT {MEMBERSHIP} FROM group_memberships
         WHERE group_id = ?1 AND workflow_state <> 'deleted' AND user_id = ?2"
    );
    db.fetch(&sql, (group, user)).await
}

/// The state of a membership, unless it has ended: read in the transaction that changes it, so that of several changes at
/// once each knows what it found.
pub(crate) async fn state_of(db: &Db, id: GroupMembershipId) -> db::Result<Option<MembershipState>> {
    #[derive(Deserialize)]
    struct StateRow {
        workflow_state: MembershipState,
    }
    let sql = "SELECT workflow_state FROM group_memberships WHERE id = ?1 AND workflow_state <> 'deleted'";
    Ok(db.fetch(sql, (id,)).await?.map(|StateRow { workflow_state }| workflow_state))
}

/// The members of the group that is needed.
pub(crate) struct UsersOfGroup;

impl List for UsersOfGroup {
    type Row = Participant;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let MemberSearch { search_term: term, exclude_inactive } = path.query()?;
        let term = search_term(term)?;
        let UserSearch { is_named, .. } = UserSearch::sql(term.as_ref(), "?1");
        let condition = format!(
            "id IN (SELECT m.user_id FROM group_memberships m
                    WHERE m.group_id = caller.needed ->> 'id' AND m.workflow_state <> 'deleted'
                      AND m.workflow_state = 'accepted')
             AND (?1 IS NULL OR {is_named})
             AND (NOT ?2 OR caller.needed ->> 'course' IS NULL OR EXISTS (
                 SELECT 1 FROM enrollments e
                 WHERE e.user_id = users.id AND e.course_id = caller.needed ->> 'course' ->> 'id'
                   AND e.workflow_state NOT IN ('inactive', 'rejected', 'deleted')))
             AND {}",
            is_seen_sql("users.id")
        );
        let sql = participants("caller.needed ->> 'course' ->> 'id'", &condition)?;
        Ok(Lookup::new(sql, (term.as_ref(), exclude_inactive)))
    }
}

pub(crate) async fn join_level(db: &Db, group: UserGroupId) -> db::Result<Option<JoinLevel>> {
    #[derive(Deserialize)]
    struct JoinLevelRow {
        join_level: JoinLevel,
    }
    let sql = "SELECT join_level FROM groups WHERE id = ?1 AND workflow_state = 'available'";
    Ok(db.fetch(sql, (group,)).await?.map(|JoinLevelRow { join_level }| join_level))
}

/// True if the user is in the course, or invited to it, in the sections of the limit.
pub(crate) async fn takes_part(db: &Db, course: CourseId, user: UserId, limit: SectionLimit) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 FROM enrollments
         WHERE user_id = ?2 AND course_id = ?1 AND workflow_state IN ('active', 'invited') AND {} LIMIT 1",
        has_section_sql("?3", "course_section_id")
    );
    db.affects(&sql, (course, user, limit)).await
}

/// A member stays in the group, and a user who is let in twice is in it once; who comes back has the membership of before.
/// Nothing, if the group is full.
pub(crate) async fn insert(
    db: &Db,
    group: UserGroupId,
    user: UserId,
    state: MembershipState,
    now: Timestamp,
) -> db::Result<Option<Membership>> {
    let ended = "iif(
             EXISTS (SELECT 1 FROM group_memberships there
                     WHERE there.group_id = ?1 AND there.user_id = ?2 AND there.workflow_state <> 'deleted'),
             NULL,
             (SELECT max(ended.id) FROM group_memberships ended
              WHERE ended.group_id = ?1 AND ended.user_id = ?2 AND ended.workflow_state = 'deleted'))";
    let sql = format!(
        "INSERT INTO group_memberships (id, group_id, user_id, workflow_state, created_at, updated_at)
         SELECT {ended}, g.id, ?2, ?3, ?4, ?4 FROM groups g
         WHERE g.id = ?1 AND (g.max_membership IS NULL OR g.max_membership > (
             SELECT count(*) FROM group_memberships m
             WHERE m.group_id = ?1 AND m.workflow_state <> 'deleted' AND m.workflow_state = 'accepted'
               AND m.user_id <> ?2))
         ON CONFLICT (group_id, user_id) WHERE workflow_state <> 'deleted' DO UPDATE SET
             workflow_state = iif(?3 = 'accepted', 'accepted', workflow_state),
             updated_at = ?4
         ON CONFLICT (id) DO UPDATE SET workflow_state = ?3, updated_at = ?4
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
