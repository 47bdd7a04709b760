//! Webhook subscriptions: tools, what they subscribe to, and the operator's view of what was sent to them. What sends is
//! the component `background`.

mod access;
mod model;
mod routes;
mod store;

use shared::{Envelope, component};

component!(
    "webhook-subscriptions",
    Envelope::Lms,
    [tool_proxies, authorize, subscriptions, webhook_deliveries, deliveries, live_link]
);
