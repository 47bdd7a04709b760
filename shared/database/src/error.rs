//! The failures of a statement. The binding tells it in words only: they are read here and nowhere else.
//!
//! A local file answers in SQLite's own words. The client of a libSQL server wraps these: in the debug form of a struct,
//! with quotation marks before and a code after them, or between backquotes.

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
    /// A far server had closed the connection, which nobody had used for a while, or had taken the transaction away, because
    /// others waited to write: it did not execute the statement, and has rolled back the transaction that it was in.
    Expired,
    /// A far server could not be connected to: the statement was not sent.
    Unreachable,
    /// The connection to a far server broke while its answer was awaited: the statement may have been executed, or not.
    Broken(String),
    /// A statement that a far server executes for nobody, such as some pragmas. The connection is as it was.
    Unsupported,
    /// The database belongs to a later release, whose changes this one cannot work with.
    NewerSchema {
        /// The version of the database's schema.
        schema: usize,
        /// The version that this release has.
        release: usize,
    },
    /// A statement that always has a row had none.
    NoRow,
    /// A row does not fit the type it is read into.
    Decode(String),
    /// A transaction's handle was kept beyond its end, so that nothing was committed.
    TransactionKept,
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

    /// True if the connection that answered this may be in any state: after a broken rule, and after waiting in vain, it
    /// is as it was before.
    pub(super) fn leaves_doubt(&self) -> bool {
        matches!(self, Self::Other(_) | Self::Expired | Self::Unreachable | Self::Broken(_))
    }

    /// True if the transaction in which a statement answered this may have been rolled back: SQLite may do so when the
    /// disk is full.
    pub(super) fn may_end_transaction(&self) -> bool {
        self.leaves_doubt() || matches!(self, Self::Full)
    }

    /// The same failure in a transaction that cannot be committed after it: nobody needs to ask whether the statement was
    /// executed.
    pub(super) fn of_transaction(self) -> Self {
        match self {
            Self::Broken(_) => Self::Expired,
            other => other,
        }
    }

    pub(super) fn decode(error: impl std::fmt::Display) -> Self {
        Self::Decode(error.to_string())
    }

    fn from_text(text: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if let Some((_, rest)) = text.split_once("UNIQUE constraint failed:") {
            return Self::Unique(columns(rest));
        }
        if let Some((before, rest)) = text.split_once("CHECK constraint failed:") {
            return Self::Check(unwrapped(before, rest));
        }
        if let Some((_, rest)) = text.split_once("NOT NULL constraint failed:") {
            return Self::NotNull(columns(rest));
        }
        if has(&["FOREIGN KEY constraint failed"]) {
            return Self::ForeignKey;
        }
        if has(&["STREAM_EXPIRED", "stream has expired", "invalid baton", "TRANSACTION_TIMEOUT"]) {
            return Self::Expired;
        }
        // Not a connection that breaks later: then the server may have executed what it was sent.
        if has(&["error trying to connect"]) {
            return Self::Unreachable;
        }
        if has(&BROKEN) {
            return Self::Broken(text.to_owned());
        }
        if has(&["database is locked", "database table is locked", "SQLITE_BUSY", "SQLITE_LOCKED", "TRANSACTION_BUSY"])
        {
            return Self::Busy;
        }
        if has(&["database or disk is full", "SQLITE_FULL"]) {
            return Self::Full;
        }
        if has(&["unsupported statement", "Unsupported statement"]) {
            return Self::Unsupported;
        }
        Self::Other(text.to_owned())
    }
}

/// The words of a client whose far server goes in the middle of a call, and of what stands before such a server.
const BROKEN: [&str; 6] = [
    "http error",
    "connection closed before message completed",
    "error reading a body from connection",
    "status=502 ",
    "status=503 ",
    "status=504 ",
];

/// The columns, or the index, with which the text begins.
fn columns(text: &str) -> String {
    let text = text.trim_start();
    if let Some((name, _)) = text.strip_prefix("index '").and_then(|rest| rest.split_once('\'')) {
        return format!("index '{name}'");
    }
    let mut columns = Vec::new();
    for part in text.split(", ") {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let after = part.trim_start_matches(is_name);
        let column = part.strip_suffix(after).unwrap_or(part);
        if !column.contains('.') {
            break;
        }
        columns.push(column);
        if column.len() < part.len() {
            break;
        }
    }
    columns.join(", ")
}

/// The text up to the quotation mark that belongs to the one before it, or to what a client appends.
fn unwrapped(before: &str, text: &str) -> String {
    let Some((before, _)) = before.rsplit_once('"') else {
        let ends = ["`", " (error code:", ": Error code"];
        let end = ends.iter().filter_map(|end| text.find(end)).min();
        return text.get(..end.unwrap_or(text.len())).unwrap_or(text).trim().to_owned();
    };
    // In a text that was quoted more than once, backslashes stand before the mark.
    let depth = before.len() - before.trim_end_matches('\\').len();
    let mark = format!("{}\"", "\\".repeat(depth));
    let end = text
        .match_indices(&mark)
        .map(|(at, _)| at)
        .find(|at| !text.get(..*at).is_some_and(|text| text.ends_with('\\')));
    unescaped(text.get(..end.unwrap_or(text.len())).unwrap_or(text).trim())
}

