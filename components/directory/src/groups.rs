//! Groups of users: of a course, or of an account.

use serde::{Deserialize, Serialize};
use shared::auth::{self, Right};
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::{AccountId, CourseId, Named, UserGroupId};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, Timestamp, delete, get, post, put};

use crate::checks::{LONGEST, optional, refused, required};
use crate::store::groups::{self as store, Scope};

const LONGEST_DESCRIPTION: usize = 10_000;

pub(crate) fn endpoints() -> [Endpoint; 8] {
    [
        get("/api/v1/courses/:course_id/groups", of_course).about("Lists the groups of a course"),
        post("/api/v1/courses/:course_id/groups", create_in_course).about("Makes a group of users of a course"),
        get("/api/v1/accounts/:account_id/groups", of_account).about("Lists the groups of an account itself"),
        post("/api/v1/accounts/:account_id/groups", create_in_account).about("Makes a group of users of an account"),
        get("/api/v1/users/self/groups", own).about("Lists the groups that the caller is in"),
        get("/api/v1/groups/:group_id", show).about("Reads a group of users"),
        put("/api/v1/groups/:group_id", update).about("Changes a group of users"),
        delete("/api/v1/groups/:group_id", destroy).about("Deletes a group of users"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CoursePath {
    course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AccountPath {
    account_id: Named<AccountId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct GroupPath {
    pub(crate) group_id: Named<UserGroupId>,
}

/// Users who do something together.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Group {
    id: UserGroupId,
    name: String,
    description: Option<String>,
    is_public: bool,
    followed_by_user: bool,
    join_level: JoinLevel,
    /// Those who ask to be in it are not counted.
    members_count: i64,
    max_membership: Option<i64>,
    avatar_url: Option<String>,
    /// `Course` or `Account`.
    context_type: String,
    context_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    course_id: Option<CourseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<AccountId>,
    role: Option<String>,
    /// Groups stand in no categories, so it is null.
    group_category_id: Option<i64>,
    /// Told to those who manage the group.
    sis_group_id: Option<String>,
    concluded: bool,
    created_at: Timestamp,
}

/// Who may come into a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum JoinLevel {
    /// All who take part in the course, by themselves.
    ParentContextAutoJoin,
    /// Those who ask and are let in.
    ParentContextRequest,
    /// Those who are put into it.
    InvitationOnly,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct GroupForm {
    name: Patch<String>,
    description: Patch<String>,
    is_public: Patch<bool>,
    /// `invitation_only` unless given.
    join_level: Patch<JoinLevel>,
    max_membership: Patch<i64>,
    /// Only for administrators.
    sis_group_id: Patch<String>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct OfCourse {
    /// Only those that the caller is in.
    only_own_groups: bool,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct Own {
    /// `Course` or `Account`; both unless given.
    context_type: Option<ContextType>,
}

#[derive(Deserialize, Clone, Copy)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
enum ContextType {
    Course,
    Account,
}

async fn of_course(cx: Context, at: CoursePath, body: Body<OfCourse>) -> Result<Reply<Vec<Group>>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::ReadRoster)?;
    let only_of = body.decode()?.only_own_groups.then_some(cx.caller()?.user);
    let scope = Scope::Course(course.id, only_of);
    Ok(Reply::page(store::groups(&cx.db, course.can(Right::ManageGroups), scope, &cx.page().await?).await?))
}

async fn create_in_course(cx: Context, at: CoursePath, body: Body<GroupForm>) -> Result<Reply<Group>> {
    let course = auth::course(&cx.db, cx.caller()?, &at.course_id).await?;
    course.must(Right::ManageGroups)?;
    let new = validated_new(body.decode()?, course.admin)?;
    Ok(Reply::ok(store::insert(&cx.db, course.root_account, Some(course.id), None, new, cx.now).await?))
}

async fn of_account(cx: Context, at: AccountPath) -> Result<Reply<Vec<Group>>> {
    let account = auth::account(&cx.db, cx.caller()?, &at.account_id).await?;
    account.must_administer()?;
    Ok(Reply::page(store::groups(&cx.db, true, Scope::Account(account.id), &cx.page().await?).await?))
}

async fn create_in_account(cx: Context, at: AccountPath, body: Body<GroupForm>) -> Result<Reply<Group>> {
    let account = auth::account(&cx.db, cx.caller()?, &at.account_id).await?;
    account.must_administer()?;
    let new = validated_new(body.decode()?, true)?;
    Ok(Reply::ok(store::insert(&cx.db, account.root_account, None, Some(account.id), new, cx.now).await?))
}

async fn own(cx: Context, (): (), body: Body<Own>) -> Result<Reply<Vec<Group>>> {
    let of_courses = body.decode()?.context_type.map(|context| matches!(context, ContextType::Course));
    let scope = Scope::User(cx.caller()?.user, of_courses);
    Ok(Reply::page(store::groups(&cx.db, false, scope, &cx.page().await?).await?))
}

async fn show(cx: Context, at: GroupPath) -> Result<Reply<Group>> {
    let group = auth::group(&cx.db, cx.caller()?, &at.group_id).await?;
    group.must_read()?;
    Ok(Reply::ok(store::group(&cx.db, group.can_manage(), group.id).await?.or_not_found()?))
}

async fn update(cx: Context, at: GroupPath, body: Body<GroupForm>) -> Result<Reply<Group>> {
    let group = auth::group(&cx.db, cx.caller()?, &at.group_id).await?;
    group.must_manage()?;
    let admin = group.course().is_none_or(|course| course.admin);
    let changes = validated(body.decode()?, admin)?;
    Ok(Reply::ok(store::update(&cx.db, group.id, changes, cx.now).await?.or_not_found()?))
}

async fn destroy(cx: Context, at: GroupPath) -> Result<Reply<Group>> {
    let group = auth::group(&cx.db, cx.caller()?, &at.group_id).await?;
    group.must_manage()?;
    Ok(Reply::ok(store::delete(&cx.db, group.id, cx.now).await?.or_not_found()?))
}

fn validated_new(form: GroupForm, admin: bool) -> Result<Changes> {
    match form.name {
        Patch::Absent => Err(Error::missing("name")),
        _ => validated(form, admin),
    }
}

/// What institutions number is numbered by administrators only.
fn validated(form: GroupForm, admin: bool) -> Result<Changes> {
    if form.sis_group_id.is_present() && !admin {
        return Err(Error::forbidden());
    }
    if let Patch::Value(most) = form.max_membership
        && most < 1
    {
        return Err(Error::invalid("max_membership", "greater_than", "must be greater than 0"));
    }
    let description = optional("description", form.description, LONGEST_DESCRIPTION).map_err(refused)?;
    Ok(Changes::default()
        .set("name", required("name", form.name, LONGEST).map_err(refused)?)
        .set("description", description)
        .set("is_public", form.is_public)
        .set("join_level", form.join_level.map(JoinLevel::name))
        .set("max_membership", form.max_membership)
        .set("sis_group_id", optional("sis_group_id", form.sis_group_id, LONGEST).map_err(refused)?))
}

impl JoinLevel {
    fn name(self) -> &'static str {
        match self {
            Self::ParentContextAutoJoin => "parent_context_auto_join",
            Self::ParentContextRequest => "parent_context_request",
            Self::InvitationOnly => "invitation_only",
        }
    }
}
