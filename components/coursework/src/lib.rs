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

use shared::{Envelope, background, component};

component!(
    "coursework",
    Envelope::Lms,
    [assignments, submissions, handing_in, submission_grading, submission_tools, new_quizzes, attempts, quizzes, quiz_submissions, quiz_scores, quiz_taking, questions, question_banks],
    internal: [background::jobs(quiz_overdue::run)],
);
