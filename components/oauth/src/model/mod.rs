//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod developer_keys;
pub(crate) mod events;
pub(crate) mod home;
pub(crate) mod redirect;
pub(crate) mod tokens;
pub(crate) mod unsupported;
