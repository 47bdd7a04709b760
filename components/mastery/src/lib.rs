//! Mastery tracking: what a district's data team reads, with a credential of the district.
//!
//! Each resource is declared once (`resources`); the SQL, the validation, the JSON and the API description follow.

mod access;
mod answer;
mod credentials;
mod import;
mod imports;
mod query;
mod report;
mod resource;
mod resources;
mod store;
mod token;
mod tracker;

use shared::{Envelope, component};

component!("mastery", Envelope::Mastery, [token, credentials, imports, tracker, report, resources]);
