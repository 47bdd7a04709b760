//! Files and folders of courses, groups and users, and the pages of courses.

mod model;
mod notices;
mod retention;
mod routes;
mod store;

use shared::{LmsErrors, background, component};

component!(
    "files",
    LmsErrors,
    [files, files_api, files::download, folders, pages, create_success, front_page],
    internal: [background::jobs(retention::run)],
);
