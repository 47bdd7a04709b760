//! Content exports: packages of what is in a course, a group or a user's files; packages that come in; and how far
//! either has come.

mod bytes;
mod import;
mod imports;
mod jobs;
mod limits;
mod model;
mod package;
mod routes;
mod store;
mod work;

use shared::{LmsErrors, background, component};

component!(
    "content-exports",
    LmsErrors,
    [
        content_exports,
        issues,
        progress,
        migration_issues,
    ],
    internal: [background::jobs(jobs::run)],
);
