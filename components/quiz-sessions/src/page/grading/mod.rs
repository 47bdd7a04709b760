//! The pages on which attempts at a new quiz are graded: the list of them, and one with its answers. They need no script.

pub(crate) mod attempt;
pub(crate) mod frame;
mod hot_spot;
pub(crate) mod list;
mod response;
