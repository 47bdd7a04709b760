//! Who calls, and what the caller may do.
//!
//! A token says who calls; what the caller may do stands in the database alone, so that a right that is taken away is
//! gone at the next request. Every look-up is scoped to the caller's tenant: what is another's looks like what is not
//! there.

mod account;
mod basic;
mod caller;
mod course;
mod group;
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

pub use account::{AccountAccess, account};
pub use basic::basic;
pub(crate) use caller::caller;
pub use caller::{Caller, NewToken, issue, of_token, presented};
pub use course::{CourseAccess, Right, course};
pub use group::{GroupAccess, GroupContext, group};
pub use jwt::Claims;
pub use question_bank::readable_question_banks;
pub use user::{UserAccess, user};
