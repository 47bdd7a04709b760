//! live

pub(crate) mod pages;
pub(crate) mod pass;
