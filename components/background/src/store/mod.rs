//! The SQL of the area.

pub(crate) mod deliveries;
pub(crate) mod messages;
