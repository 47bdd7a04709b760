//! The forms in which the rows of a page come: to be read, or to be answered as they are.

use database::{BuiltList, Positional};
use serde::de::DeserializeOwned;

use crate::error::Result;

/// The form in which a statement gives the rows of a page.
#[derive(Clone, Copy)]
pub(crate) enum RowForm<'a> {
    /// Each as that expression of JSON, for rows that are read.
    Read(&'a str),
    /// As the records in their column `record`.
    Built,
}

impl RowForm<'_> {
    /// The rows with nothing beside them, of a list without pages.
    pub(crate) fn alone(self) -> String {
        match self {
            Self::Read(row) => database::json_list(row),
            Self::Built => database::built_list("NULL"),
        }
    }

    /// The rows, and what is told beside them, which is an expression of JSON, as an expression of text.
    pub(crate) fn with(self, beside: &str) -> String {
        match self {
            Self::Read(row) => format!("concat('[', {}, ',', {beside}, ']')", database::json_list(row)),
            Self::Built => database::built_list(beside),
        }
    }
}

/// The rows of a page.
pub(crate) trait PageRows: Sized {
    /// Takes apart what [`RowForm::with`] has built.
    fn split<B: DeserializeOwned>(text: String) -> Result<(Self, B)>;

    /// Leaves out all rows from that one on.
    fn shorten_to(&mut self, length: usize);
}

impl<T: DeserializeOwned> PageRows for Vec<Positional<T>> {
    fn split<B: DeserializeOwned>(text: String) -> Result<(Self, B)> {
        Ok(database::decode_text(&text)?)
    }

    fn shorten_to(&mut self, length: usize) {
        self.truncate(length);
    }
}

impl<T> PageRows for BuiltList<T> {
    fn split<B: DeserializeOwned>(text: String) -> Result<(Self, B)> {
        let (list, beside) = Self::split(text)?;
        Ok((list, database::decode_text(&beside)?))
    }

    fn shorten_to(&mut self, length: usize) {
        self.truncate(length);
    }
}
