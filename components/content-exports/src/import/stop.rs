//! The end of an import.

use shared::{Error, db};

/// The outcome of a package.
pub(crate) enum Outcome {
    /// Everything is stored, and the migration is ended.
    Stored,
    /// The package is refused, for that reason.
    Refused(String),
}

/// Why an import stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A fault of the package, which is its maker's business: the reason.
    Refused(String),
    /// All else is ours, and may work the next time.
    Failed(Error),
}

impl Stop {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<db::Error> for Stop {
    fn from(error: db::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<content_packages::error::Error> for Stop {
    fn from(error: content_packages::error::Error) -> Self {
        match error.is_refusal() {
            true => Self::Refused(error.to_string()),
            // All else is a package that could not be read from the store.
            false => Self::Failed(Error::outage(error)),
        }
    }
}
