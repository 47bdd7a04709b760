//! Rows, forms, views and rules: what needs neither a request nor the database.

pub(crate) mod coerce;
pub(crate) mod conversations;
pub(crate) mod evaluating;
pub(crate) mod evaluations;
pub(crate) mod experiences;
pub(crate) mod failure;
pub(crate) mod feedback;
pub(crate) mod overview;
pub(crate) mod own_talk;
pub(crate) mod problem;
pub(crate) mod prompt;
pub(crate) mod reply_text;
pub(crate) mod text;
pub(crate) mod transcript;
pub(crate) mod unsupported;
