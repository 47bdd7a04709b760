//! The owners of files: a course, a group or a user, and the caller's rights to the files there.
//!
//! In a course staff see all files and those who may change assignments change them; students see what is neither hidden
//! nor closed. A group's files are its members', as long as these take
//! part in the course that it is a group of; a user's files are the user's.

use database::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use types::JsonSchema;
use types::ids::{AccountId, CourseId, FolderId, IdOrAlias, UserGroupId, UserId};
use web::Context;
use web::error::{Error, Result};
use web::lookup::{Record, nested};

use super::{Owner, Place};
use crate::auth::{self, CourseAccess, GroupAccess, Right, UserAccess};

/// An owner of files, and what the caller may do with them.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Row")]
pub struct Area {
    /// The owner.
    pub owner: Owner,
    /// The tenant it belongs to.
    pub root_account: AccountId,
    reads: bool,
    /// True if the caller sees what is hidden or closed too.
    pub sees_all: bool,
    manages: bool,
}

impl Area {
    /// The statement of a lookup that finds an owner by expressions of its [kind](Owner::kind) and its id: no row where the
    /// caller's tenant has none like that, or it is no owner of folders.
    pub fn by_owner(kind: &str, id: &str) -> Result<String> {
        let id_of = |owner: &str| format!("iif({kind} = '{owner}', {id}, NULL)");
        let course = nested::<CourseAccess>(&CourseAccess::by_id(&id_of("Course")))?;
        let group = nested::<GroupAccess>(&GroupAccess::by_id(&id_of("Group"))?)?;
        let user = nested::<UserAccess>(&UserAccess::by_id(&id_of("User")))?;
        Ok(format!(
            "SELECT * FROM (SELECT {course} AS of_course, {group} AS of_group, {user} AS of_user LIMIT 1)
             WHERE coalesce(of_course, of_group, of_user) IS NOT NULL"
        ))
    }

    /// 403 unless the caller may see the files.
    pub fn require_read(&self) -> Result<()> {
        if self.reads { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// True if the caller may see the files.
    pub fn can_read(&self) -> bool {
        self.reads
    }

    /// 403 unless the caller may change the files.
    pub fn require_manage(&self) -> Result<()> {
        if self.manages { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// True if the caller may change the files.
    pub fn can_manage(&self) -> bool {
        self.manages
    }

    /// A place among the owner's files.
    pub fn place(&self, folder: FolderId) -> Place {
        Place { root_account: self.root_account, owner: self.owner, folder: Some(folder) }
    }

    fn of_course(course: &CourseAccess) -> Self {
        Self {
            owner: Owner::Course(course.id),
            root_account: course.root_account,
            reads: course.can(Right::Read),
            sees_all: course.can(Right::ReadAsStaff),
            manages: course.can(Right::ManageAssignments),
        }
    }

    fn of_group(group: &GroupAccess) -> Self {
        let belongs = group.member || group.can_manage();
        Self {
            owner: Owner::Group(group.id),
            root_account: group.root_account,
            reads: belongs,
            sees_all: belongs,
            manages: belongs,
        }
    }

    fn of_user(user: &UserAccess) -> Self {
        let may = user.own || user.administered;
        Self { owner: Owner::User(user.id), root_account: user.root_account, reads: may, sees_all: may, manages: may }
    }
}

/// An owner as it is found: one of the three is there.
#[derive(Deserialize)]
struct Row {
    of_course: Option<Json<CourseAccess>>,
    of_group: Option<Json<GroupAccess>>,
    of_user: Option<Json<UserAccess>>,
}

impl TryFrom<Row> for Area {
    type Error = &'static str;

    fn try_from(row: Row) -> std::result::Result<Self, &'static str> {
        let Row { of_course, of_group, of_user } = row;
        let course = of_course.map(|Json(course)| Self::of_course(&course));
        let group = || of_group.map(|Json(group)| Self::of_group(&group));
        let user = || of_user.map(|Json(user)| Self::of_user(&user));
        course.or_else(group).or_else(user).ok_or("an owner of no kind")
    }
}

/// The part of a path that names an owner.
pub trait Names: DeserializeOwned + types::Described + 'static {
    /// The owner as an endpoint needs it.
    type Access: Record;

    /// The caller's rights to the owner's files.
    fn area_of(access: &Self::Access) -> Area;
}

/// A course of a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OfCourse {
    #[serde(rename = "course_id")]
    _course_id: IdOrAlias<CourseId>,
}

/// A group of a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OfGroup {
    #[serde(rename = "group_id")]
    _group_id: IdOrAlias<UserGroupId>,
}

/// A user of a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OfUser {
    #[serde(rename = "user_id")]
    _user_id: IdOrAlias<UserId>,
}

/// A record of an owner, as a path names it.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Of<P, Id> {
    /// The owner.
    #[serde(flatten)]
    pub owner: P,
    /// The record's id.
    pub id: Id,
}

impl Names for OfCourse {
    type Access = CourseAccess;

    fn area_of(course: &CourseAccess) -> Area {
        Area::of_course(course)
    }
}

impl Names for OfGroup {
    type Access = GroupAccess;

    fn area_of(group: &GroupAccess) -> Area {
        Area::of_group(group)
    }
}

impl Names for OfUser {
    type Access = UserAccess;

    fn area_of(user: &UserAccess) -> Area {
        Area::of_user(user)
    }
}

/// The owner of a record that was found; 404 where it is not of the caller's tenant, or is no owner of folders.
pub async fn area(cx: &Context, owner: Option<Owner>) -> Result<Area> {
    let (db, caller) = (&cx.db, cx.caller()?);
    match owner {
        Some(Owner::Course(id)) => Ok(Area::of_course(&auth::course(db, caller, &IdOrAlias::Id(id)).await?)),
        Some(Owner::Group(id)) => Ok(Area::of_group(&auth::group(db, caller, &IdOrAlias::Id(id)).await?)),
        Some(Owner::User(id)) => Ok(Area::of_user(&auth::user(db, caller, &IdOrAlias::Id(id)).await?)),
        Some(Owner::Export(_) | Owner::Migration(_)) | None => Err(Error::not_found()),
    }
}