/// The text without the backslashes, however often it was quoted.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut is_escaped = false;
    for c in text.chars() {
        match c {
            '\\' => {}
            'n' | 't' if is_escaped => unescaped.push(' '),
            c => unescaped.push(c),
        }
        is_escaped = c == '\\';
    }
    unescaped
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
            Self::Expired => f.write_str("the connection had expired"),
            Self::Unreachable => f.write_str("the database cannot be reached"),
            Self::Unsupported => f.write_str("the database does not execute this statement"),
            Self::NewerSchema { schema, release } => write!(
                f,
                "the database has the schema {schema}, which releases with the schema {release} cannot use: update this one"
            ),
            Self::NoRow => f.write_str("a statement that always has a row had none"),
            Self::Decode(why) => write!(f, "a row does not fit its type: {why}"),
            Self::TransactionKept => f.write_str("a transaction's handle was kept beyond its end"),
            Self::Broken(text) | Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

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

    /// The same words as a local file and as the client of a libSQL server hand them on.
    fn wrapped(words: &str) -> [String; 8] {
        let debug = format!("Error {{ message: {:?}, code: \"SQLITE_CONSTRAINT\" }}", format!("SQLite error: {words}"));
        [
            words.to_owned(),
            format!("{words}: Error code 2067: a constraint failed"),
            format!("SQLite failure: `{words}`"),
            format!("Hrana: `cursor error: `error at step 0: SQLite error: {words} (error code: SQLITE_CONSTRAINT)``"),
            format!("Hrana: `stream error: `{debug}``"),
            format!(
                "Hrana: `stream error: `Error {{ message: {words:?}, code: \"SQLITE_CONSTRAINT\", proto: None }}``"
            ),
            format!("api error: {}", serde_json::json!({"message": words, "code": "SQLITE_CONSTRAINT"})),
            format!("Io({debug:?})"),
        ]
    }

    #[test]
    fn constraints_are_found_within_the_words_of_a_far_server() {
        for text in wrapped("UNIQUE constraint failed: users.root_account_id, users.login") {
            let Error::Unique(columns) = Error::from_text(&text) else { panic!("{text}") };
            assert_eq!(columns, "users.root_account_id, users.login", "{text}");
        }
        for text in wrapped("UNIQUE constraint failed: index 'users_by_login'") {
            let Error::Unique(columns) = Error::from_text(&text) else { panic!("{text}") };
            assert_eq!(columns, "index 'users_by_login'", "{text}");
        }
        for text in wrapped("NOT NULL constraint failed: users.name") {
            let Error::NotNull(column) = Error::from_text(&text) else { panic!("{text}") };
            assert_eq!(column, "users.name", "{text}");
        }
        for check in ["has_criteria", "kind IN ('a', 'b') AND length(\"name\") > 0"] {
            for text in wrapped(&format!("CHECK constraint failed: {check}")) {
                let Error::Check(name) = Error::from_text(&text) else { panic!("{text}") };
                assert_eq!(name, check, "{text}");
            }
        }
        for text in wrapped("FOREIGN KEY constraint failed") {
            assert!(matches!(Error::from_text(&text), Error::ForeignKey), "{text}");
        }
        for text in wrapped("database is locked") {
            assert!(matches!(Error::from_text(&text), Error::Busy), "{text}");
        }
        let full = "Hrana: `stream error: `Error { message: \"Server cannot handle additional transactions\", code: \"TRANSACTION_BUSY\" }``";
        assert!(matches!(Error::from_text(full), Error::Busy));
        for text in wrapped("database or disk is full") {
            assert!(matches!(Error::from_text(&text), Error::Full), "{text}");
        }
    }

    #[test]
    fn an_expired_connection_and_a_refused_pragma_are_known() {
        for expired in [
            r#"Hrana: `api error: `status=400 Bad Request, body={"message":"The stream has expired due to inactivity","code":"STREAM_EXPIRED"}``"#,
            "Hrana: `api error: `status=400 Bad Request, body=Received an invalid baton``",
            "Hrana: `cursor error: `error at step 0: (error code: TRANSACTION_TIMEOUT) `Transaction timed out```",
        ] {
            let error = Error::from_text(expired);
            assert!(matches!(error, Error::Expired) && error.leaves_doubt(), "{expired}");
        }
        let refused = Error::from_text("unsupported statement");
        assert!(matches!(refused, Error::Unsupported) && !refused.leaves_doubt());
    }

    #[test]
    fn a_server_that_is_not_there_differs_from_one_that_goes() {
        let refused = "Hrana: `http error: `error trying to connect: Connection refused (os error 111)``";
        let refused = Error::from_text(refused);
        assert!(matches!(refused, Error::Unreachable) && refused.leaves_doubt() && refused.may_end_transaction());
        let gone = Error::from_text("Hrana: `http error: `connection closed before message completed``");
        assert!(matches!(gone, Error::Broken(_)) && gone.leaves_doubt() && gone.may_end_transaction());
        let gone = Error::from_text("Hrana: `api error: `status=503 Service Unavailable, body=``");
        assert!(matches!(gone, Error::Broken(_)));
    }

    #[test]
    fn a_connection_is_given_up_after_errors_that_nobody_understands() {
        for known in ["database is locked", "UNIQUE constraint failed: a.b", "FOREIGN KEY constraint failed"] {
            assert!(!Error::from_text(known).leaves_doubt(), "{known}");
        }
        for unknown in ["error reading a body from connection", "disk I/O error", "database disk image is malformed"] {
            assert!(Error::from_text(unknown).leaves_doubt(), "{unknown}");
        }
    }
}
