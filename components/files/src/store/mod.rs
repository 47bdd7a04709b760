//! The SQL of the area.

pub(crate) mod attachments;
pub(crate) mod clean_up;
pub(crate) mod folders;
pub(crate) mod pages;
pub(crate) mod uploads;
