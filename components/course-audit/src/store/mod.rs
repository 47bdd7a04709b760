//! The SQL of the area.

pub(crate) mod events;
pub(crate) mod needs;
