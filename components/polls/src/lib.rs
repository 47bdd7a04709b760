//! Polls: a teacher asks, students answer from their phones, everybody sees the counts they may see.

mod model;
mod opening;
mod page_links;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!("polls", LmsErrors, [polls, poll_choices, poll_sessions, poll_submissions, sessions, live_link, join]);
