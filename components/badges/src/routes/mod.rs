//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod assertions;
pub(crate) mod backpack;
pub(crate) mod badgeclasses;
pub(crate) mod changed;
pub(crate) mod claimcodes;
pub(crate) mod did;
pub(crate) mod issuers;
pub(crate) mod jwks;
pub(crate) mod public;
pub(crate) mod signing_keys;
pub(crate) mod staff;
pub(crate) mod token;
pub(crate) mod tokens;
pub(crate) mod users;
