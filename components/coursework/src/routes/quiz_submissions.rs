//! quiz_submissions

pub(crate) mod questions;
