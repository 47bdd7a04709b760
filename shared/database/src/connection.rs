//! The raw binding, in this file only, without its traps: every result is drained and awaited before the next statement
//! can start, a connection is lent to one request at a time, foreign keys are on, and who waits for a lock looks often.
//!
//! The interface has each function in two forms. The asynchronous one costs a stream, a future and a task for each
//! statement: four times as much as the synchronous one, which holds up the whole instance while it waits. An instance has
//! one request at a time unless the operator wants it otherwise, so there is nobody to hold up.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::Value as JsonValue;
#[cfg(not(test))]
use spin_sdk::sqlite::wit::sqlite as binding;
use spin_sdk::sqlite::{RowResult, Value};
use spin_sdk::time;

use super::error::{Error, Result};
#[cfg(test)]
use super::scripted as binding;

/// The time for which a statement waits for other writers: most clients wait for thirty seconds, and a machine with five
/// times the work that it can do lets few of a hundred waiting writers pass in a second.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// The time for which SQLite itself waits, in milliseconds; then the statement is sent again. SQLite looks for the lock
/// after 1, 2, 5, 10, … milliseconds and in the end ten times a second: who has waited for long looks least often, and
/// those who have just come, or an import with many short transactions, take the lock each time. One that starts over after
/// the first three looks has the same chance as they.
const BUSY_TIMEOUT: &str = "PRAGMA busy_timeout = 8";

/// The pause between two tries. At first it is as short as it can be to let another request of the instance let go of the
/// lock. Who waits for longer than [`SHORT_WAIT`] is one of many, and looks less often: each try costs a tenth of a
/// millisecond, and a hundred writers who try again at once take the processor from the one for whom they wait.
const PAUSE: Duration = Duration::from_millis(1);
const LONG_PAUSE: Duration = Duration::from_millis(40);
const SHORT_WAIT: Duration = Duration::from_millis(500);

/// True if statements run in the synchronous form.
const SYNCHRONOUS: bool = true;

/// A connection that is lent to one request.
pub(super) struct Connection {
    binding: binding::Connection,
    state: Cell<State>,
}

/// The state in which a connection is left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Everything.
    Sound,
    /// The rest of its transaction, and nothing after that.
    UsedUp,
    /// To roll back: a statement failed in a way that does not say whether the transaction still stands, and without one
    /// each further statement would be committed by itself.
    Broken,
}

/// The whole answer to a statement.
pub(super) struct Rows {
    columns: Vec<String>,
    rows: Vec<RowResult>,
}

impl Connection {
    /// A new connection to the database of that name.
    pub(super) async fn open(name: &str) -> Result<Self> {
        let name = name.to_owned();
        let opened =
            if SYNCHRONOUS { binding::Connection::open(&name) } else { binding::Connection::open_async(name).await };
        let connection = Self { binding: opened.map_err(Error::from_binding)?, state: Cell::new(State::Sound) };
        connection.run("PRAGMA foreign_keys = ON", &[]).await?;
        // A far server does its own waiting, and has no such pragma.
        let _unknown = connection.try_run(BUSY_TIMEOUT, &[]).await;
        Ok(connection)
    }

    /// True if it can be lent to another request.
    pub(super) fn is_sound(&self) -> bool {
        self.state.get() == State::Sound
    }

    /// Runs a statement. Outside of a transaction, one that meets other writers waits for them, for so long.
    pub(super) async fn run_within(&self, patience: Duration, sql: &str, values: &[Value]) -> Result<Rows> {
        let began = Instant::now();
        loop {
            match self.run(sql, values).await {
                Err(Error::Busy) if began.elapsed() < patience => {
                    time::sleep(if began.elapsed() < SHORT_WAIT { PAUSE } else { LONG_PAUSE }).await;
                }
                answer => return answer,
            }
        }
    }

    /// Runs a statement of a transaction. After an error the connection is not used for another transaction, and after
    /// one that may have ended this transaction, no further statement of it runs.
    pub(super) async fn run_in_transaction(&self, sql: &str, values: &[Value]) -> Result<Rows> {
        if self.state.get() == State::Broken {
            return Err(Error::Other("an earlier statement of the transaction had failed".to_owned()));
        }
        let answer = self.run(sql, values).await;
        match &answer {
            Ok(_) => {}
            Err(error) if error.may_end_transaction() => self.becomes(State::Broken),
            Err(_) => self.becomes(State::UsedUp),
        }
        answer
    }

    /// Ends a transaction without its changes, in so many words: a far server would keep it, and its lock, for a while
    /// after the connection was dropped.
    pub(super) async fn roll_back(&self) {
        // SQLite may have rolled back by itself, or a far server; if not, closing the connection does.
        if self.run("ROLLBACK", &[]).await.is_err() {
            self.becomes(State::Broken);
        }
    }

    /// Runs a statement, which waits for other writers no longer than SQLite does.
    pub(super) async fn run(&self, sql: &str, values: &[Value]) -> Result<Rows> {
        let answer = self.try_run(sql, values).await;
        if answer.as_ref().is_err_and(Error::leaves_doubt) {
            self.becomes(State::Broken);
        }
        answer
    }

    async fn try_run(&self, sql: &str, values: &[Value]) -> Result<Rows> {
        if SYNCHRONOUS {
            let answer = self.binding.execute(sql, values).map_err(Error::from_binding)?;
            return Ok(Rows { columns: answer.columns, rows: answer.rows });
        }
        let (columns, rows, end) =
            self.binding.execute_async(sql.to_owned(), values.to_vec()).await.map_err(Error::from_binding)?;
        let rows = rows.collect().await;
        end.await.map_err(Error::from_binding)?;
        Ok(Rows { columns, rows })
    }

    /// A connection that is lost does not come back.
    fn becomes(&self, state: State) {
        self.state.set(self.state.get().max(state));
    }
}

impl Rows {
    /// True if there is no row.
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
