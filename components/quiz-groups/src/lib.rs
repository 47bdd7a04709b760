//! Quiz question groups: a classic quiz draws so many questions from each of its groups.

mod model;
mod routes;
mod store;

use shared::component;

use crate::model::error_format::QuizGroupErrors;

component!("quiz-groups", QuizGroupErrors, [groups]);
