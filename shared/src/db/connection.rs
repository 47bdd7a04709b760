//! The raw binding, in this file only, without its traps: every result is drained and awaited before the next statement
//! can start, a connection is lent to one request at a time, and foreign keys are on.

use std::cell::{Cell, RefCell};

use serde_json::{Map, Value as JsonValue};
use spin_sdk::sqlite::{self, RowResult, Value};

use super::error::{Error, Result};
use super::migrate;

thread_local! {
    /// Connections that no request uses. They keep their prepared statements, which is half the cost of a read.
    static IDLE: RefCell<Vec<Connection>> = const { RefCell::new(Vec::new()) };
    static MIGRATED: Cell<bool> = const { Cell::new(false) };
}

/// A connection that is lent to one request.
pub(super) struct Connection(sqlite::Connection);

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
    let connection = Connection(sqlite::Connection::open_default().await.map_err(Error::from_binding)?);
    connection.run("PRAGMA foreign_keys = ON", Vec::new()).await?;
    if !MIGRATED.get() {
        migrate::run(&connection).await?;
        MIGRATED.set(true);
    }
    Ok(connection)
}

/// Gives back a connection that is in no transaction.
pub(super) fn put_back(connection: Connection) {
    IDLE.with_borrow_mut(|idle| idle.push(connection));
}

impl Connection {
    pub(super) async fn run(&self, sql: &str, values: Vec<Value>) -> Result<Rows> {
        let answer = self.0.execute(sql, values).await.map_err(Error::from_binding)?;
        let columns = answer.columns().to_vec();
        let rows = answer.collect().await.map_err(Error::from_binding)?;
        Ok(Rows { columns, rows })
    }
}

impl Rows {
    /// The first row, by the names of the columns.
    pub(super) fn first_object(self) -> Option<Map<String, JsonValue>> {
        let row = self.rows.into_iter().next()?;
        Some(self.columns.into_iter().zip(row.values.into_iter().map(to_json)).collect())
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
