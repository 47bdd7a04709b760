//! The caller, and the caller's rights.
//!
//! A token says who calls; what the caller may do stands in the database alone, so that a right that is taken away is
//! gone at the next request. Every look-up is scoped to the caller's tenant: what is another's looks like what is not
//! there.

mod account;
pub mod audit;
mod authentication;
mod basic;
mod course;
pub mod encryption;
mod group;
mod issue;
pub mod jwt;
pub mod login;
pub mod password;
mod question_bank;
pub mod section_limit;
pub mod session;
mod user;

pub use account::{AccountAccess, AccountPath, NEEDED_ID, NEEDED_TENANT, account};
pub use authentication::{Tokens, of_page, of_token};
pub use basic::{Basic, basic};
pub use course::{CourseAccess, CoursePath, Right, course, is_staff_of_needed_sql, open_states_sql, require_section};
pub use group::{GroupAccess, GroupContext, group};
pub use issue::{NewToken, REFRESH_TOKENS_LAST, issue, revoke_all_but};
pub use jwt::Claims;
pub use question_bank::readable_question_banks;
pub use section_limit::SectionLimit;
pub use user::{USER_ALIASES, UserAccess, UserPath, user, user_id_sql, user_with_alias_sql};
pub use web::{Caller, bearer, presented, secrets};
