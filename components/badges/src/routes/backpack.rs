//! The backpack: what an earner keeps.

pub(crate) mod assertions;
pub(crate) mod claim;
pub(crate) mod collections;
pub(crate) mod import;
pub(crate) mod share;
