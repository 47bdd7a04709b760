//! Files and folders of courses, groups and users, and the pages of courses.

mod clean_up;
mod model;
mod notices;
mod routes;
mod store;

use shared::{LmsErrors, background, component};

component!(
    "files",
    LmsErrors,
    [files, files_api, files::download, folders, pages, create_success, front_page],
    internal: [background::jobs(clean_up::run)],
);
