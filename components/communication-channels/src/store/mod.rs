//! The SQL of the area.

pub(crate) mod channels;
pub(crate) mod confirmations;
