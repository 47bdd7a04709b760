//! Quiz question groups: a classic quiz draws so many questions from each of its groups.

mod groups;
mod store;

use std::sync::LazyLock;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("quiz-groups", Envelope::QuizGroups).resource(groups::endpoints())
}

static API: LazyLock<Api> = LazyLock::new(api);

#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
