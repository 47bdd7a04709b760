//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod create_success;
pub(crate) mod files;
pub(crate) mod files_api;
pub(crate) mod folders;
pub(crate) mod front_page;
pub(crate) mod pages;
