//! The paths of no area: the front page, the API description with its pages, guides and contract, signposts at the addresses
//! of records that answers and messages name, and the 404 that clients can read: every path that nobody else answers is
//! not found, in the words of the LMS.

mod documents;
mod routes;
mod signposts;

use shared::{LmsErrors, component};

component!("reference", LmsErrors, [root, docs, openapi, accounts, courses, groups, profile, users]);
