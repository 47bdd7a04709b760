//! The staff of an issuer. It keeps an owner; where the last one's user was deleted, administrators of the tenant name another.

use std::collections::{BTreeSet, HashSet};

use serde::Deserialize;
use shared::error::{OrNotFound, Violations};
use shared::ids::{IssuerId, UserId};
use shared::{Context, Created, Db, Error, Form, JsonSchema, NoContent, Path, Reply, Result, endpoint, endpoints};

use crate::access::{self, ISSUER, NeededStaff};
use crate::model::entity::{Envelope, FieldRules, decode, from_base64};
use crate::model::role::Role;
use crate::model::staff::{IssuerStaff, Member, StaffEntry};
use crate::store;
use crate::store::issuers::{MAX_STAFF, StaffedIssuer};

endpoints![add_issuer_staff, change_issuer_staff, remove_issuer_staff];

#[derive(Deserialize, JsonSchema)]
struct MemberForm {
    /// A verified address of the user.
    email: Option<String>,
    /// `owner`, `editor` or `staff`.
    role: Option<String>,
}

/// A member of the staff, by the address in base64.
#[derive(Deserialize, JsonSchema)]
struct MemberPath {
    email: String,
}

/// Adds a member to the staff of an issuer.
#[endpoint(
    POST "/v2/issuers/:id/staff",
    POST "/v2/issuers/:id/staff/invitations" as invite_issuer_staff { summary("Adds a member to the staff of an issuer, as soon as asked") },
    area_scopes(ISSUER),
)]
async fn add_issuer_staff(
    cx: Context,
    issuer: NeededStaff,
    body: Form<MemberForm>,
) -> Result<Created<Envelope<IssuerStaff>>> {
    let (user, role) = named(&cx, decode(body)?).await?;
    set(&cx, &issuer, user, role, true).await?;
    Ok(Envelope::created(&cx, IssuerStaff::of(member(&cx, &issuer, user).await?)))
}

/// Gives a member of the staff another role.
#[endpoint(
    PUT "/v2/issuers/:id/staff",
    PATCH "/v2/issuers/:id/staff" as patch_issuer_staff,
    area_scopes(ISSUER),
)]
async fn change_issuer_staff(
    cx: Context,
    issuer: NeededStaff,
    body: Form<MemberForm>,
) -> Result<Reply<Envelope<IssuerStaff>>> {
    let (user, role) = named(&cx, decode(body)?).await?;
    set(&cx, &issuer, user, role, false).await?;
    Ok(Envelope::one(&cx, IssuerStaff::of(member(&cx, &issuer, user).await?)))
}

/// Takes a member off the staff.
#[endpoint(DELETE "/v2/issuers/:id/staff/:email", area_scopes(ISSUER))]
async fn remove_issuer_staff(cx: Context, issuer: NeededStaff, Path(at): Path<MemberPath>) -> Result<NoContent> {
    let email = from_base64(&at.email).or_not_found()?;
    let caller = cx.caller()?;
    let user = store::issuers::user_of_email(&cx.db, caller.root_account, &email).await?.or_not_found()?;
    let removed = cx.db.transaction(async |db| -> Result<bool> {
        let issuer: StaffedIssuer = access::find(db, caller, &issuer.entity_id, Role::Owner).await?;
        if !store::issuers::is_member(db, issuer.id, user).await? {
            return Err(Error::not_found());
        }
        store::issuers::touch(db, issuer.id).await?;
        Ok(store::issuers::remove_member(db, issuer.id, user).await?)
    });
    if removed.await? { Ok(Reply::no_content()) } else { Err(ownerless()) }
}

/// Gives a user a role, who need be no member yet where `adds`.
async fn set(cx: &Context, issuer: &StaffedIssuer, user: UserId, role: Role, adds: bool) -> Result<()> {
    let caller = cx.caller()?;
    let set = cx.db.transaction(async |db| -> Result<bool> {
        let issuer: StaffedIssuer = access::find(db, caller, &issuer.entity_id, Role::Owner).await?;
        if !store::issuers::is_member(db, issuer.id, user).await? {
            if !adds {
                return Err(Error::invalid("email", "invalid", "This user is not a member of the staff."));
            }
            if store::issuers::count_staff(db, issuer.id).await?.members >= MAX_STAFF {
                return Err(too_many());
            }
        }
        store::users::ensure_profile(db, user).await?;
        store::issuers::touch(db, issuer.id).await?;
        Ok(store::issuers::set_role(db, issuer.id, user, role).await?)
    });
    if set.await? { Ok(()) } else { Err(ownerless()) }
}

fn too_many() -> Error {
    Error::bad_request(format!("The staff has no more than {MAX_STAFF} members."))
}

/// The user of the caller's tenant who is named, and the role.
async fn named(cx: &Context, form: MemberForm) -> Result<(UserId, Role)> {
    let mut violations = Violations::default();
    let email = violations.text("email", form.email.as_deref(), 255);
    let role = role_of(&mut violations, form.role.as_deref());
    violations.require_none()?;
    let user = store::issuers::user_of_email(&cx.db, cx.caller()?.root_account, &email).await?;
    let unknown = || Error::invalid("email", "invalid", "User matching email not found.");
    Ok((user.ok_or_else(unknown)?, role))
}

fn role_of(violations: &mut Violations, text: Option<&str>) -> Role {
    match text.map(Role::named) {
        Some(Some(role)) => return role,
        Some(None) => violations.refuse("role", "Must be one of owner, editor, staff."),
        None => violations.refuse("role", "This field is required."),
    }
    Role::Staff
}

/// Whoever has just named an owner in place of one who is gone reads the member, too.
async fn member(cx: &Context, issuer: &StaffedIssuer, user: UserId) -> Result<Member> {
    store::issuers::member(&cx.db, issuer.id, user).await?.or_not_found()
}

/// True if a list leaves the staff as it is: it names those who are of it, or nobody, as in a record that was read without it.
pub(crate) fn is_as_it_is(staff: &[Member], list: &[StaffEntry]) -> bool {
    let entries: BTreeSet<_> = list.iter().map(|entry| (entry.user.as_str(), entry.role.as_str())).collect();
    let members = staff.iter().map(|member| (member.user.as_str(), member.role.as_str())).collect();
    list.is_empty() || (list.len() == staff.len() && entries == members)
}

/// Makes that list the staff, as part of a transaction. It names users who are known to the caller, each once, and one of them
/// as owner.
pub(crate) async fn replace(db: &Db, issuer: IssuerId, own: Role, staff: &[StaffEntry]) -> Result<()> {
    own.require(Role::Owner)?;
    if staff.len() > MAX_STAFF {
        return Err(too_many());
    }
    let mut violations = Violations::default();
    let members: Vec<_> =
        staff.iter().map(|entry| (entry.user.as_str(), role_of(&mut violations, Some(&entry.role)))).collect();
    let mut seen = HashSet::new();
    if !members.iter().all(|(user, _)| seen.insert(*user)) {
        violations.refuse("staff", "A user is named twice.");
    }
    violations.require_none()?;
    if !members.iter().any(|(_, role)| *role == Role::Owner) {
        return Err(ownerless());
    }
    let count = store::issuers::replace_staff(db, issuer, &members).await?;
    if count.members != members.len() {
        return Err(Error::invalid("staff", "invalid", "There is no such user."));
    }
    if count.owners == 0 { Err(ownerless()) } else { Ok(()) }
}

fn ownerless() -> Error {
    Error::bad_request("The issuer must keep an owner.")
}
