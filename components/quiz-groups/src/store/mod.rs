//! The SQL of the area.

pub(crate) mod groups;
pub(crate) mod needs;
