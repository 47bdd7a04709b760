//! What pages say, in every language in which they are written: one table, `texts.toml`, of which the build makes a constant
//! for each text. A text that a language lacks, or whose places for values differ, ends the build.

mod language;
mod text;

pub use language::Language;
pub use text::{Counted, Part, Text};

include!(concat!(env!("OUT_DIR"), "/texts.rs"));
