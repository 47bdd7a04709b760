//! Error reports: anybody files one, and administrators work through those of their tenant.

mod environment;
mod filing;
mod form;
mod forwarding;
mod page;
mod reports;
mod scrub;
mod store;

use shared::{Envelope, background, component};

component!("error-reports", Envelope::Lms, [filing, reports, page], internal: [background::jobs(forwarding::run)]);
