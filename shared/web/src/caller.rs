//! The caller: the user of a valid token or of a page of ours, or the one whom an administrator acts as.

use types::ids::{AccountId, TokenId, UserId};

use crate::error::{Error, Result, TokenProblem};

/// The caller.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user, or the one acted as.
    pub user: UserId,
    /// The user's name.
    pub name: String,
    /// The language of the person who calls, as that one's profile has it: of who acts as somebody else the own one.
    pub locale: Option<String>,
    /// The user's root account.
    pub root_account: AccountId,
    /// True if the user administers the whole site, with all its tenants.
    pub site_admin: bool,
    /// The token; `None` on a page of ours, which a log-in or a link has opened.
    pub token: Option<TokenId>,
    /// The user who really calls, where an administrator acts as somebody else.
    pub real_user: Option<UserId>,
}

impl Caller {
    /// The tenant to which every statement is limited, as `(?n IS NULL OR root_account_id = ?n)`: null for those who
    /// administer the whole site.
    pub fn tenant(&self) -> Option<AccountId> {
        (!self.site_admin).then_some(self.root_account)
    }

    /// The token of the call, for what is about tokens; 401 without one.
    pub fn require_token(&self) -> Result<TokenId> {
        self.token.ok_or_else(|| Error::token(TokenProblem::Missing))
    }

    /// The people behind the call: the user, and who acts as that user.
    pub fn people(&self) -> Vec<UserId> {
        [self.user].into_iter().chain(self.real_user).collect()
    }
}

/// Somebody who is signed in, as pages show it.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The session.
    pub session: TokenId,
    /// The name of the user.
    pub name: String,
    /// The token for the forms of this page.
    pub form_token: String,
    /// The path before all of ours, where a proxy takes one away; empty, or without a slash at its end.
    pub prefix: String,
}
