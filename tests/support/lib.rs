//! The harness of the contract tests: the application, schools to try it with, and clients.
//!
//! The application is started once for all tests, on a data folder of its own. Each test founds its own school, a
//! tenant that no other test knows of, so that all of them can run at the same time.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a harness that fails, fails the test"
)]

mod answers;
pub mod browser;
mod client;
pub mod model;
pub mod quizzes;
mod receiver;
mod recorder;
mod running;
mod sandbox;
mod school;
mod shape;
mod tool;

pub use client::{Call, Client, Response, make};
pub use receiver::{Received, Receiver, Reply};
pub use running::{Running, WriteLock, change, read, running};
pub use sandbox::{DEVELOPMENT, admin_of, crash_while, sandbox};
pub use school::{Course, School, Section, enroll};
pub use shape::{number_id, recent, text_id, uuid};
pub use tool::{Subscription, Tool};

/// A name that nobody else uses.
pub fn unique(word: &str) -> String {
    format!("{word}-{}", uuid::Uuid::new_v4().simple())
}
