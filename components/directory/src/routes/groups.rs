//! Groups of users: of a course, or of an account.

pub(crate) mod users;

use serde::Deserialize;
use shared::auth::Right;
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::needs::{NeededAccount, NeededCourse, NeededGroup, may};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Patch, Query, Reply, Result, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, invalid, optional, required};
use crate::model::groups::{Group, JoinLevel};
use crate::model::unsupported;
use crate::store::groups::{self as store, Scope};
use crate::store::stickiness::{self, StickyRecord};

const MAX_DESCRIPTION_CHARS: usize = 10_000;

endpoints![
    list_course_groups,
    create_course_group,
    list_account_groups,
    create_account_group,
    list_own_groups,
    get_group,
    update_group,
    delete_group
];

#[derive(Deserialize, Default, JsonSchema)]
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
    /// Only for a group that exists. True unless given; false leaves the name that somebody has changed since an import.
    override_sis_stickiness: Option<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct GroupFilter {
    /// Only those that the caller is in.
    only_own_groups: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Own {
    /// `Course` or `Account`; both unless given.
    context_type: Option<ContextType>,
}

#[derive(Deserialize, Clone, Copy, JsonSchema)]
enum ContextType {
    Course,
    Account,
}

/// Lists the groups of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/groups",
    students(200, "those in a course know its groups"),
    unsupported(unsupported::GROUPS),
)]
async fn list_course_groups(
    cx: Context,
    course: NeededCourse<may::ReadRoster>,
    body: Query<GroupFilter>,
) -> Result<Reply<Vec<Group>>> {
    let only_of = body.decode()?.only_own_groups.then_some(cx.caller()?.user);
    let scope = Scope::Course(course.id, only_of);
    Ok(Reply::page(store::groups(&cx.db, course.can(Right::ManageGroups), scope, &cx.page().await?).await?))
}

/// Makes a group of users of a course.
#[endpoint(POST "/api/v1/courses/:course_id/groups")]
async fn create_course_group(
    cx: Context,
    course: NeededCourse<may::ManageGroups>,
    body: Form<GroupForm>,
) -> Result<Reply<Group>> {
    let new = validated_new(body.decode()?, course.admin)?;
    Ok(Reply::ok(store::insert(&cx.db, course.root_account, Some(course.id), None, new, cx.now).await?))
}

/// Lists the groups of an account itself.
#[endpoint(GET "/api/v1/accounts/:account_id/groups", unsupported(unsupported::GROUPS))]
async fn list_account_groups(
    cx: Context,
    account: NeededAccount<may::Administer>,
    query: Query<GroupFilter>,
) -> Result<Reply<Vec<Group>>> {
    let only_of = query.decode()?.only_own_groups.then_some(cx.caller()?.user);
    Ok(Reply::page(store::groups(&cx.db, true, Scope::Account(account.id, only_of), &cx.page().await?).await?))
}

/// Makes a group of users of an account.
#[endpoint(POST "/api/v1/accounts/:account_id/groups")]
async fn create_account_group(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<GroupForm>,
) -> Result<Reply<Group>> {
    let new = validated_new(body.decode()?, true)?;
    Ok(Reply::ok(store::insert(&cx.db, account.root_account, None, Some(account.id), new, cx.now).await?))
}

/// Lists the groups that the caller is in.
#[endpoint(
    GET "/api/v1/users/self/groups",
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_own_groups(cx: Context, body: Query<Own>) -> Result<Reply<Vec<Group>>> {
    let of_courses = body.decode()?.context_type.map(|context| matches!(context, ContextType::Course));
    let scope = Scope::User(cx.caller()?.user, of_courses);
    Ok(Reply::page(store::groups(&cx.db, false, scope, &cx.page().await?).await?))
}

/// Reads a group of users.
#[endpoint(GET "/api/v1/groups/:group_id", students(200, "those in a course know its groups"))]
async fn get_group(_: Context, group: NeededGroup<may::ReadGroup>, record: Prefetched<Group>) -> Result<Reply<Group>> {
    let record = record.record()?;
    let sis_group_id = record.sis_group_id.filter(|_| group.can_manage());
    Ok(Reply::ok(Group { sis_group_id, ..record }))
}

/// Changes a group of users.
#[endpoint(PUT "/api/v1/groups/:group_id", unsupported(unsupported::GROUP))]
async fn update_group(
    cx: Context,
    group: NeededGroup<may::ManageGroup>,
    body: Form<GroupForm>,
) -> Result<Reply<Group>> {
    let admin = group.course().is_none_or(|course| course.admin);
    let form = body.decode()?;
    let (record, overrides) = (StickyRecord::Group(group.id), form.override_sis_stickiness);
    let changes = stickiness::without_sticky(&cx.db, record, overrides, validated(form, admin)?).await?;
    Ok(Reply::ok(store::update(&cx.db, group.id, changes, cx.now).await?.or_not_found()?))
}

/// Deletes a group of users.
#[endpoint(DELETE "/api/v1/groups/:group_id")]
async fn delete_group(cx: Context, group: NeededGroup<may::ManageGroup>) -> Result<Reply<Group>> {
    Ok(Reply::ok(store::delete(&cx.db, group.id, cx.now).await?.or_not_found()?))
}

fn validated_new(form: GroupForm, admin: bool) -> Result<Changes> {
    match form.name {
        Patch::Absent => Err(Error::missing("name")),
        _ => validated(form, admin),
    }
}

/// The numbers of institutions are given by administrators only.
fn validated(form: GroupForm, admin: bool) -> Result<Changes> {
    if form.sis_group_id.is_present() && !admin {
        return Err(Error::forbidden());
    }
    if let Patch::Value(most) = form.max_membership
        && most < 1
    {
        return Err(Error::invalid("max_membership", "greater_than", "must be greater than 0"));
    }
    let description = optional("description", form.description, MAX_DESCRIPTION_CHARS).map_err(invalid)?;
    Ok(Changes::default()
        .set("name", required("name", form.name, MAX_CHARS).map_err(invalid)?)
        .set("description", description)
        .set("is_public", form.is_public)
        .set("join_level", form.join_level.map(JoinLevel::name))
        .set("max_membership", form.max_membership)
        .set("sis_group_id", optional("sis_group_id", form.sis_group_id, MAX_CHARS).map_err(invalid)?))
}
