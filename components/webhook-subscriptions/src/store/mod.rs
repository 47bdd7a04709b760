//! The SQL of the area.

pub(crate) mod contexts;
pub(crate) mod deliveries;
pub(crate) mod needs;
pub(crate) mod subscriptions;
pub(crate) mod tool_proxies;
pub(crate) mod tool_registrations;
