//! Webhook subscriptions: tools, what they subscribe to, and what was sent to them, as operators and as the tools see it. The
//! sender is the component `background`.

mod access;
mod client_assertion;
mod markup;
mod model;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!(
    "webhook-subscriptions",
    LmsErrors,
    [
        tool_proxies,
        authorize,
        subscriptions,
        webhook_deliveries,
        deliveries,
        lti::deliveries,
        tool_deliveries,
        live_link,
        tool_registrations,
        openid_configuration,
        registrations,
        token,
        tool_consumer_profile,
        tool_proxy
    ],
    webhooks: shared::live_events::webhooks(),
);
