//! Why something cannot be written or read.

use std::{fmt, io};

/// Why something cannot be written or read, as a sentence for the person who sent it.
#[derive(Debug)]
pub struct Error {
    message: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The package is refused.
    Refused,
    /// The place of its bytes could not be read.
    Io,
}

/// The things that may be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The package is not as it has to be.
    pub fn invalid_package(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: Kind::Refused }
    }

    /// True if it is the package that is wrong; otherwise reading or writing failed, and may work the next time.
    pub fn is_refusal(&self) -> bool {
        self.kind == Kind::Refused
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self { message: error.to_string(), kind: Kind::Io }
    }
}
