//! Coursework: what students work on, as teachers write it. New quizzes and their attempts, classic quizzes with their
//! questions, banks of questions, and the assignments behind them, with what is handed in and its grades.

mod assignment_notices;
mod jobs;
mod late_grading;
mod model;
mod other_points;
mod quiz_admission;
mod quiz_grading;
mod quiz_overdue;
mod quiz_regrading;
mod regrading;
mod report_writing;
mod routes;
mod store;
mod submission_notices;

use shared::{LmsErrors, background, component};

component!(
    "coursework",
    LmsErrors,
    [
        late_policy,
        assignments,
        assignments::overrides,
        assignments::posting,
        assignments::submissions,
        assignments::submissions::anonymous,
        assignments::submissions::handing_in,
        assignments::submissions::grading,
        assignments::submissions::tools,
        quiz::quizzes,
        attempts,
        quizzes,
        quizzes::assignment_overrides,
        quizzes::extensions,
        quizzes::statistics,
        quizzes::regrades,
        quizzes::regrades::attempts,
        quizzes::reports,
        quiz_extensions,
        quizzes::submissions,
        quizzes::submissions::scoring,
        quiz_submissions::questions,
        quizzes::questions,
        quizzes::submission,
        question_banks,
        question_banks::questions,
        students::submissions,
    ],
    internal: [background::jobs(jobs::run)],
);
