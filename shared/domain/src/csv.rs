//! A CSV file, read row by row from the blob store: no more than a piece of it and a batch of rows is in memory.

use std::collections::BTreeMap;

use bytes::Bytes;
use csv_core::{ReadRecordResult, Reader};
use serde_json::{Map, Value};
use web::error::{Error, Result};

use crate::blob;

/// The amount that is read from the store at a time.
const PIECE: usize = 256 * 1024;
/// The most bytes of a row: a quotation mark that is never closed must not swallow the file.
const MAX_ROW_BYTES: usize = 64 * 1024;
const MAX_COLUMNS: usize = 200;

/// A file that is open at some row.
pub struct Table {
    source: Source,
    reader: Reader,
    columns: Vec<String>,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

/// The bytes of a file, and how far they are read.
struct Source {
    blob: String,
    size: usize,
    piece: Bytes,
    at: usize,
    lines: usize,
    /// True if the byte before is a carriage return: alone it ends a line too.
    returned: bool,
}

/// Some rows that follow one another.
pub struct Batch {
    /// Those that can be read.
    pub rows: Vec<Row>,
    /// Rows that cannot be read: the line where each begins, from 1, and the reason.
    pub unreadable: Vec<(usize, String)>,
    /// The place where the next batch begins, in bytes from the beginning of the file.
    pub bytes_read: usize,
    /// The lines before that place.
    pub lines_read: usize,
}

/// A row: its values by the names of their columns, without those that are blank.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The line where it begins, from 1.
    pub line: usize,
    values: Map<String, Value>,
}

/// A record as it stands in the file, or why it cannot be read.
type Record = Result<Vec<String>, String>;

impl Table {
    /// Opens a file at its header. `Err` in words: the file is no table.
    pub async fn open(blob: &str, size: usize) -> Result<Result<Self, String>> {
        Self::read_header(Source::new(blob.to_owned(), size)).await
    }

    /// Opens a file that is in memory as a whole.
    pub async fn in_memory(text: Bytes) -> Result<Result<Self, String>> {
        Self::read_header(Source { size: text.len(), piece: text, ..Source::new(String::new(), 0) }).await
    }

