//! The SQL of the area.

pub(crate) mod attachments;
pub(crate) mod folders;
pub(crate) mod needs;
pub(crate) mod pages;
pub(crate) mod retention;
pub(crate) mod uploads;
