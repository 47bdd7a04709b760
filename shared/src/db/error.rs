//! What can go wrong with a statement. The binding tells it in words only: they are read here and nowhere else.

use spin_sdk::sqlite;

/// The result of a statement.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a statement failed.
#[derive(Debug)]
pub enum Error {
    /// A unique constraint: its columns, as `table.column, table.column`, or `index 'name'`.
    Unique(String),
    /// A foreign key: the row that is named is not there, or is still named by others.
    ForeignKey,
    /// A check: the name of the constraint, or its expression.
    Check(String),
    /// A column that must have a value: `table.column`.
    NotNull(String),
    /// Other writers held the database for longer than we wait.
    Busy,
    /// The disk has no room for the write.
    Full,
    /// A statement that always has a row had none.
    NoRow,
    /// A row does not fit the type it is read into.
    Decode(String),
    /// A transaction's handle was kept beyond its end, so that nothing was committed.
    TransactionKept,
    /// A list with numbered pages was asked for a bookmark.
    NoSuchPage,
    /// A bookmark that is none of the list's.
    BadBookmark,
    /// All else, in the words of the binding.
    Other(String),
}

impl Error {
    pub(super) fn from_binding(error: sqlite::Error) -> Self {
        match error {
            sqlite::Error::Io(text) => Self::from_text(&text),
            other => Self::Other(other.to_string()),
        }
    }

    /// Whether the connection that answered this may be in any state: after a broken rule, and after waiting in vain, it
    /// is as it was before.
    pub(super) fn leaves_doubt(&self) -> bool {
        matches!(self, Self::Other(_))
    }

    pub(super) fn decode(error: impl std::fmt::Display) -> Self {
        Self::Decode(error.to_string())
    }

    fn from_text(text: &str) -> Self {
        let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest.trim().to_owned());
        if let Some(columns) = after("UNIQUE constraint failed:") {
            return Self::Unique(columns);
        }
        if let Some(name) = after("CHECK constraint failed:") {
            return Self::Check(name);
        }
        if let Some(column) = after("NOT NULL constraint failed:") {
            return Self::NotNull(column);
        }
        if text.contains("FOREIGN KEY constraint failed") {
            return Self::ForeignKey;
        }
        if text.contains("database is locked") || text.contains("database table is locked") {
            return Self::Busy;
        }
        if text.contains("database or disk is full") {
            return Self::Full;
        }
        Self::Other(text.to_owned())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unique(columns) => write!(f, "not unique: {columns}"),
            Self::ForeignKey => f.write_str("foreign key without its row"),
            Self::Check(name) => write!(f, "check failed: {name}"),
            Self::NotNull(column) => write!(f, "no value: {column}"),
            Self::Busy => f.write_str("the database is busy"),
            Self::Full => f.write_str("the disk is full"),
            Self::NoRow => f.write_str("a statement that always has a row had none"),
            Self::Decode(why) => write!(f, "a row does not fit its type: {why}"),
            Self::TransactionKept => f.write_str("a transaction's handle was kept beyond its end"),
            Self::NoSuchPage => f.write_str("the list has numbered pages"),
            Self::BadBookmark => f.write_str("the bookmark is none of this list's"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

/// Gives a broken constraint the answer that the area has for it.
pub trait OnUnique<T> {
    /// Maps a broken unique constraint on `columns` (written as SQLite does: `table.a, table.b`) to another error.
    fn on_unique(self, columns: &str, to: impl FnOnce() -> crate::Error) -> crate::Result<T>;
}

impl<T> OnUnique<T> for Result<T> {
    fn on_unique(self, columns: &str, to: impl FnOnce() -> crate::Error) -> crate::Result<T> {
        self.map_err(|error| match error {
            Error::Unique(broken) if broken == columns => to(),
            other => other.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_sqlite_become_kinds() {
        assert!(matches!(
            Error::from_text("UNIQUE constraint failed: users.root_account_id, users.login"),
            Error::Unique(columns) if columns == "users.root_account_id, users.login"
        ));
        assert!(
            matches!(Error::from_text("CHECK constraint failed: positive"), Error::Check(name) if name == "positive")
        );
        assert!(
            matches!(Error::from_text("NOT NULL constraint failed: a.b"), Error::NotNull(column) if column == "a.b")
        );
        assert!(matches!(Error::from_text("FOREIGN KEY constraint failed"), Error::ForeignKey));
        assert!(matches!(Error::from_text("database is locked"), Error::Busy));
        assert!(matches!(Error::from_text("database or disk is full"), Error::Full));
        assert!(matches!(Error::from_text("no such table: x"), Error::Other(_)));
    }

    #[test]
    fn a_connection_is_given_up_after_errors_that_nobody_understands() {
        for known in ["database is locked", "UNIQUE constraint failed: a.b", "FOREIGN KEY constraint failed"] {
            assert!(!Error::from_text(known).leaves_doubt(), "{known}");
        }
        for unknown in ["stream expired", "disk I/O error", "database disk image is malformed"] {
            assert!(Error::from_text(unknown).leaves_doubt(), "{unknown}");
        }
    }
}
