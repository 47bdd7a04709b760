//! Digital badges: issuers award them, earners keep them, and anybody can verify them.
//!
//! What members of an issuer's staff and earners do stands under `/v2`, what gives them tokens under `/o`, and what everybody
//! may read under `/public`.

mod access;
mod assertions;
mod awards;
mod backpack;
mod changes;
mod classes;
mod entity;
mod images;
mod issuers;
mod paging;
mod public;
mod recipients;
mod revocation;
mod signing;
mod staff;
mod store;
mod token;
mod users;

use shared::{Envelope, background, component};

component!(
    "badges",
    Envelope::Badges,
    [token, issuers, staff, classes, assertions, awards, revocation, changes, backpack, backpack::collections, backpack::import, backpack::share, users, public, signing],
    internal: [background::jobs(images::retention::run)],
);
