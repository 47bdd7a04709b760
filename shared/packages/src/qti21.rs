//! QTI 2.1 and 2.2, of which 2.1 is written.

pub(crate) mod read;
pub(crate) mod write;

/// The class of what a text beside questions says first.
const INSTRUCTIONS: &str = "instructions";
