//! What handing in an attempt needs, for the areas in which one is made: the submission that it becomes with its events and
//! notices, its grade and regrades, the settings of quizzes, and their access codes.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

pub mod access_codes;
pub mod accommodations;
pub mod address_filter;
pub mod attempts;
mod beginnings;
pub mod comments;
pub mod events;
pub mod files;
pub mod grading;
pub mod kept_attempts;
pub mod late_policy;
pub mod lateness;
pub mod notices;
pub mod overdue;
pub mod posting;
pub mod quiz_options;
pub mod quiz_results;
pub mod quiz_settings;
pub mod quizzes;
pub mod regraded;
pub mod regrades;
pub mod rules;
pub mod store;
pub mod student_dates;
pub mod submission_types;
