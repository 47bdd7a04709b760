//! The raw binding, in this file only, without its traps: every result is drained and awaited before the next statement
//! can start, a connection is lent to one request at a time, foreign keys are on, and who waits for a lock looks often.
//!
//! The interface has each function in two forms. The asynchronous one costs a stream, a future and a task for each
//! statement: four times as much as the synchronous one, which holds up the whole instance while it waits. An instance has
//! one request at a time unless the operator wants it otherwise, so there is nobody to hold up.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use serde_json::Value as JsonValue;
use spin_sdk::sqlite::wit::sqlite as binding;
use spin_sdk::sqlite::{RowResult, Value};
use spin_sdk::time;

use super::error::{Error, Result};
use super::migrate;

thread_local! {
    /// Connections that no request uses. They keep their prepared statements, which is half the cost of a read.
    static IDLE: RefCell<Vec<Connection>> = const { RefCell::new(Vec::new()) };
    static MIGRATED: Cell<bool> = const { Cell::new(false) };
}

/// The database of the manifest.
const DEFAULT: &str = "default";

/// How long a statement waits for other writers.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long SQLite itself waits, in milliseconds; then the statement is sent again. SQLite looks for the lock after 1, 2,
/// 5, 10, … milliseconds and in the end ten times a second: by then a writer with many short transactions, such as an
/// import, has taken the lock again each time. One that starts over at once looks a hundred times a second for ever.
const BUSY_TIMEOUT: &str = "PRAGMA busy_timeout = 25";

/// How long to leave the lock to others between two tries, so that another request of the instance can let go of it.
const PAUSE: Duration = Duration::from_millis(1);

/// Whether statements run in the synchronous form.
const SYNCHRONOUS: bool = true;

/// A connection that is lent to one request.
pub(super) struct Connection {
    binding: binding::Connection,
    /// Whether a statement failed in a way that says nothing of the state that the connection is in now.
    is_doubtful: Cell<bool>,
}

/// The whole answer to a statement.
pub(super) struct Rows {
    columns: Vec<String>,
    rows: Vec<RowResult>,
}

/// An idle connection, or a new one. The first of an instance sees to it that the schema is there.
pub(super) async fn take() -> Result<Connection> {
    if let Some(connection) = IDLE.with_borrow_mut(Vec::pop) {
        return Ok(connection);
    }
    let name = DEFAULT.to_owned();
    let opened =
        if SYNCHRONOUS { binding::Connection::open(&name) } else { binding::Connection::open_async(name).await };
    let connection = Connection { binding: opened.map_err(Error::from_binding)?, is_doubtful: Cell::new(false) };
    connection.run("PRAGMA foreign_keys = ON", Vec::new()).await?;
    // A far server does its own waiting, and may have no such pragma.
    let _unknown = connection.try_run(BUSY_TIMEOUT, Vec::new()).await;
    if !MIGRATED.get() {
        migrate::run(&connection).await?;
        MIGRATED.set(true);
    }
    Ok(connection)
}

/// Gives back a connection that is in no transaction. One whose state nobody knows is closed instead.
pub(super) fn put_back(connection: Connection) {
    if !connection.is_doubtful.get() {
        IDLE.with_borrow_mut(|idle| idle.push(connection));
    }
}

impl Connection {
    /// Runs a statement. Outside of a transaction, one that meets other writers waits for them, for so long.
    pub(super) async fn run_within(&self, patience: Duration, sql: &str, values: Vec<Value>) -> Result<Rows> {
        let began = Instant::now();
        loop {
            match self.run(sql, values.clone()).await {
                Err(Error::Busy) if began.elapsed() < patience => time::sleep(PAUSE).await,
                answer => return answer,
            }
        }
    }

    /// Runs a statement, which waits for other writers no longer than SQLite does.
    pub(super) async fn run(&self, sql: &str, values: Vec<Value>) -> Result<Rows> {
        let answer = self.try_run(sql, values).await;
        if answer.as_ref().is_err_and(Error::leaves_doubt) {
            self.doubt();
        }
        answer
    }

    async fn try_run(&self, sql: &str, values: Vec<Value>) -> Result<Rows> {
        if SYNCHRONOUS {
            let answer = self.binding.execute(sql, &values).map_err(Error::from_binding)?;
            return Ok(Rows { columns: answer.columns, rows: answer.rows });
        }
        let (columns, rows, end) =
            self.binding.execute_async(sql.to_owned(), values).await.map_err(Error::from_binding)?;
        let rows = rows.collect().await;
        end.await.map_err(Error::from_binding)?;
        Ok(Rows { columns, rows })
    }

    /// From now on nobody knows what state the connection is in: it is used up.
    pub(super) fn doubt(&self) {
        self.is_doubtful.set(true);
    }
}

impl Rows {
    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The names and values of the first row's columns.
    pub(super) fn first_row(self) -> Option<impl ExactSizeIterator<Item = (String, JsonValue)>> {
        let row = self.rows.into_iter().next()?;
        Some(self.columns.into_iter().zip(row.values.into_iter().map(to_json)))
    }

    /// The first column of the first row, where it is text.
    pub(super) fn first_text(&self) -> Option<&str> {
        self.rows.first()?.get(0)
    }

    /// A column of the first row, where it is an integer.
    pub(super) fn first_integer(&self, column: usize) -> Option<i64> {
        self.rows.first()?.get(column)
    }
}

fn to_json(value: Value) -> JsonValue {
    match value {
        Value::Integer(integer) => integer.into(),
        Value::Real(real) => real.into(),
        Value::Text(text) => text.into(),
        Value::Blob(bytes) => bytes.into(),
        Value::Null => JsonValue::Null,
    }
}
