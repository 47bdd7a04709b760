//! Content exports: packages of what is in a course, a group or a user's files; packages that come in; and how far
//! either has come.

mod bytes;
mod exports;
mod import;
mod imports;
mod issues;
mod jobs;
mod limits;
mod package;
mod progress;
mod select;
mod store;

use shared::{Envelope, background, component};

component!("content-exports", Envelope::Lms, [exports, progress, issues], internal: [background::jobs(jobs::run)]);
