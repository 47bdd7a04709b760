//! Polls: a teacher asks, students answer from their phones, everybody sees the counts they may see.

mod choices;
mod form;
mod live;
mod meta;
mod polls;
mod sessions;
mod store;
mod submissions;

use shared::{Envelope, component};

component!("polls", Envelope::Lms, [polls, choices, sessions, submissions, live]);
