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

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("ai-conversations", Envelope::Lms)
        .resource(experiences::endpoints())
        .resource(overview::endpoints())
        .resource(conversations::endpoints())
        .resource(messages::endpoints())
        .resource(evaluations::endpoints())
        .resource(feedback::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