    async fn read_header(source: Source) -> Result<Result<Self, String>> {
        let reader = Reader::new();
        let mut table = Self { source, reader, columns: Vec::new(), fields: vec![0; 4096], ends: vec![0; 64] };
        let header = match table.record().await? {
            Some((_, Ok(header))) => header,
            Some((_, Err(why))) => return Ok(Err(why)),
            None => return Ok(Err("The file is empty".to_owned())),
        };
        table.columns = header.into_iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        Ok(Ok(table))
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The bytes and the lines that are read.
    pub fn place(&self) -> (usize, usize) {
        (self.source.at, self.source.lines)
    }

    /// Goes on behind so many bytes and lines, where a row begins.
    pub fn resume(&mut self, bytes: usize, lines: usize) {
        if bytes > self.source.at {
            self.source.go_to(bytes, lines);
            self.reader.reset();
        }
    }

    /// The next rows, at most `most`; `None` at the end of the file.
    pub async fn batch(&mut self, most: usize) -> Result<Option<Batch>> {
        let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
        while rows.len() + unreadable.len() < most {
            let Some((line, record)) = self.record().await? else { break };
            match record.and_then(|fields| self.row(line, fields)) {
                Ok(row) => rows.push(row),
                Err(why) => unreadable.push((line, why)),
            }
        }
        if rows.is_empty() && unreadable.is_empty() {
            return Ok(None);
        }
        // So that who goes on here need not know what stood before.
        self.source.skip_blank_lines().await?;
        let (bytes_read, lines_read) = self.place();
        Ok(Some(Batch { rows, unreadable, bytes_read, lines_read }))
    }

    fn row(&self, line: usize, fields: Vec<String>) -> Result<Row, String> {
        if fields.len() > self.columns.len() {
            return Err(format!("The row has {} fields, the header {}", fields.len(), self.columns.len()));
        }
        let values = self.columns.iter().zip(fields).map(|(column, field)| (column, field.trim().to_owned()));
        let values = values.filter(|(_, value)| !value.is_empty());
        Ok(Row { line, values: values.map(|(column, value)| (column.clone(), value.into())).collect() })
    }

    /// The next record and the line where it begins.
    async fn record(&mut self) -> Result<Option<(usize, Record)>> {
        self.source.skip_blank_lines().await?;
        let line = self.source.lines + 1;
        let start = self.source.at;
        let (mut written, mut ended) = (0, 0);
        loop {
            let Self { source, reader, fields, ends, .. } = self;
            let begun = source.at > start;
            let rest = source.rest().await?;
            let at_end = rest.is_empty();
            // The end of the file ends its last row, which within quotation marks the end of a line does not.
            let input = if at_end && begun { b"\n" } else { rest };
            let (result, read, wrote, finished) = reader.read_record(
                input,
                fields.get_mut(written..).unwrap_or_default(),
                ends.get_mut(ended..).unwrap_or_default(),
            );
            source.take(if at_end { 0 } else { read });
            written += wrote;
            ended += finished;
            match result {
                ReadRecordResult::InputEmpty if at_end => {
                    return self.give_up(line, "The row has a quotation mark that is never closed".to_owned());
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if fields.len() >= MAX_ROW_BYTES => {
                    return self.give_up(line, format!("The row is longer than {MAX_ROW_BYTES} bytes"));
                }
                ReadRecordResult::OutputFull => fields.resize((fields.len() * 2).min(MAX_ROW_BYTES), 0),
                ReadRecordResult::OutputEndsFull if ends.len() >= MAX_COLUMNS => {
                    return self.give_up(line, format!("The row has more than {MAX_COLUMNS} fields"));
                }
                ReadRecordResult::OutputEndsFull => ends.resize((ends.len() * 2).min(MAX_COLUMNS), 0),
                ReadRecordResult::Record => {
                    let ends = self.ends.get(..ended).unwrap_or_default();
                    return Ok(Some((line, texts(&self.fields, ends))));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Where a row does not end nobody knows where the next one begins: the rest of the file is passed over.
    #[expect(clippy::unnecessary_wraps, reason = "it is an answer of `record`")]
    fn give_up(&mut self, line: usize, why: String) -> Result<Option<(usize, Record)>> {
        self.source.go_to(self.source.size, self.source.lines);
        self.reader.reset();
        Ok(Some((line, Err(format!("{why}; the rest of the file was not read")))))
    }
}

/// The fields of a record, which lie one behind the other.
fn texts(fields: &[u8], ends: &[usize]) -> Record {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let texts = starts.zip(ends).map(|(start, end)| {
        let bytes = fields.get(start..*end).unwrap_or_default().to_vec();
        match String::from_utf8(bytes) {
            Ok(text) if text.contains('\0') => Err("The row contains a NUL character".to_owned()),
            Ok(text) => Ok(text),
            Err(_not_utf8) => Err("The row is not UTF-8".to_owned()),
        }
    });
    texts.collect()
}

impl Source {
    fn new(blob: String, size: usize) -> Self {
        Self { blob, size, piece: Bytes::new(), at: 0, lines: 0, returned: false }
    }

    /// The bytes in memory that are not read yet; empty at the end of the file only.
    async fn rest(&mut self) -> Result<&[u8]> {
        if self.piece.is_empty() && self.at < self.size {
            self.piece = blob::read(&self.blob, self.at, PIECE.min(self.size - self.at)).await?;
            if self.piece.is_empty() {
                return Err(Error::internal(anyhow::anyhow!("blob {} ends at {}", self.blob, self.at)));
            }
        }
        Ok(&self.piece)
    }

    fn take(&mut self, bytes: usize) {
        let taken = self.piece.split_to(bytes.min(self.piece.len()));
        self.at += taken.len();
        for byte in taken {
            // Of a carriage return alone it is known by what follows.
            self.lines += usize::from(self.returned && byte != b'\n') + usize::from(byte == b'\n');
            self.returned = byte == b'\r';
        }
    }

    fn go_to(&mut self, at: usize, lines: usize) {
        self.piece = Bytes::new();
        self.at = at;
        self.lines = lines;
        self.returned = false;
    }

    async fn skip_blank_lines(&mut self) -> Result<()> {
        loop {
            let rest = self.rest().await?;
            let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let more = blank > 0 && blank == rest.len();
            self.take(blank);
            if !more {
                self.lines += usize::from(std::mem::take(&mut self.returned));
                return Ok(());
            }
        }
    }
}

impl Row {
    /// The value of a column; `None`, if it is blank or there is no such column.
    pub fn get(&self, column: &str) -> Option<&str> {
        self.values.get(column)?.as_str()
    }

    /// The value of a column that has few words.
    pub fn word(&self, column: &str) -> Option<String> {
        self.get(column).map(str::to_ascii_lowercase)
    }

    /// The row as the list of errors shows it.
    pub fn info(&self) -> String {
        const MAX_SHOWN_CHARS: usize = 500;
        let shown = self.values.iter().filter(|(column, _)| *column != "password");
        let pairs = shown.map(|(column, value)| format!("{column}: {}", value.as_str().unwrap_or_default()));
        pairs.collect::<Vec<_>>().join(", ").chars().take(MAX_SHOWN_CHARS).collect()
    }

    /// The values of some columns, as one text by which rows with the same values are known.
    pub fn identity(&self, columns: &[&str]) -> String {
        Value::from_iter(columns.iter().map(|column| self.get(column))).to_string()
    }

    /// All values but the password, as one text: rows with the same values have the same.
    pub fn content(&self) -> String {
        let kept: BTreeMap<_, _> = self.values.iter().filter(|(column, _)| *column != "password").collect();
        Value::from_iter(kept.into_iter().map(|(column, value)| (column.clone(), value.clone()))).to_string()
    }

    /// A row with these values, of which one is set anew.
    pub fn kept(line: usize, mut values: Map<String, Value>, column: &str, value: &str) -> Self {
        values.insert(column.to_owned(), value.into());
        Self { line, values }
    }

    /// The row with another value of a column; `None`: with none.
    #[must_use]
    pub fn with(mut self, column: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.values.insert(column.to_owned(), value.into()),
            None => self.values.remove(column),
        };
        self
    }

    /// A row that begins on that line, of columns and their values.
    pub fn of(line: usize, pairs: &[(&str, &str)]) -> Self {
        let values = pairs.iter().map(|(column, value)| ((*column).to_owned(), (*value).into()));
        Self { line, values: values.collect() }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    /// A file that is in memory as a whole.
    fn table(text: &[u8]) -> Table {
        let source = Source { piece: Bytes::copy_from_slice(text), ..Source::new(String::new(), text.len()) };
        let mut table =
            Table { source, reader: Reader::new(), columns: Vec::new(), fields: vec![0; 4], ends: vec![0; 1] };
        let header = block_on(table.record()).unwrap().unwrap().1.unwrap();
        table.columns = header;
        table
    }

    fn lines(table: &mut Table) -> Vec<usize> {
        let batch = block_on(table.batch(100)).unwrap().unwrap();
        batch.rows.iter().map(|row| row.line).collect()
    }

    #[test]
    fn a_row_knows_the_line_where_it_begins() {
        let mut table = table(b"\xEF\xBB\xBFa,b\r\n1,2\r\n\r\n\"3\r\n4\",5\r\n6,7");
        assert_eq!(table.columns(), ["a", "b"]);
        assert_eq!(lines(&mut table), [2, 4, 6]);
        assert!(block_on(table.batch(1)).unwrap().is_none());
    }

    #[test]
    fn blank_values_are_none() {
        let mut table = table(b"a,b,c\n 1 ,,\n");
        let rows = block_on(table.batch(100)).unwrap().unwrap().rows;
        assert_eq!(rows, [Row::of(2, &[("a", "1")])]);
    }

    #[test]
    fn a_row_that_cannot_be_read_stands_alone() {
        let mut table = table(b"a\n\xFF\nb\0\n1,2\nc\n");
        let batch = block_on(table.batch(100)).unwrap().unwrap();
        assert_eq!(batch.rows, [Row::of(5, &[("a", "c")])]);
        assert_eq!(batch.unreadable.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn a_quotation_mark_that_is_never_closed_ends_the_file() {
        let mut text = b"a\n1\n\"".to_vec();
        text.extend(std::iter::repeat_n(b"x\n", MAX_ROW_BYTES).flatten());
        let mut table = table(&text);
        let batch = block_on(table.batch(100)).unwrap().unwrap();
        assert_eq!(batch.rows.len(), 1);
        assert_eq!((batch.unreadable.len(), batch.unreadable[0].0), (1, 3));
        assert_eq!(batch.bytes_read, text.len());
    }

    #[test]
    fn a_row_in_quotes_to_the_end_of_the_file_is_none() {
        for (text, number) in [("a,b\n1,\"2\n3,4\n", 0), ("a,b\n1,2\n\"3", 1), ("a,b\n1,\"2\"", 1), ("a\n\"\"\"\"", 1)]
        {
            let batch = block_on(table(text.as_bytes()).batch(100)).unwrap().unwrap();
            assert_eq!(batch.rows.len(), number, "{text}");
            let closed = text.matches('"').count() % 2 == 0;
            assert_eq!(batch.unreadable.iter().any(|(_, why)| why.contains("never closed")), !closed, "{text}");
        }
    }

    #[test]
    fn a_line_ends_in_each_of_three_ways() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a", "1", "", "\"2", "2\"", "3", ""].join(end);
            let mut first = table(text.as_bytes());
            assert_eq!(lines(&mut first), [2, 4, 6], "{end:?}");
            assert_eq!(first.place(), (text.len(), 6), "{end:?}");
        }
    }

    #[test]
    fn a_file_goes_on_where_a_row_begins() {
        let text = b"a\r\n1\r\n\"2\n2\"\r\n3\r\n";
        let mut first = table(text);
        let batch = block_on(first.batch(2)).unwrap().unwrap();
        let mut again = table(text);
        again.source.go_to(batch.bytes_read, batch.lines_read);
        again.source.piece = Bytes::copy_from_slice(&text[batch.bytes_read..]);
        again.reader.reset();
        assert_eq!(lines(&mut again), [5]);
    }

    #[test]
    fn rows_with_the_same_values_have_the_same_content() {
        let row = Row::of(2, &[("login_id", "ada"), ("user_id", "1"), ("password", "secret")]);
        let other = Row::of(7, &[("user_id", "1"), ("login_id", "ada")]);
        assert_eq!(row.content(), r#"{"login_id":"ada","user_id":"1"}"#);
        assert_eq!(row.content(), other.content());
        assert_eq!(row.identity(&["user_id", "role"]), r#"["1",null]"#);
        let values = serde_json::from_str(&row.content()).unwrap();
        let gone = Row::kept(0, values, "status", "deleted");
        assert_eq!((gone.get("user_id"), gone.get("status")), (Some("1"), Some("deleted")));
    }

    #[test]
    fn passwords_are_not_shown() {
        let row = Row::of(2, &[("login_id", "ada"), ("password", "secret")]);
        assert_eq!(row.info(), "login_id: ada");
    }
}
