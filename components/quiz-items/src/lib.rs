//! Quiz items: what stands in a new quiz, the banks and stimuli it draws on, and the media of hot-spot questions.

mod changes;
mod model;
mod routes;
mod s3;
mod store;

use shared::{QuizEngineErrors, component};

component!(
    "quiz-items",
    QuizEngineErrors,
    [items, stimuli, banks, entries, media, bank_entries, bank_items, media_upload_url]
);
