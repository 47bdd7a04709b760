//! Which awards are in a backpack: the conditions of SQL.

use crate::store::users::verified_email;

/// The condition of awards to a user of a tenant that the user has not turned down.
pub(crate) fn is_own(user: &str, tenant: &str) -> String {
    format!("a.acceptance <> 'Rejected' AND {}", is_addressed(user, tenant))
}

/// The condition of awards to a user of a tenant. Other tenants have no say in whose address is whose.
pub(crate) fn is_addressed(user: &str, tenant: &str) -> String {
    format!(
        "i.root_account_id = {tenant} AND a.recipient_type = 'email'
           AND a.recipient_identity IN (
               SELECT lower(address) FROM communication_channels
               WHERE user_id = {user} AND type = 'email' AND workflow_state = 'active')"
    )
}

/// The same condition of an award that is known: the address is looked up by the award, and not the other way round.
pub(crate) fn is_kept(user: &str, tenant: &str) -> String {
    format!(
        "a.acceptance <> 'Rejected' AND a.recipient_type = 'email'
             AND EXISTS (SELECT 1 FROM badge_issuers WHERE id = a.issuer_id AND root_account_id = {tenant})
             AND EXISTS ({})",
        verified_email(user, "a.recipient_identity")
    )
}
