//! Error reports: anybody files one, and administrators work through those of their tenant.

mod forwarding;
mod model;
mod routes;
mod scrub;
mod store;

use shared::{LmsErrors, background, component};

component!(
    "error-reports",
    LmsErrors,
    [error_reports::filing, error_reports, error_reports::page],
    internal: [background::jobs(forwarding::run)],
    webhooks: forwarding::webhooks(),
);
