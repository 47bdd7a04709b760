//! The SQL of the area.

pub(crate) mod events;
pub(crate) mod grants;
pub(crate) mod home;
pub(crate) mod keys;
pub(crate) mod tokens;
