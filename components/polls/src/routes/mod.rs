//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod join;
pub(crate) mod live_link;
pub(crate) mod poll_choices;
pub(crate) mod poll_sessions;
pub(crate) mod poll_submissions;
pub(crate) mod polls;
pub(crate) mod sessions;
