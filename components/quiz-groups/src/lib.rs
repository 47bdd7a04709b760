//! Quiz question groups: a classic quiz draws so many questions from each of its groups.

mod model;
mod routes;
mod store;

use shared::{Envelope, component};

component!("quiz-groups", Envelope::QuizGroups, [groups]);
