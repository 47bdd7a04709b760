//! How much a new quiz may ask. A session has all of it at once, and so has everybody who takes it.

/// The most questions and stimuli of a quiz, with what it draws from banks.
pub const MAX_QUIZ_ITEMS: i64 = 1_000;
/// The most bytes of them.
pub const MAX_QUIZ_BYTES: i64 = 8 * 1024 * 1024;
/// The most bytes that a session has. It is more than a quiz may have, because some are older than that limit.
pub const MAX_SESSION_BYTES: i64 = 16 * 1024 * 1024;

/// The bytes of the question `q`, as an expression of SQL. No text is read for it: its length stands before it.
pub const QUESTION_BYTES: &str = "(octet_length(q.item_body) + octet_length(q.interaction_data)
    + octet_length(q.scoring_data) + octet_length(q.properties) + octet_length(q.feedback) + octet_length(q.answer_feedback))";
/// The bytes of the stimulus `s`.
pub const STIMULUS_BYTES: &str = "(ifnull(octet_length(s.body), 0) + ifnull(octet_length(s.instructions), 0))";
