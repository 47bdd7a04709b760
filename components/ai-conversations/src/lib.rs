//! AI conversations: a student learns by talking with an AI experience of the course, and the teacher reads along.

mod access;
mod language_model;
mod limits;
mod model;
mod routes;
mod store;
mod turn;

use shared::{LmsErrors, component};

component!(
    "ai-conversations",
    LmsErrors,
    [
        ai_experiences,
        ai_conversations,
        conversations,
        messages,
        evaluation,
        feedback,
        talk,
        talk::messages,
        talk::feedback
    ]
);
