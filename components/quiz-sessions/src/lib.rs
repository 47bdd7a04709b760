//! Quiz sessions: students take new quizzes. A session is one way through a quiz, from its start until it is handed in; then it
//! is an attempt, with its score. Here too is what students are given beyond what a quiz allows.

mod answer_files;
mod ending;
mod grading;
mod jobs;
mod model;
mod page;
mod regrading;
mod report_writing;
mod routes;
mod store;

use shared::{QuizEngineErrors, background, component};

component!(
    "quiz-sessions",
    QuizEngineErrors,
    [sessions, answers, position, submit, result, accommodations, regrades, statistics, reports, take, grade],
    internal: [background::jobs(jobs::run)],
);
