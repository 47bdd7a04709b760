//! The memberships of a group of users.

use serde::{Deserialize, Serialize};
use shared::auth::{self, GroupAccess};
use shared::error::OrNotFound;
use shared::ids::{GroupMembershipId, IdOrAlias, UserId};
use shared::needs::{NeededGroup, may};
use shared::notify::Notifier;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::group_memberships::{Membership, MembershipFilter, MembershipState};
use crate::model::groups::JoinLevel;
use crate::model::unsupported;
use crate::notices;
use crate::store::group_memberships::{self as store, MembershipsOfGroup};

endpoints![
    list_group_memberships,
    create_group_membership,
    get_group_membership,
    update_group_membership,
    delete_group_membership
];

#[derive(Deserialize, JsonSchema)]
struct MembershipPath {
    /// `self` is the caller's own.
    #[serde(rename = "membership_id")]
    _membership_id: IdOrAlias<GroupMembershipId>,
}

/// The record is gone.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Removal {
    ok: bool,
}

#[derive(Deserialize, JsonSchema)]
struct NewMember {
    /// `self` joins.
    user_id: IdOrAlias<UserId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct MembershipForm {
    /// `accepted` lets in who asks.
    workflow_state: Option<Acceptance>,
    moderator: Option<bool>,
}

#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Acceptance {
    Accepted,
}

/// Lists the memberships of a group.
#[endpoint(GET "/api/v1/groups/:group_id/memberships", students(200, "those in a course know its groups"))]
async fn list_group_memberships(
    cx: Context,
    _: NeededGroup<may::ReadGroup>,
    memberships: PrefetchedList<MembershipsOfGroup>,
    _: Query<MembershipFilter>,
) -> Result<Reply<Vec<Membership>>> {
    Ok(Reply::page(memberships.page(&cx.page().await?)?))
}

/// Puts a user into a group, or joins it.
///
/// Whoever manages the group puts users into it. Others join by themselves, as the group lets them.
#[endpoint(
    POST "/api/v1/groups/:group_id/memberships",
    students(400, "students join; it asks for the user"),
    unsupported(unsupported::MEMBERSHIP),
)]
async fn create_group_membership(
    cx: Context,
    group: NeededGroup<may::ReadGroup>,
    body: Form<NewMember>,
) -> Result<Reply<Membership>> {
    let user = auth::user(&cx.db, cx.caller()?, &body.decode()?.user_id).await?;
    if user.root_account != group.root_account {
        return Err(Error::not_found());
    }
    let state = match group.can_manage() {
        true => MembershipState::Accepted,
        false if user.own => on_joining(&cx, &group).await?,
        false => return Err(Error::forbidden()),
    };
    if let Some(course) = group.course() {
        let limit = course.section_limit().filter(|_| !user.own);
        if !store::takes_part(&cx.db, course.id, user.id, limit).await? {
            return Err(Error::invalid("user_id", "invalid", "does not take part in the course"));
        }
    }
    let notifier = Notifier::of(&cx).await?;
    let joined = cx.db.transaction(async |db| {
        let before = store::membership(db, group.id, user.id).await?;
        let joined = store::insert(db, group.id, user.id, state, cx.now).await?;
        let joined = joined.ok_or_else(|| Error::bad_request("The group is full"))?;
        let before = before.map(|membership| membership.workflow_state);
        notices::in_group(db, &notifier, &group, before, &joined, cx.now).await?;
        Ok::<_, Error>(joined)
    });
    Ok(Reply::ok(joined.await?))
}

/// Reads a membership of a group.
#[endpoint(
    GET "/api/v1/groups/:group_id/memberships/:membership_id",
    students(200, "those in a course know its groups"),
)]
async fn get_group_membership(
    _: Context,
    _: Path<MembershipPath>,
    group: NeededGroup,
    membership: Prefetched<Membership>,
) -> Result<Reply<Membership>> {
    let membership = membership.record()?;
    group.require_read()?;
    Ok(Reply::ok(membership))
}

/// Changes a membership of a group.
#[endpoint(PUT "/api/v1/groups/:group_id/memberships/:membership_id")]
async fn update_group_membership(
    cx: Context,
    _: Path<MembershipPath>,
    group: NeededGroup,
    membership: Prefetched<Membership>,
    body: Form<MembershipForm>,
) -> Result<Reply<Membership>> {
    change(&cx, &group, &membership.record()?, body).await
}

/// Takes a user out of a group, or leaves it.
#[endpoint(DELETE "/api/v1/groups/:group_id/memberships/:membership_id")]
async fn delete_group_membership(
    cx: Context,
    _: Path<MembershipPath>,
    group: NeededGroup,
    membership: Prefetched<Membership>,
) -> Result<Reply<Removal>> {
    remove(&cx, &group, &membership.record()?).await
}

pub(crate) async fn change(
    cx: &Context,
    group: &GroupAccess,
    membership: &Membership,
    body: Form<MembershipForm>,
) -> Result<Reply<Membership>> {
    group.require_manage()?;
    let MembershipForm { workflow_state, moderator } = body.decode()?;
    let notifier = Notifier::of(cx).await?;
    let changed = cx.db.transaction(async |db| {
        let before = store::state_of(db, membership.id).await?.or_not_found()?;
        let changed = store::update(db, membership.id, workflow_state.is_some(), moderator, cx.now).await?;
        let changed = changed.ok_or_else(|| Error::bad_request("The group is full"))?;
        notices::in_group(db, &notifier, group, Some(before), &changed, cx.now).await?;
        Ok::<_, Error>(changed)
    });
    Ok(Reply::ok(changed.await?))
}

pub(crate) async fn remove(cx: &Context, group: &GroupAccess, membership: &Membership) -> Result<Reply<Removal>> {
    if membership.user_id != cx.caller()?.user {
        group.require_manage()?;
    }
    let notifier = Notifier::of(cx).await?;
    let transaction = cx.db.transaction(async |db| {
        let before = store::state_of(db, membership.id).await?;
        store::delete(db, membership.id, cx.now).await?;
        if before == Some(MembershipState::Requested) {
            notices::kept_out(db, &notifier, group, membership.user_id).await?;
        }
        Ok::<_, Error>(())
    });
    transaction.await?;
    Ok(Reply::ok(Removal { ok: true }))
}

/// The state in which somebody joins the group; 403 where only others put users into it.
async fn on_joining(cx: &Context, group: &GroupAccess) -> Result<MembershipState> {
    match store::join_level(&cx.db, group.id).await?.or_not_found()? {
        JoinLevel::ParentContextAutoJoin => Ok(MembershipState::Accepted),
        JoinLevel::ParentContextRequest => Ok(MembershipState::Requested),
        JoinLevel::InvitationOnly => Err(Error::forbidden()),
    }
}
