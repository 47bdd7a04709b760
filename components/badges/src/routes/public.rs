//! public

pub(crate) mod credential;
pub(crate) mod image;
pub(crate) mod issuers;
pub(crate) mod oembed;
pub(crate) mod status;
pub(crate) mod verify;
