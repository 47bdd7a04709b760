//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod sis_imports;
