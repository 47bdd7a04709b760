//! AI conversations: a student learns by talking with an AI experience of the course, and the teacher reads along.

mod access;
mod conversations;
mod evaluations;
mod experiences;
mod failure;
mod feedback;
mod limits;
mod messages;
mod model;
mod overview;
mod prompt;
mod reply_text;
mod store;
mod stream;
mod text;
mod turn;

use shared::{Envelope, component};

component!("ai-conversations", Envelope::Lms, [experiences, overview, conversations, messages, evaluations, feedback],);
