//! QTI 1.2, in which quizzes are exchanged by the reference system and by Common Cartridge.

pub(crate) mod read;
pub(crate) mod write;
