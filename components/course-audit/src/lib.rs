//! The audit log of courses: who changed what, and when. It is written where courses are changed, and only read here.

mod model;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!("course-audit", LmsErrors, [audit]);
