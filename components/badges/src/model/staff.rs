//! The staff of an issuer: who they are, and in which role.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

use crate::model::role::Role;

/// A member of the staff, named by the entity id of its user.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct StaffEntry {
    pub(crate) user: String,
    pub(crate) role: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerStaff {
    pub(crate) entity_type: &'static str,
    pub(crate) user: String,
    pub(crate) role: Role,
    pub(crate) user_profile: StaffProfile,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StaffProfile {
    pub(crate) entity_type: &'static str,
    pub(crate) entity_id: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) emails: Vec<StaffEmail>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StaffEmail {
    pub(crate) email: String,
    pub(crate) verified: bool,
    pub(crate) primary: bool,
}

impl IssuerStaff {
    pub(crate) fn of(member: Member) -> Self {
        let (first_name, last_name) = names(&member.name);
        let emails = member.email.map(|email| StaffEmail { email, verified: true, primary: true });
        let user_profile = StaffProfile {
            entity_type: "BadgeUser",
            entity_id: member.user.clone(),
            first_name,
            last_name,
            emails: emails.into_iter().collect(),
        };
        Self { entity_type: "IssuerStaff", user: member.user, role: member.role, user_profile }
    }
}

/// The given names and the family name: what stands behind the last space.
pub(crate) fn names(name: &str) -> (String, String) {
    let (first, last) = name.trim().rsplit_once(char::is_whitespace).unwrap_or((name.trim(), ""));
    (first.trim().to_owned(), last.to_owned())
}

/// A member of an issuer's staff.
#[derive(Deserialize, Clone)]
pub(crate) struct Member {
    pub(crate) user: String,
    pub(crate) role: Role,
    pub(crate) name: String,
    pub(crate) email: Option<String>,
}
