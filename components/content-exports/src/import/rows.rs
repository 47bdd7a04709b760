//! Rows that are to be stored, written out beforehand: many of them are one statement, which only has to read them.

use serde_json::{Value, json};
use shared::{Error, Result};

use crate::import::references::Settled;

/// A statement takes no more rows, and about no more bytes.
const MAX_ROWS: usize = 1000;
const MAX_BYTES: usize = 256 * 1024;

/// Rows of a table, each with its number `n` among them.
#[derive(Default)]
pub(crate) struct Rows {
    /// Lists of rows, as JSON.
    done: Vec<String>,
    /// The list that is being written, which is open.
    open: String,
    /// The number of rows of the open list.
    length: usize,
    count: i64,
    bytes: usize,
}

impl Rows {
    /// Adds a row, which is an object, and tells its number.
    pub(crate) fn push(&mut self, mut row: Value) -> Result<i64> {
        let number = self.count;
        if let Some(members) = row.as_object_mut() {
            members.insert("n".to_owned(), json!(number));
        }
        let text = serde_json::to_string(&row).map_err(Error::internal)?;
        if self.length >= MAX_ROWS || (self.length > 0 && self.open.len().saturating_add(text.len()) > MAX_BYTES) {
            self.close();
        }
        self.open.push(if self.length == 0 { '[' } else { ',' });
        self.open.push_str(&text);
        self.length = self.length.saturating_add(1);
        self.count = self.count.saturating_add(1);
        self.bytes = self.bytes.saturating_add(text.len());
        Ok(number)
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> i64 {
        self.count
    }

    /// The bytes of all rows.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows as lists in JSON.
    pub(crate) fn into_lists(mut self) -> Vec<String> {
        self.close();
        self.done
    }

    /// The same, where the rows are needed again.
    pub(crate) fn lists(&mut self) -> Vec<String> {
        self.close();
        self.done.clone()
    }

    /// Writes the places that are known now into the texts of the rows.
    pub(crate) fn settle(&mut self, settled: &Settled) {
        self.close();
        for list in &mut self.done {
            if let Some(own) = settled.text(list) {
                *list = own;
            }
        }
    }

    fn close(&mut self) {
        if self.length > 0 {
            self.open.push(']');
            self.done.push(std::mem::take(&mut self.open));
            self.length = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_across_their_lists() {
        let mut rows = Rows::default();
        assert!(Rows::default().into_lists().is_empty());
        let long = "x".repeat(100_000);
        for number in 0..5 {
            assert_eq!(rows.push(json!({ "text": long })).unwrap(), number);
        }
        let lists: Vec<Vec<Value>> = rows.into_lists().iter().map(|list| serde_json::from_str(list).unwrap()).collect();
        assert_eq!(lists.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
        let numbers: Vec<_> = lists.iter().flatten().map(|row| row["n"].as_i64().unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    }
}
