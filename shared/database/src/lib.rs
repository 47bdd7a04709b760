//! The database: literal SQL in, typed rows out.
//!
//! A row becomes a type by the names of its columns. Reads of many rows come back as one row of JSON, because the binding
//! costs more per row than SQLite needs to build the text; in it each row is a list of values in the order of the type's
//! fields. A write is one statement where it can be; several statements
//! stand in a [`Db::transaction`].

mod binds;
mod built_json;
mod built_list;
mod changes;
mod connection;
mod derived;
mod error;
mod fields;
mod json;
mod migrate;
mod parameters;
mod pool;
mod positions;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod tests;
mod write_queue;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
pub use spin_sdk::sqlite::Value;
use types::coerce;

pub use binds::{Bind, Binds};
pub use built_json::{BuiltJson, BuiltRow, begun_text};
pub use built_list::{BuiltList, HOLE, built_list, built_pair, split_pair, unbuilt};
pub use changes::Changes;
use connection::Connection;
pub use derived::Derived;
pub use error::{Error, Result};
pub use fields::{json_array, json_list, json_object};
pub use json::Json;
pub use parameters::renumbered;
pub use positions::{Positional, decode_row, decode_rows};

/// The version of the schema that this program needs: the number of its migrations.
pub const SCHEMA_VERSION: usize = migrate::MIGRATION_COUNT;

/// A row of an id alone, as `RETURNING id` makes it.
#[derive(Deserialize)]
pub struct IdRow<Id> {
    /// The id.
    pub id: Id,
}

/// The rows of a statement that has none, as JSON.
const NO_ROWS: &str = "[]";

/// The application's database, or a transaction on it: what reads and writes does not need to know which.
#[derive(Clone)]
pub struct Db {
    transaction: Option<Rc<Connection>>,
    /// The time for which a statement waits for other writers.
    patience: Duration,
    /// The statements that this value and its clones have executed.
    executed: Rc<Cell<u32>>,
}

impl Default for Db {
    fn default() -> Self {
        Self { transaction: None, patience: connection::PATIENCE, executed: Rc::default() }
    }
}

