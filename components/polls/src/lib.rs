//! Polls: a teacher asks, students answer from their phones, everybody sees the counts they may see.

mod model;
mod pass;
mod routes;
mod store;

use shared::{Envelope, component};

component!("polls", Envelope::Lms, [polls, poll_choices, poll_sessions, poll_submissions, sessions, live_link]);
