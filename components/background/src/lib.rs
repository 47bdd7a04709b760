//! Work that nobody waits for: what is due is sent, and the jobs of the areas are called for.

mod deliveries;
mod messages;
mod model;
mod notices;
mod retention;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!(
    "background",
    LmsErrors,
    [
        tick,
        bounces,
        outbox,
        operator,
        operator::outbox,
        health,
        ready,
        status,
    ],
    internal: [routes::tick::run_soon()],
);
