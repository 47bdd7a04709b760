//! The members of a group.

use shared::needs::{NeededGroup, may};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Form, Query, Reply, Result, endpoint, endpoints};

use crate::model::group_memberships::{MemberSearch, Membership};
use crate::routes::memberships::{MembershipForm, Removal, change, remove};
use crate::routes::users::User;
use crate::store::group_memberships::UsersOfGroup;

endpoints![list_group_users, get_group_member, update_group_member, remove_group_member];

/// Lists the members of a group.
#[endpoint(GET "/api/v1/groups/:group_id/users", students(200, "those in a course know its groups"))]
async fn list_group_users(
    cx: Context,
    group: NeededGroup<may::ReadGroup>,
    users: PrefetchedList<UsersOfGroup>,
    query: Query<MemberSearch>,
) -> Result<Reply<Vec<User>>> {
    query.decode()?;
    let users = users.page(&cx.page().await?)?;
    // Of a course the staff may put in somebody who was only invited, and has not agreed to be known by more than the
    // name.
    let administers = group.course().is_none_or(|course| course.admin);
    let manages = group.can_manage();
    Ok(Reply::page(users.map(|member| {
        let closely = manages && (administers || member.took_part);
        User::of(member.user.0, closely)
    })))
}

/// Reads a user's membership of a group.
#[endpoint(GET "/api/v1/groups/:group_id/users/:user_id", students(200, "those in a course know its groups"))]
async fn get_group_member(
    _: Context,
    group: NeededGroup,
    membership: Prefetched<Membership>,
) -> Result<Reply<Membership>> {
    let membership = membership.record()?;
    group.require_read()?;
    Ok(Reply::ok(membership))
}

/// Changes a user's membership of a group.
#[endpoint(PUT "/api/v1/groups/:group_id/users/:user_id")]
async fn update_group_member(
    cx: Context,
    group: NeededGroup,
    membership: Prefetched<Membership>,
    body: Form<MembershipForm>,
) -> Result<Reply<Membership>> {
    change(&cx, &group, &membership.record()?, body).await
}

/// Takes a user out of a group, or leaves it.
#[endpoint(DELETE "/api/v1/groups/:group_id/users/:user_id")]
async fn remove_group_member(
    cx: Context,
    group: NeededGroup,
    membership: Prefetched<Membership>,
) -> Result<Reply<Removal>> {
    remove(&cx, &group, &membership.record()?).await
}
