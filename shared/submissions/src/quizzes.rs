//! The two sorts of quizzes, each of which has an area of its own.

/// The quizzes of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quizzes {
    /// Classic ones.
    Classic,
    /// New ones.
    New,
}
