//! Digital badges: issuers award them, earners keep them, and anybody can verify them.
//!
//! What members of an issuer's staff and earners do stands under `/v2`, what gives them tokens under `/o`, and what everybody
//! may read under `/public`.

mod access;
mod images;
mod model;
mod query;
mod routes;
mod signing;
mod source;
mod store;

use shared::{background, component};

use crate::model::error_format::BadgesErrors;

component!(
    "badges",
    BadgesErrors,
    [token, issuers, staff, badgeclasses, badgeclasses::issue, assertions, assertions::award, assertions::revocation, changed, backpack::assertions, backpack::collections, backpack::import, backpack::share, users, public::issuers, public::credential, public::image, public::oembed, public::status, public::verify, public::assertions, public::badges, public::baked, public::collections, public::images, public::imports, public::keys, signing_keys, did, jwks, tokens],
    internal: [background::jobs(images::retention::run)],
);
