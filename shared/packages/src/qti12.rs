//! QTI 1.2, in which quizzes are exchanged by the reference system and by Common Cartridge.

pub(crate) mod read;
pub(crate) mod write;

/// The attribute of a typed answer that Lectern adds: the text that is shown in its place.
const SHOWN: &str = "blank_text";
