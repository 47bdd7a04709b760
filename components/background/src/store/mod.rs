//! The SQL of the area.

pub(crate) mod bounces;
pub(crate) mod deliveries;
pub(crate) mod messages;
pub(crate) mod operator;
pub(crate) mod outbox;
