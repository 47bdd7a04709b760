//! Mastery tracking: what a district's data team reads, with a credential of the district.
//!
//! Each resource is declared once (`resources`); the SQL, the validation, the JSON and the API description follow.

mod access;
mod answer;
mod import;
mod model;
mod query;
mod resource;
mod routes;
mod store;

use shared::component;

use crate::model::error_format::MasteryErrors;

component!("mastery", MasteryErrors, [token, mastery_credentials, mastery_imports, assessments, reports, resources]);
