//! What an import has to say about a line of a file.

use serde::Serialize;
use shared::csv::Row;

/// A message of an import about a row or a file.
#[derive(Debug, Serialize)]
pub(crate) struct Note {
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) row_info: Option<String>,
    pub(crate) failure: bool,
}

impl Note {
    /// The file as a whole is passed over.
    pub(crate) fn of_file(message: String) -> Self {
        Self { line: None, message, row_info: None, failure: true }
    }

    /// A row that cannot be read is passed over.
    pub(crate) fn of_line(line: usize, message: String) -> Self {
        Self { line: Some(line), message, row_info: None, failure: true }
    }

    /// Something is to be said that is about no file.
    pub(crate) fn of_import(message: String) -> Self {
        Self { line: None, message, row_info: None, failure: false }
    }

    pub(crate) fn of_row(row: &Row, message: String, failure: bool) -> Self {
        Self { line: Some(row.line).filter(|line| *line > 0), message, row_info: Some(row.info()), failure }
    }
}
