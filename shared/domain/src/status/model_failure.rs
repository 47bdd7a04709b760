//! The ways in which a call of the language model fails, as they are counted.

/// Why a call of the language model has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFailure {
    /// Its answer did not come, or not to its end, within the time that it has.
    Timeout,
    /// It cannot be reached, does not know us, failed itself, or said nothing.
    Unavailable,
    /// It would not answer this: by its filter, or because it takes no such question.
    Refused,
    /// Its answer was not in the shape that was asked for, or gave its instructions away.
    Malformed,
    /// The limit of its provider was reached.
    RateLimited,
}

impl ModelFailure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Timeout, Self::Unavailable, Self::Refused, Self::Malformed, Self::RateLimited];

    /// The name by which it is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Malformed => "malformed",
            Self::RateLimited => "rate_limited",
        }
    }
}
