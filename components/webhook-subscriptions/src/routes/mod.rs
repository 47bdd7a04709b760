//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod authorize;
pub(crate) mod deliveries;
pub(crate) mod live_link;
pub(crate) mod lti;
pub(crate) mod openid_configuration;
pub(crate) mod registrations;
pub(crate) mod subscriptions;
pub(crate) mod token;
pub(crate) mod tool_consumer_profile;
pub(crate) mod tool_deliveries;
pub(crate) mod tool_proxies;
pub(crate) mod tool_proxy;
pub(crate) mod tool_registrations;
pub(crate) mod webhook_deliveries;
