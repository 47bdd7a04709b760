//! Rows on their way from a statement to the component that reads them.

use std::task::{Context, Poll, ready};

use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio::sync::{mpsc as channel, oneshot};

use crate::bindings::sqlite::{RowResult, Value};

/// The largest row that is handed to a component.
pub(crate) const MAX_ROW_BYTES: usize = 128 << 20;
/// Rows travel to the component in batches of about this size.
const BATCH_BYTES: usize = 64 << 10;
const BATCH_ROWS: usize = 256;
/// Batches that wait for a slow reader; after them the statement waits too.
pub(crate) const BATCHES_AHEAD: usize = 4;
/// A connection is busy until all but so many rows have been read. Spin does the same, and a component that forgets
/// to drain a result must not find out there.
const UNREAD_ROWS: usize = 4;
/// What is said of a result that was dropped before its end.
pub(crate) const UNREAD: &str = "nobody reads the rows any more";

/// The answer to a statement. Everything that goes wrong, even in the SQL text, is told by `finished` only.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Rows,
    pub(crate) finished: Finished,
}

/// How a statement ended.
pub(super) type Finished = oneshot::Receiver<Result<(), String>>;

/// The rows that are here, and where the others come from if there may be others.
#[derive(Debug)]
pub(crate) struct Rows {
    ready: std::vec::IntoIter<RowResult>,
    more: Option<channel::Receiver<Vec<RowResult>>>,
    /// Tells the connection that it may go on.
    drained: Option<oneshot::Sender<()>>,
}

impl Rows {
    /// Rows that come batch by batch, from somebody who does not have to be told that they were read.
    pub(crate) fn streamed(batches: channel::Receiver<Vec<RowResult>>) -> Self {
        Self { ready: Vec::new().into_iter(), more: Some(batches), drained: None }
    }

    /// Waits until there are rows to take; no rows are the end.
    pub(crate) fn poll_take(&mut self, cx: &mut Context<'_>, most: usize) -> Poll<Vec<RowResult>> {
        if self.ready.as_slice().is_empty()
            && let Some(more) = &mut self.more
        {
            match ready!(more.poll_recv(cx)) {
                Some(batch) => self.ready = batch.into_iter(),
                None => self.more = None,
            }
        }
        let rows: Vec<_> = self.ready.by_ref().take(most).collect();
        let last = self.more.as_ref().is_none_or(|more| more.is_closed() && more.is_empty());
        if last && self.ready.len() <= UNREAD_ROWS {
            self.drained.take().map(|drained| drained.send(()));
        }
        Poll::Ready(rows)
    }

    /// Whether all rows have been taken, as far as can be told without waiting.
    pub(crate) fn is_finished(&self) -> bool {
        self.more.is_none() && self.ready.as_slice().is_empty()
    }
}

pub(super) fn stream(
    statement: &mut rusqlite::Statement<'_>,
    parameters: &[Value],
    output: &mut Output,
) -> Result<(), String> {
    output.columns = column_names(statement);
    read(statement, parameters, |row, bytes| output.push(row, bytes))
}

pub(super) fn column_names(statement: &rusqlite::Statement<'_>) -> Vec<String> {
    statement.column_names().map(ToOwned::to_owned).collect()
}

pub(super) fn read(
    statement: &mut rusqlite::Statement<'_>,
    parameters: &[Value],
    mut push: impl FnMut(RowResult, usize) -> Result<(), String>,
) -> Result<(), String> {
    let width = statement.column_count();
    let mut rows = statement
        .query(rusqlite::params_from_iter(parameters.iter().map(parameter)))
        .map_err(|error| error.to_string())?;
    while let Some(row) = rows.next().map_err(|error| error.to_string())? {
        let mut values = Vec::with_capacity(width);
        let mut bytes = 0;
        for column in 0..width {
            let (value, size) = column_value(row.get_ref(column).map_err(|error| error.to_string())?)?;
            values.push(value);
            bytes += size;
        }
        if bytes > MAX_ROW_BYTES {
            return Err(format!("a row of the result is larger than {MAX_ROW_BYTES} bytes"));
        }
        push(RowResult { values }, bytes)?;
    }
    Ok(())
}

fn parameter(value: &Value) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match value {
        Value::Integer(number) => ValueRef::Integer(*number),
        Value::Real(number) => ValueRef::Real(*number),
        Value::Text(text) => ValueRef::Text(text.as_bytes()),
        Value::Blob(bytes) => ValueRef::Blob(bytes),
        Value::Null => ValueRef::Null,
    })
}

/// What is said of a result that does not fit into an answer in one piece.
pub(crate) fn too_large() -> String {
    format!("the result is larger than {MAX_ROW_BYTES} bytes")
}

/// About how many bytes a value takes.
pub(crate) fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::Integer(_) | Value::Real(_) | Value::Null => 8,
    }
}

/// A value of a row and about how many bytes it takes.
fn column_value(value: ValueRef<'_>) -> Result<(Value, usize), String> {
    Ok(match value {
        ValueRef::Null => (Value::Null, 8),
        ValueRef::Integer(number) => (Value::Integer(number), 8),
        ValueRef::Real(number) => (Value::Real(number), 8),
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
            (Value::Text(text.to_owned()), bytes.len())
        }
        ValueRef::Blob(bytes) => (Value::Blob(bytes.to_vec()), bytes.len()),
    })
}

/// Collects rows; a short result leaves in one piece with the answer, a long one in batches after it.
pub(super) struct Output {
    columns: Vec<String>,
    batch: Vec<RowResult>,
    bytes: usize,
    /// Until the answer has left.
    reply: Option<(oneshot::Sender<Answer>, Finished)>,
    /// From then on, if there may be more rows.
    more: Option<channel::Sender<Vec<RowResult>>>,
    /// From then on, if the reader has to say that it is done.
    drained: Option<oneshot::Receiver<()>>,
}

impl Output {
    pub(super) fn new(reply: oneshot::Sender<Answer>, finished: Finished) -> Self {
        Self {
            columns: Vec::new(),
            batch: Vec::new(),
            bytes: 0,
            reply: Some((reply, finished)),
            more: None,
            drained: None,
        }
    }

    fn push(&mut self, row: RowResult, bytes: usize) -> Result<(), String> {
        self.batch.push(row);
        self.bytes += bytes;
        if self.batch.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES { self.flush(false) } else { Ok(()) }
    }

    fn flush(&mut self, last: bool) -> Result<(), String> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        let sent = if let Some((reply, finished)) = self.reply.take() {
            let (drain, drained) = oneshot::channel();
            self.drained = (!last || batch.len() > UNREAD_ROWS).then_some(drained);
            let (sender, receiver) = channel::channel(BATCHES_AHEAD);
            self.more = (!last).then_some(sender);
            let rows = Rows { ready: batch.into_iter(), more: (!last).then_some(receiver), drained: Some(drain) };
            reply.send(Answer { columns: std::mem::take(&mut self.columns), rows, finished }).is_ok()
        } else if batch.is_empty() {
            true
        } else {
            self.more.as_ref().is_some_and(|more| more.blocking_send(batch).is_ok())
        };
        if sent { Ok(()) } else { Err(UNREAD.to_owned()) }
    }

    /// Hands over the last rows and waits until they are read.
    pub(super) fn finish(mut self) -> Result<(), String> {
        self.flush(true)?;
        self.more = None;
        match self.drained {
            Some(drained) => drained.blocking_recv().map_err(|_dropped| UNREAD.to_owned()),
            None => Ok(()),
        }
    }
}
