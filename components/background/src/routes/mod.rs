//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod bounces;
pub(crate) mod health;
pub(crate) mod operator;
pub(crate) mod outbox;
pub(crate) mod ready;
pub(crate) mod status;
pub(crate) mod tick;
