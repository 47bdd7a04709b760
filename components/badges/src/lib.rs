//! Digital badges: issuers award them, earners keep them, and anybody can verify them.
//!
//! Under `/v2` stand the endpoints of issuers' staff and of earners, under `/o` those that give them tokens, and under `/public`
//! the pages and documents for everybody.

mod access;
mod images;
mod model;
mod private_key;
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
    [
        token,
        issuers,
        staff,
        badgeclasses,
        badgeclasses::issue,
        assertions,
        assertions::issuing,
        assertions::revocation,
        changed,
        claimcodes,
        backpack,
        backpack::assertions,
        backpack::claim,
        backpack::collections,
        backpack::import,
        backpack::share,
        users,
        public::issuers,
        public::credential,
        public::image,
        public::oembed,
        public::status,
        public::verify,
        public::assertions,
        public::badges,
        public::baked,
        public::collections,
        public::images,
        public::imports,
        public::keys,
        signing_keys,
        did,
        jwks,
        tokens,
    ],
    internal: [background::jobs(images::retention::run)],
    tokens: access::BADGE_TOKENS,
);
