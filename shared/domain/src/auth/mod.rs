//! Who calls, and what the caller may do.
//!
//! A token says who calls; what the caller may do stands in the database alone, so that a right that is taken away is
//! gone at the next request. Every look-up is scoped to the caller's tenant: what is another's looks like what is not
//! there.

mod account;
pub mod audit;
mod basic;
mod caller;
mod course;
mod group;
mod issue;
pub mod jwt;
#[cfg(feature = "password")]
pub mod login;
#[cfg(feature = "password")]
pub mod password;
mod question_bank;
#[cfg(feature = "seal")]
pub mod seal;
pub mod secrets;
mod user;

pub use account::{AccountAccess, AccountPath, account};
pub use basic::{Basic, basic};
pub use caller::{Caller, of_token, presented};
pub(crate) use caller::{Holder, TOKEN_PARAMETER, holder, masked};
pub use course::{CourseAccess, CoursePath, Right, course};
pub use group::{GroupAccess, GroupContext, group};
pub use issue::{NewToken, REFRESH_TOKENS_LAST, issue, revoke_all_but};
pub use jwt::Claims;
pub use question_bank::readable_question_banks;
pub use user::{UserAccess, UserPath, user};
