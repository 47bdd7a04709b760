//! The paths of no area: the front page, the API description, and the 404 that clients can read: every path that nobody
//! else answers is not found, in the words of the LMS.

mod pages;
mod routes;

use shared::{LmsErrors, component};

component!("reference", LmsErrors, [root, docs, openapi]);
