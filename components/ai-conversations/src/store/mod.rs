//! The SQL of the area.

pub(crate) mod conversations;
pub(crate) mod experiences;
pub(crate) mod feedback;
mod message_order;
pub(crate) mod messages;
pub(crate) mod needs;
pub(crate) mod pages;
pub(crate) mod usage;
