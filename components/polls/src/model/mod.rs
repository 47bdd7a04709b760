//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod board;
pub(crate) mod choices;
pub(crate) mod form;
pub(crate) mod join_codes;
pub(crate) mod meta;
pub(crate) mod overview;
pub(crate) mod polls;
pub(crate) mod sessions;
pub(crate) mod submissions;