impl Db {
    /// The same database, for writes that are not worth waiting for, such as what a read notes beside its answer: where
    /// others write for longer, they fail with [`Error::Busy`]. A transaction that has begun waits for nobody anyway.
    #[must_use]
    pub fn waiting_at_most(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// The same, for what is not worth waiting for at all.
    #[must_use]
    pub fn without_waiting(&self) -> Self {
        self.waiting_at_most(Duration::ZERO)
    }

    /// The number of statements that this value and its clones have executed, those that begin and end transactions among
    /// them. On a far server each of them is a round trip.
    pub fn statements(&self) -> u32 {
        self.executed.get()
    }

    /// The version of the schema that the database has: see [`SCHEMA_VERSION`].
    pub async fn schema_version(&self) -> Result<usize> {
        let version = self.run("PRAGMA user_version", Vec::new()).await?.first_integer(0);
        version.and_then(|version| version.try_into().ok()).ok_or(Error::NoRow)
    }

    fn count(&self) {
        self.executed.update(|executed| executed.saturating_add(1));
    }

    /// The first row, if there is one: for reads of one record, and for writes with `RETURNING`.
    pub async fn fetch<T: DeserializeOwned>(&self, sql: &str, binds: impl Binds) -> Result<Option<T>> {
        let row = self.run(sql, binds.values()).await?.first_row();
        row.map(|columns| coerce::from_entries(columns).map_err(Error::decode)).transpose()
    }

    /// The row of a statement that always has one.
    pub async fn fetch_one<T: DeserializeOwned>(&self, sql: &str, binds: impl Binds) -> Result<T> {
        self.fetch(sql, binds).await?.ok_or(Error::NoRow)
    }

    /// All rows, as one row of JSON. The columns must carry the names of `T`'s fields.
    pub async fn fetch_all<T: DeserializeOwned>(&self, sql: &str, binds: impl Binds) -> Result<Vec<T>> {
        let row = fields::json_array::<T>()?;
        let sql = format!("SELECT {} FROM ({sql})", fields::json_list(&row));
        decode_rows(self.run(&sql, binds.values()).await?.first_text().unwrap_or(NO_ROWS))
    }

    /// Executes a write, and reads with the same statement what it has made of its row: `select` finds the record, and names
    /// the row's columns by their table (`WHERE a.id = assignments.id`). `None`: the write touched no row. What triggers do
    /// after the write is not in the record.
    pub async fn write_and_read<T: DeserializeOwned>(
        &self,
        write: &str,
        select: &str,
        binds: impl Binds,
    ) -> Result<Option<T>> {
        let row = fields::json_array::<T>()?;
        let sql = format!("{write} RETURNING (SELECT {row} FROM ({select})) AS record");
        let rows = self.run(&sql, binds.values()).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        rows.first_text().ok_or(Error::NoRow).and_then(decode_row).map(Some)
    }

    /// Executes a statement whose rows, if any, do not matter.
    pub async fn execute(&self, sql: &str, binds: impl Binds) -> Result<()> {
        self.run(sql, binds.values()).await.map(drop)
    }

    /// Executes a write with `RETURNING`, and tells whether it touched a row.
    pub async fn affects(&self, sql: &str, binds: impl Binds) -> Result<bool> {
        Ok(!self.run(sql, binds.values()).await?.is_empty())
    }

    /// Runs `work` as one transaction: all of it is committed, or, when it answers an error, nothing. Its statements
    /// are then rolled back in so many words: a far server would keep a transaction whose connection is only dropped.
    pub async fn transaction<T, E: From<Error>>(
        &self,
        work: impl AsyncFnOnce(&Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.transaction.is_some() {
            return work(self).await;
        }
        let _turn = write_queue::take().await;
        self.count();
        let (connection, begun) = pool::run_on_any(self.patience, "BEGIN IMMEDIATE", &[]).await?;
        if let Err(error) = begun {
            if error.leaves_doubt() {
                // It may have begun, and only the answer was lost.
                connection.roll_back().await;
            }
            pool::put_back(connection);
            return Err(error.of_transaction().into());
        }
        let connection = Rc::new(connection);
        let answer = work(&Self { transaction: Some(connection.clone()), ..self.clone() }).await;
        self.count();
        let answer = match answer {
            Ok(_) if Rc::strong_count(&connection) > 1 => Err(Error::TransactionKept.into()),
            Ok(answer) => connection.run_in_transaction("COMMIT", &[]).await.map(|_| answer).map_err(E::from),
            Err(error) => Err(error),
        };
        if answer.is_err() {
            connection.roll_back().await;
        }
        if let Some(connection) = Rc::into_inner(connection) {
            pool::put_back(connection);
        }
        answer
    }

    /// Runs `work` as one transaction where it is of several statements: one by itself needs none around it.
    pub async fn transaction_if<T, E: From<Error>>(
        &self,
        has_several: bool,
        work: impl AsyncFnOnce(&Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if has_several { self.transaction(work).await } else { work(self).await }
    }

    async fn run(&self, sql: &str, values: Vec<Value>) -> Result<connection::Rows> {
        self.count();
        let sql = &parameters::hidden(sql);
        if let Some(connection) = &self.transaction {
            return connection.run_in_transaction(sql, &values).await.map_err(Error::of_transaction);
        }
        let (connection, answer) = pool::run_on_any(self.patience, sql, &values).await?;
        pool::put_back(connection);
        answer
    }
}

/// Makes a change that is judged by what was read before its transaction. `change` names that state in its statement, and
/// answers nothing where the record is not any more what it was; then it is given the record as it is now. Call it in a
/// transaction: there nobody can be faster a second time.
pub async fn change_known<T, C, E: From<Error>>(
    known: T,
    read_again: impl AsyncFnOnce() -> std::result::Result<T, E>,
    mut change: impl AsyncFnMut(T) -> std::result::Result<Option<C>, E>,
) -> std::result::Result<C, E> {
    if let Some(changed) = change(known).await? {
        return Ok(changed);
    }
    change(read_again().await?).await?.ok_or_else(|| Error::NoRow.into())
}

/// The same for a change that is one statement: a transaction begins only where somebody was faster. `None`: the change cannot be
/// made of the record as it is in the transaction either.
pub async fn change_known_at_once<T, C, E: From<Error>>(
    db: &Db,
    known: T,
    read_again: impl AsyncFnOnce(&Db) -> std::result::Result<T, E>,
    mut change: impl AsyncFnMut(&Db, T) -> std::result::Result<Option<C>, E>,
) -> std::result::Result<Option<C>, E> {
    if let Some(changed) = change(db, known).await? {
        return Ok(Some(changed));
    }
    db.transaction(async |db| change(db, read_again(db).await?).await).await
}

/// Reads the JSON that SQLite has built. A value that does not fit as it stands, such as text where a number is asked
/// for, is read with the casts that rows get.
pub fn decode_text<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).or_else(|_needs_casts| {
        let value = serde_json::from_str(text).map_err(Error::decode)?;
        coerce::from_value(value).map_err(Error::decode)
    })
}
