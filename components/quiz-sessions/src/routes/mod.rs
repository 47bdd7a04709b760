//! The endpoints, each in the file that its path tells.

pub(crate) mod accommodations;
pub(crate) mod answers;
pub(crate) mod grade;
pub(crate) mod position;
pub(crate) mod regrades;
pub(crate) mod reports;
pub(crate) mod result;
pub(crate) mod sessions;
pub(crate) mod statistics;
pub(crate) mod submit;
pub(crate) mod take;
