//! Lists of records that are written already and that are answered as they are.

use std::marker::PhantomData;

use memchr::memchr_iter;
use serde::de::DeserializeOwned;

use super::error::{Error, Result};

/// Stands between two records: JSON itself writes it as an escape.
const BETWEEN: u8 = 0x1e;
/// Stands between two texts of a [pair](built_pair).
const BEHIND: u8 = 0x1d;

/// Records in the very words in which the database has built them, as a list that goes into the answer without being read. The type
/// is there for the API description.
pub struct BuiltList<T> {
    /// `[`, and the records.
    text: Vec<u8>,
    described_as: PhantomData<T>,
}

/// The column `record` of a statement's rows, in their order, and what is told beside them, as an expression of text: see
/// [`BuiltList::split`].
pub fn built_list(beside: &str) -> String {
    built_pair(&format!("'[', group_concat(record, char({BETWEEN}))"), beside)
}

/// Two texts as one, as an expression: the first may be such a pair itself.
pub fn built_pair(first: &str, second: &str) -> String {
    format!("concat({first}, char({BEHIND}), {second})")
}

/// The texts of a [pair](built_pair).
pub fn split_pair(mut pair: String) -> Result<(String, String)> {
    let at = pair.rfind(char::from(BEHIND)).ok_or_else(|| Error::Decode("a text that is no pair".to_owned()))?;
    let second = pair.split_off(at + 1);
    pair.truncate(at);
    Ok((pair, second))
}

impl<T> BuiltList<T> {
    /// The list, and what is told beside it, of a text that [`built_list`] has built.
    pub fn split(text: String) -> Result<(Self, String)> {
        let (list, beside) = split_pair(text)?;
        Ok((Self { text: list.into_bytes(), described_as: PhantomData }, beside))
    }

    /// Leaves out all records from that one on.
    pub fn truncate(&mut self, length: usize) {
        let end = match length {
            0 => Some(1),
            _ => memchr_iter(BETWEEN, &self.text).nth(length - 1),
        };
        self.text.truncate(end.unwrap_or(self.text.len()));
    }

    /// The list as JSON.
    pub fn into_json(mut self) -> Vec<u8> {
        // Each is written, changed or not: so sixteen are at once.
        for byte in &mut self.text {
            *byte = if *byte == BETWEEN { b',' } else { *byte };
        }
        self.text.push(b']');
        self.text
    }

    /// The same words, for an answer whose type may have more than they do.
    pub fn described_as<U>(self) -> BuiltList<U> {
        BuiltList { text: self.text, described_as: PhantomData }
    }
}

impl<T: DeserializeOwned> BuiltList<T> {
    /// The records, for the few that are looked at after all.
    pub fn read(self) -> Result<Vec<T>> {
        let json = String::from_utf8(self.into_json()).map_err(|error| Error::Decode(error.to_string()))?;
        super::decode_text(&json)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use serde_json::Value;

    use super::*;

    /// The list that SQLite builds of these records, and what is told beside it.
    fn built(records: &[&str]) -> (BuiltList<Value>, String) {
        let database = Connection::open_in_memory().unwrap();
        let sql = format!("SELECT {} FROM (SELECT value AS record FROM json_each(?1))", built_list("count(*)"));
        let records = serde_json::to_string(records).unwrap();
        BuiltList::split(database.query_row(&sql, (records,), |row| row.get(0)).unwrap()).unwrap()
    }

    fn json(list: BuiltList<Value>) -> String {
        String::from_utf8(list.into_json()).unwrap()
    }

    #[test]
    fn records_keep_their_words() {
        for (records, expected) in [
            (&[][..], "[]"),
            (&[r#"{"b":1.50,"a":"\u001e"}"#], r#"[{"b":1.50,"a":"\u001e"}]"#),
            (&["[1, 2]", "null", r#""é,]""#], r#"[[1, 2],null,"é,]"]"#),
        ] {
            let (list, beside) = built(records);
            assert_eq!(beside, records.len().to_string());
            assert_eq!(json(list), expected);
            assert_eq!(built(records).0.read().unwrap(), serde_json::from_str::<Vec<Value>>(expected).unwrap());
        }
    }

    #[test]
    fn what_is_left_out_is_at_the_end() {
        for (length, expected) in [(0, "[]"), (1, "[1]"), (2, "[1,2]"), (3, "[1,2,3]"), (9, "[1,2,3]")] {
            let (mut list, _) = built(&["1", "2", "3"]);
            list.truncate(length);
            assert_eq!(json(list), expected);
        }
        let (mut none, _) = built(&[]);
        none.truncate(0);
        assert_eq!(json(none), "[]");
    }

    #[test]
    fn a_text_that_is_no_list_is_refused() {
        assert!(BuiltList::<Value>::split("[1]".into()).is_err());
    }
}
