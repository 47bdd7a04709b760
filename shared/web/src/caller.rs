//! The caller: the user of a valid token, or the one whom an administrator acts as.

use types::ids::{AccountId, TokenId, UserId};

/// The caller.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user, or the one acted as.
    pub user: UserId,
    /// The user's name.
    pub name: String,
    /// The user's root account.
    pub root_account: AccountId,
    /// True if the user administers the whole site, with all its tenants.
    pub site_admin: bool,
    /// The token.
    pub token: TokenId,
    /// The user who really calls, where an administrator acts as somebody else.
    pub real_user: Option<UserId>,
}

impl Caller {
    /// The tenant to which every statement is limited, as `(?n IS NULL OR root_account_id = ?n)`: null for those who
    /// administer the whole site.
    pub fn tenant(&self) -> Option<AccountId> {
        (!self.site_admin).then_some(self.root_account)
    }

    /// The people behind the call: the user, and who acts as that user.
    pub fn people(&self) -> Vec<UserId> {
        [self.user].into_iter().chain(self.real_user).collect()
    }
}
