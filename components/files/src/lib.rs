//! Files and folders of courses, groups and users, and the pages of courses.

mod attachments;
mod checks;
mod clean_up;
mod downloads;
mod folders;
mod pages;
mod ranges;
mod store;
mod uploads;

use shared::{Envelope, background, component};

component!(
    "files",
    Envelope::Lms,
    [attachments, uploads, downloads, folders, pages],
    internal: [background::jobs(clean_up::run)],
);
