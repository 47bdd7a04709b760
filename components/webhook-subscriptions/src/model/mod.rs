//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod assertions;
pub(crate) mod capabilities;
pub(crate) mod contexts;
pub(crate) mod deliveries;
pub(crate) mod form;
pub(crate) mod lti_1_3;
pub(crate) mod lti_2;
pub(crate) mod oauth_1;
pub(crate) mod subscriptions;
pub(crate) mod tool_proxies;
pub(crate) mod tool_registrations;
pub(crate) mod tools;
