//! Paths of a submission to a quiz.

pub(crate) mod questions;
