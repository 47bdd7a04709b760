//! The SQL of the area.

pub(crate) mod data_sets;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod needs;
pub(crate) mod removal;
pub(crate) mod restorations;
pub(crate) mod sis_imports;
