//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod authorize;
pub(crate) mod deliveries;
pub(crate) mod live_link;
pub(crate) mod subscriptions;
pub(crate) mod tool_proxies;
pub(crate) mod webhook_deliveries;
