//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod auth;
pub(crate) mod authentication;
mod credentials;
pub(crate) mod developer_keys;
pub(crate) mod home;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod token;
pub(crate) mod tokens;
