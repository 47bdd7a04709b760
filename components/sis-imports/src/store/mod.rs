//! The SQL of the area.

pub(crate) mod sis_imports;
