//! Lists of records that are written already and that are answered as they are.

use std::marker::PhantomData;

use memchr::{memchr, memchr_iter};
use serde::de::DeserializeOwned;

use super::error::{Error, Result};
use super::positions::decode_row;

/// Stands between two records: JSON itself writes it as an escape.
const BETWEEN: u8 = 0x1e;
/// Stands between two texts of a [pair](built_pair).
const BEHIND: u8 = 0x1d;

/// Stands in a record where something is missing that the database cannot build, and before a row of which it builds no record.
const IN_HOLE: u8 = 0x1f;
/// That, as an expression.
pub const HOLE: &str = "char(31)";

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

/// A record that is left to be built, as an expression: the row of JSON of which it is to be built stands in its place.
pub fn unbuilt(row: &str) -> String {
    format!("concat(char({IN_HOLE}), {row})")
}

/// The texts of a [pair](built_pair).
pub fn split_pair(mut pair: String) -> Result<(String, String)> {
    let at = pair.rfind(char::from(BEHIND)).ok_or_else(|| Error::Decode("a text that is no pair".to_owned()))?;
    let second = pair.split_off(at + 1);
    pair.truncate(at);
    Ok((pair, second))
}

impl<T> Default for BuiltList<T> {
    fn default() -> Self {
        Self { text: b"[".to_vec(), described_as: PhantomData }
    }
}

impl<T> BuiltList<T> {
    /// The list, and what is told beside it, of a text that [`built_list`] has built.
    pub fn split(text: String) -> Result<(Self, String)> {
        let (list, beside) = split_pair(text)?;
        Ok((Self { text: list.into_bytes(), described_as: PhantomData }, beside))
    }

    /// The bytes of the list.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Puts the records of another list behind those of this one.
    pub fn append(&mut self, other: &Self) {
        let records = other.records();
        if !records.is_empty() {
            if !self.records().is_empty() {
                self.text.push(BETWEEN);
            }
            self.text.extend_from_slice(records);
        }
    }

    /// The same records, the last first.
    pub fn reverse(&mut self) {
        let records: Vec<_> = self.records().split(|byte| *byte == BETWEEN).rev().collect();
        let mut text = records.join(&BETWEEN);
        text.insert(0, b'[');
        self.text = text;
    }

    /// Puts these texts of JSON where the records have a [hole](HOLE), one after another.
    pub fn fill(&mut self, texts: impl IntoIterator<Item = String>) -> Result<()> {
        self.replace(texts.into_iter().map(String::into_bytes), |_| 1)
    }

    /// The rows of the records that are [left to be built](unbuilt), in their order.
    pub fn unbuilt<R: DeserializeOwned>(&self) -> Result<Vec<R>> {
        let (mut rows, mut rest) = (Vec::new(), self.records());
        while let Some((_, from_hole)) = memchr(IN_HOLE, rest).and_then(|at| rest.split_at_checked(at)) {
            let (record, after) = from_hole.split_at_checked(length_of_record(from_hole)).unwrap_or((from_hole, &[]));
            let row =
                std::str::from_utf8(record.strip_prefix(&[IN_HOLE]).unwrap_or_default()).map_err(Error::decode)?;
            rows.push(decode_row(row)?);
            rest = after;
        }
        Ok(rows)
    }

    /// Puts these records of JSON in the places of those that are left to be built, one after another.
    pub fn build(&mut self, records: impl IntoIterator<Item = Vec<u8>>) -> Result<()> {
        self.replace(records.into_iter(), length_of_record)
    }

    /// Puts the texts in the places of the holes, of which each is as long as `length` says of what begins with it.
    fn replace(&mut self, mut texts: impl Iterator<Item = Vec<u8>>, length: impl Fn(&[u8]) -> usize) -> Result<()> {
        let mut filled = Vec::with_capacity(self.text.len());
        let mut rest = self.text.as_slice();
        while let Some((before, from_hole)) = memchr(IN_HOLE, rest).and_then(|at| rest.split_at_checked(at)) {
            let text = texts.next().ok_or_else(|| Error::Decode("a hole that nothing fills".to_owned()))?;
            filled.extend_from_slice(before);
            filled.extend_from_slice(&text);
            rest = from_hole.get(length(from_hole)..).unwrap_or_default();
        }
        filled.extend_from_slice(rest);
        self.text = filled;
        Ok(())
    }

    fn records(&self) -> &[u8] {
        self.text.strip_prefix(b"[").unwrap_or_default()
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

/// The length of the record with which a text begins.
fn length_of_record(text: &[u8]) -> usize {
    memchr(BETWEEN, text).unwrap_or(text.len())
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
    fn lists_are_put_together_and_turned_round() {
        let (mut list, _) = built(&[]);
        list.reverse();
        for records in [&["1", "[2]"][..], &[], &["3"]] {
            list.append(&built(records).0);
        }
        list.reverse();
        assert_eq!(list.bytes(), "[3,[2],1".len());
        assert_eq!(json(list), "[3,[2],1]");
    }

    #[test]
    fn what_is_missing_is_filled_in() {
        let list = || built(&["[\"\u{1f}\",\"\u{1f}\"]", "0", "\"\u{1f}\""]).0;
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut filled = list();
        filled.fill(texts(&["a", "b", "c"])).unwrap();
        assert_eq!(json(filled), r#"[["a","b"],0,"c"]"#);
        assert!(list().fill(texts(&["a", "b"])).is_err());
    }

    #[test]
    fn what_is_left_to_be_built_is_read_and_put_in_its_place() {
        let list = || built(&["[1]", "\u{1f}[2,\"a\"]", "\u{1f}[3,\"b\"]", "4"]).0;
        let rows: Vec<(i64, String)> = list().unbuilt().unwrap();
        assert_eq!(rows, [(2, "a".to_owned()), (3, "b".to_owned())]);
        let mut whole = list();
        whole.build(["{}", "[0]"].map(|record| record.as_bytes().to_vec())).unwrap();
        assert_eq!(json(whole), "[[1],{},[0],4]");
        assert!(list().build([b"{}".to_vec()]).is_err());
        assert!(built(&["[1]"]).0.unbuilt::<(i64,)>().unwrap().is_empty());
        assert!(built(&["\u{1f}no row"]).0.unbuilt::<(i64,)>().is_err());
    }

    #[test]
    fn a_text_that_is_no_list_is_refused() {
        assert!(BuiltList::<Value>::split("[1]".into()).is_err());
    }
}
