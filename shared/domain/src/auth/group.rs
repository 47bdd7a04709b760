//! Groups of users: which one is named, and what the caller may do in it.

use database::{Db, Json};
use serde::Deserialize;
use types::ids::{AccountId, IdOrAlias, UserGroupId};
use web::error::{Error, Result};
use web::lookup::{self, Lookup, MatchedPath, Record, nested};

use super::{AccountAccess, Caller, CourseAccess, Right};

/// A group of users, and what the caller is to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Row")]
pub struct GroupAccess {
    /// Its id.
    pub id: UserGroupId,
    /// The tenant it belongs to.
    pub root_account: AccountId,
    /// Its name.
    pub name: String,
    /// The course or account that it is a group of, and the caller's rights there.
    pub context: GroupContext,
    /// True if the caller is a member: not one who only asks to be one, nor one who takes no part in the course now.
    pub member: bool,
    /// True if the caller is a member who moderates it.
    pub moderator: bool,
}

/// The owner of a group.
#[derive(Debug, Clone)]
pub enum GroupContext {
    /// A course.
    Course(CourseAccess),
    /// An account.
    Account(AccountAccess),
}

impl GroupAccess {
    /// The statement of a lookup that finds a group by an expression of its id.
    pub fn by_id(id: &str) -> Result<String> {
        let course = nested::<CourseAccess>(&CourseAccess::by_id("g.course_id"))?;
        let account = nested::<AccountAccess>(&AccountAccess::by_id("iif(g.course_id IS NULL, g.account_id, NULL)"))?;
        Ok(format!(
            "SELECT * FROM (
                 SELECT g.id, g.root_account_id AS root_account, g.name, m.id IS NOT NULL AS member,
                        ifnull(m.moderator, 0) AS moderator, {course} AS course, {account} AS account
                 FROM groups g
                 LEFT JOIN group_memberships m
                     ON m.group_id = g.id AND m.user_id = caller.user_id AND m.workflow_state = 'accepted'
                     AND (g.course_id IS NULL OR EXISTS (
                         SELECT 1 FROM enrollments e
                         WHERE e.user_id = caller.user_id AND e.course_id = g.course_id
                           AND e.workflow_state = 'active'))
                 WHERE g.workflow_state = 'available'
                   AND (caller.site_admin OR g.root_account_id = caller.root_account_id) AND g.id = {id}
                 LIMIT 1
             ) WHERE course IS NOT NULL OR account IS NOT NULL"
        ))
    }

    /// True if the caller may change the group and its members: who teaches the course, or administers the account.
    pub fn can_manage(&self) -> bool {
        match &self.context {
            GroupContext::Course(course) => course.can(Right::ManageGroups),
            GroupContext::Account(account) => account.admin,
        }
    }

    /// True if the caller may see the group and who is in it: its members do, and all who take part in the course.
    pub fn can_read(&self) -> bool {
        self.member || self.can_manage() || self.course().is_some_and(|course| course.can(Right::ReadRoster))
    }

    /// 403 unless the caller may change the group.
    pub fn require_manage(&self) -> Result<()> {
        if self.can_manage() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller may see the group.
    pub fn require_read(&self) -> Result<()> {
        if self.can_read() { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller takes part in the group or may change it.
    pub fn require_member(&self) -> Result<()> {
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
pub async fn group(db: &Db, caller: &Caller, named: &IdOrAlias<UserGroupId>) -> Result<GroupAccess> {
    lookup::find(db, caller, lookup(named)?).await
}

impl Record for GroupAccess {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        lookup(&path.id("groups")?)
    }
}

fn lookup(named: &IdOrAlias<UserGroupId>) -> Result<Lookup> {
    let (id, sis_id) = match named {
        IdOrAlias::Id(id) => (Some(*id), None),
        IdOrAlias::Other(prefix, value) if prefix == "sis_group_id" => (None, Some(value.as_str())),
        IdOrAlias::Own | IdOrAlias::Other(..) => return Err(Error::not_found()),
    };
    let sql = GroupAccess::by_id(
        "CASE WHEN ?1 IS NOT NULL THEN ?1 ELSE (
             SELECT id FROM groups
             WHERE sis_group_id = ?2 AND root_account_id = caller.root_account_id AND workflow_state <> 'deleted'
         ) END",
    )?;
    Ok(Lookup::new(sql, (id, sis_id)))
}

/// A group as it is found: of a course, or else of an account.
#[derive(Deserialize)]
struct Row {
    id: UserGroupId,
    root_account: AccountId,
    name: String,
    member: bool,
    moderator: bool,
    course: Option<Json<CourseAccess>>,
    account: Option<Json<AccountAccess>>,
}

impl TryFrom<Row> for GroupAccess {
    type Error = &'static str;

    fn try_from(row: Row) -> std::result::Result<Self, &'static str> {
        let Row { id, root_account, name, member, moderator, course, account } = row;
        let context = match (course, account) {
            (Some(Json(course)), _) => GroupContext::Course(course),
            (None, Some(Json(account))) => GroupContext::Account(account),
            (None, None) => return Err("a group of nothing"),
        };
        Ok(Self { id, root_account, name, context, member, moderator })
    }
}
