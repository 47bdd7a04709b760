//! The SQL of the area.

pub(crate) mod forwards;
pub(crate) mod reports;
