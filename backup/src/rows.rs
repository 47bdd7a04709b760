//! A database that is read by statements, be it a file or a server.

use anyhow::{Context, Result, bail};
use rusqlite::types::Value;

use crate::server;

/// The values of a row, in the order of its columns.
pub(crate) type Row = Vec<Value>;

/// A connection that reads.
pub(crate) enum Reader {
    File(rusqlite::Connection),
    Server(libsql::Connection),
}

impl Reader {
    /// All rows of a statement without parameters.
    pub(crate) async fn rows(&self, sql: &str) -> Result<Vec<Row>> {
        let rows = match self {
            Self::File(connection) => local(connection, sql),
            Self::Server(connection) => server::rows(connection, sql, Vec::new()).await,
        };
        rows.with_context(|| sql.to_owned())
    }

    /// The number that is the first value of the first row.
    pub(crate) async fn number(&self, sql: &str) -> Result<i64> {
        integer(self.rows(sql).await?.first().and_then(|row| row.first()))
    }

    /// The version of the schema.
    pub(crate) async fn schema(&self) -> Result<i64> {
        self.number("PRAGMA user_version").await
    }
}

fn local(connection: &rusqlite::Connection, sql: &str) -> Result<Vec<Row>> {
    let mut statement = connection.prepare(sql)?;
    let width = statement.column_count();
    let rows = statement.query_map((), |row| (0..width).map(|column| row.get(column)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A value that must be an integer.
pub(crate) fn integer(value: Option<&Value>) -> Result<i64> {
    match value {
        Some(Value::Integer(number)) => Ok(*number),
        other => bail!("no number: {other:?}"),
    }
}

/// A value that must be text.
pub(crate) fn text(value: Option<&Value>) -> Result<&str> {
    match value {
        Some(Value::Text(text)) => Ok(text),
        other => bail!("no text: {other:?}"),
    }
}
