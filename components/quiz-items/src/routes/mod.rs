//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod banks;
pub(crate) mod entries;
pub(crate) mod items;
pub(crate) mod media;
pub(crate) mod stimuli;
