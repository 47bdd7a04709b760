//! Coursework: what students work on, as teachers write it. New quizzes and their attempts, classic quizzes with their
//! questions, banks of questions, and the assignments behind them.

mod answers;
mod assignments;
mod attempts;
mod form;
mod new_quizzes;
mod question_banks;
mod questions;
mod quiz_options;
mod quiz_settings;
mod quizzes;
mod rules;
mod store;

use shared::{Api, Envelope};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("coursework", Envelope::Lms)
        .resource(assignments::endpoints())
        .resource(new_quizzes::endpoints())
        .resource(attempts::endpoints())
        .resource(quizzes::endpoints())
        .resource(questions::endpoints())
        .resource(question_banks::endpoints())
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
