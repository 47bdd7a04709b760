//! The tenant into which an import goes, and the author of what it changes.

use shared::course_events::Author;
use shared::{Db, clock};

use crate::rows::{Passwords, Target};
use crate::store::sis_imports::Claimed;

/// The author of what an import changes.
pub(crate) fn author(import: &Claimed) -> Author {
    Author::import(import.user_id, import.real_user_id, import.id)
}

/// The tenant of an import, in a transaction.
pub(crate) fn target<'a>(db: &'a Db, import: &'a Claimed, author: &'a Author, passwords: &'a Passwords) -> Target<'a> {
    let (root, options, now) = (import.root_account_id, &import.options.0, clock::now());
    Target { db, root, author, import: import.id, options, now, passwords, ends_gone: false }
}
