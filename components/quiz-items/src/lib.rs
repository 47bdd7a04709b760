//! Quiz items: what stands in a new quiz, the banks and stimuli it draws on, and the media of hot-spot questions.

mod additions;
mod bank_entries;
mod banks;
mod form;
mod image;
mod item;
mod items;
mod media;
mod question;
mod questions;
mod quiz;
mod rich;
mod s3;
mod stimulus;
mod store;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("quiz-items", Envelope::QuizEngine)
        .resource(items::endpoints())
        .resource(additions::endpoints())
        .resource(banks::endpoints())
        .resource(bank_entries::endpoints())
        .resource(media::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
