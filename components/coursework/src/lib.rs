//! Coursework: what students work on, as teachers write it. New quizzes and their attempts, classic quizzes with their
//! questions, banks of questions, and the assignments behind them, with what is handed in and its grades.

mod access_codes;
mod answers;
mod assignments;
mod attempts;
mod form;
mod grading;
mod handing_in;
mod new_quizzes;
mod question_banks;
mod questions;
mod quiz_grading;
mod quiz_options;
mod quiz_overdue;
mod quiz_results;
mod quiz_scores;
mod quiz_scoring;
mod quiz_settings;
mod quiz_submission_view;
mod quiz_submissions;
mod quiz_taking;
mod quizzes;
mod rules;
mod store;
mod submission_events;
mod submission_grading;
mod submission_notices;
mod submission_tools;
mod submission_view;
mod submissions;

use shared::{Api, Envelope, background};

/// The endpoints of the area.
pub fn api() -> Api {
    Api::new("coursework", Envelope::Lms)
        .resource(assignments::endpoints())
        .resource(submissions::endpoints())
        .resource(handing_in::endpoints())
        .resource(submission_grading::endpoints())
        .resource(submission_tools::endpoints())
        .resource(new_quizzes::endpoints())
        .resource(attempts::endpoints())
        .resource(quizzes::endpoints())
        .resource(quiz_submissions::endpoints())
        .resource(quiz_scores::endpoints())
        .resource(quiz_taking::endpoints())
        .resource(questions::endpoints())
        .resource(question_banks::endpoints())
        .internal(background::jobs(quiz_overdue::run))
}

#[cfg(target_arch = "wasm32")]
static API: std::sync::LazyLock<Api> = std::sync::LazyLock::new(api);

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: shared::Request) -> shared::Response {
    shared::serve(&API, request).await
}
