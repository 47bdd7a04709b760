//! The SQL of the area.

pub(crate) mod banks;
pub(crate) mod content;
pub(crate) mod items;
pub(crate) mod media;
pub(crate) mod needs;
mod records;
mod sizes;
