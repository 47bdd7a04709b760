//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod assertions;
pub(crate) mod claim_codes;
pub(crate) mod classes;
pub(crate) mod credential_form;
pub(crate) mod did;
pub(crate) mod documents;
pub(crate) mod entity;
pub(crate) mod error_format;
pub(crate) mod imports;
pub(crate) mod markdown;
pub(crate) mod pages;
pub(crate) mod public;
pub(crate) mod recipients;
pub(crate) mod role;
pub(crate) mod sharing;
pub(crate) mod staff;
pub(crate) mod validity;
