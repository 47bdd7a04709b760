//! Webhook subscriptions: tools, what they subscribe to, and the operator's view of what was sent to them. What sends is
//! the component `background`.

mod access;
mod authorize;
mod capabilities;
mod deliveries;
mod form;
mod page;
mod store;
mod subscriptions;
mod tool_proxies;

use shared::{Envelope, component};

component!("webhook-subscriptions", Envelope::Lms, [tool_proxies, authorize, subscriptions, deliveries, page]);
