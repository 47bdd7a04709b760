//! What belongs to a submission to a quiz.

pub(crate) mod questions;
