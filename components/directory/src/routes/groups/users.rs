//! The members of a group.

use serde::Deserialize;
use shared::auth::{self, GroupAccess};
use shared::error::OrNotFound;
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{NeededGroup, may};
use shared::{Context, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::filters::search_term;
use crate::model::group_memberships::Membership;
use crate::routes::memberships::{Done, MembershipForm, change, remove};
use crate::routes::users::User;
use crate::store::group_memberships::{self as store, Which};

endpoints![list_group_users, get_group_member, update_group_member, remove_group_member];

#[derive(Deserialize, JsonSchema)]
struct MemberPath {
    user_id: IdOrAlias<UserId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Search {
    /// Part of a name.
    search_term: Option<String>,
}

/// Lists the members of a group.
#[endpoint(GET "/api/v1/groups/:group_id/users", students(200, "those in a course know its groups"))]
async fn list_group_users(
    cx: Context,
    group: NeededGroup<may::ReadGroup>,
    body: Query<Search>,
) -> Result<Reply<Vec<User>>> {
    let term = search_term(body.decode()?.search_term)?;
    let course = group.course();
    let users = store::users(&cx.db, course.map(|course| course.id), group.id, term, &cx.page().await?).await?;
    // Of a course the staff may put in somebody who was only invited, and has not agreed to be known by more than the
    // name.
    let administers = course.is_none_or(|course| course.admin);
    let manages = group.can_manage();
    Ok(Reply::page(users.map(|member| {
        let closely = manages && (administers || member.took_part);
        User::of(member.into_user(), closely)
    })))
}

/// Reads a user's membership of a group.
#[endpoint(GET "/api/v1/groups/:group_id/users/:user_id", students(200, "those in a course know its groups"))]
async fn get_group_member(cx: Context, Path(at): Path<MemberPath>, group: NeededGroup) -> Result<Reply<Membership>> {
    let membership = find_of_user(&cx, &group, &at).await?;
    group.require_read()?;
    Ok(Reply::ok(membership))
}

/// Changes a user's membership of a group.
#[endpoint(PUT "/api/v1/groups/:group_id/users/:user_id")]
async fn update_group_member(
    cx: Context,
    Path(at): Path<MemberPath>,
    group: NeededGroup,
    body: Form<MembershipForm>,
) -> Result<Reply<Membership>> {
    let membership = find_of_user(&cx, &group, &at).await?;
    change(&cx, &group, &membership, body).await
}

/// Takes a user out of a group, or leaves it.
#[endpoint(DELETE "/api/v1/groups/:group_id/users/:user_id")]
async fn remove_group_member(cx: Context, Path(at): Path<MemberPath>, group: NeededGroup) -> Result<Reply<Done>> {
    let membership = find_of_user(&cx, &group, &at).await?;
    remove(&cx, &group, &membership).await
}

async fn find_of_user(cx: &Context, group: &GroupAccess, at: &MemberPath) -> Result<Membership> {
    let user = auth::user(&cx.db, cx.caller()?, &at.user_id).await?;
    store::membership(&cx.db, group.id, Which::OfUser(user.id)).await?.or_not_found()
}
