//! Groups of users: which one is named, and what the caller may do in it.

use database::Db;
use serde::Deserialize;
use types::ids::{AccountId, CourseId, Named, UserGroupId};
use web::error::{Error, OrNotFound, Result};

use super::{AccountAccess, Caller, CourseAccess, Right, account, course};

/// A group of users, and what the caller is to it.
#[derive(Debug, Clone)]
pub struct GroupAccess {
    /// Its id.
    pub id: UserGroupId,
    /// The tenant it belongs to.
    pub root_account: AccountId,
    /// Its name.
    pub name: String,
    /// What it is a group of, and what the caller may do there.
    pub context: GroupContext,
    /// Whether the caller is a member: not one who only asks to be one, nor one who takes no part in the course now.
    pub member: bool,
    /// Whether the caller is a member who moderates it.
    pub moderator: bool,
}

/// What a group belongs to.
#[derive(Debug, Clone)]
pub enum GroupContext {
    /// A course.
    Course(CourseAccess),
    /// An account.
    Account(AccountAccess),
}

impl GroupAccess {
    /// Whether the caller may change the group and its members: who teaches the course, or administers the account.
    pub fn can_manage(&self) -> bool {
        match &self.context {
            GroupContext::Course(course) => course.can(Right::ManageGroups),
            GroupContext::Account(account) => account.admin,
        }
    }

    /// Whether the caller may see the group and who is in it: its members do, and all who take part in the course.
    pub fn can_read(&self) -> bool {
        self.member || self.can_manage() || self.course().is_some_and(|course| course.can(Right::ReadRoster))
    }

    /// 403 unless the caller may change the group.
    pub fn must_manage(&self) -> Result<()> {
        if self.can_manage() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller may see the group.
    pub fn must_read(&self) -> Result<()> {
        if self.can_read() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller takes part in the group or may change it.
    pub fn must_belong(&self) -> Result<()> {
        if self.member || self.can_manage() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// The course that it is a group of.
    pub fn course(&self) -> Option<&CourseAccess> {
        match &self.context {
            GroupContext::Course(course) => Some(course),
            GroupContext::Account(_) => None,
        }
    }
}

/// The group that is named; 404 where the caller's tenant has none like that, or its course is gone.
pub async fn group(db: &Db, caller: &Caller, named: &Named<UserGroupId>) -> Result<GroupAccess> {
    #[derive(Deserialize)]
    struct Row {
        id: UserGroupId,
        root_account_id: AccountId,
        account_id: Option<AccountId>,
        course_id: Option<CourseId>,
        name: String,
        member: bool,
        moderator: bool,
    }
    let (id, sis_id) = match named {
        Named::Id(id) => (Some(*id), None),
        Named::Other(prefix, value) if prefix == "sis_group_id" => (None, Some(value.as_str())),
        Named::Own | Named::Other(..) => return Err(Error::not_found()),
    };
    let row: Option<Row> = db
        .fetch(
            "SELECT g.id, g.root_account_id, g.account_id, g.course_id, g.name, m.id IS NOT NULL AS member,
                    ifnull(m.moderator, 0) AS moderator
             FROM groups g
             LEFT JOIN group_memberships m
                 ON m.group_id = g.id AND m.user_id = ?4 AND m.workflow_state = 'accepted'
                 AND (g.course_id IS NULL OR EXISTS (
                     SELECT 1 FROM enrollments e
                     WHERE e.user_id = ?4 AND e.course_id = g.course_id AND e.workflow_state = 'active'))
             WHERE g.workflow_state = 'available' AND (?3 IS NULL OR g.root_account_id = ?3)
               AND g.id = CASE WHEN ?1 IS NOT NULL THEN ?1 ELSE (
                   SELECT id FROM groups
                   WHERE sis_group_id = ?2 AND root_account_id = ?5 AND workflow_state <> 'deleted'
               ) END",
            (id, sis_id, caller.tenant(), caller.user, caller.root_account),
        )
        .await?;
    let Row { id, root_account_id, account_id, course_id, name, member, moderator } = row.or_not_found()?;
    let context = match (course_id, account_id) {
        (Some(id), _) => GroupContext::Course(course(db, caller, &Named::Id(id)).await?),
        (None, Some(id)) => GroupContext::Account(account(db, caller, &Named::Id(id)).await?),
        (None, None) => return Err(Error::not_found()),
    };
    Ok(GroupAccess { id, root_account: root_account_id, name, context, member, moderator })
}
