//! A database that answers what a test has told it to, in place of the binding.

use std::cell::{Cell, RefCell};
use std::future::{Ready, ready};

use spin_sdk::sqlite::wit::sqlite::QueryResult;
use spin_sdk::sqlite::{Error, RowResult, Value};

use super::migrate::LATEST;

thread_local! {
    static OPENED: Cell<usize> = const { Cell::new(0) };
    static VERSION: Cell<i64> = const { Cell::new(LATEST) };
    static VERSION_BEFORE: Cell<i64> = const { Cell::new(LATEST) };
    static OLDEST: Cell<Option<i64>> = const { Cell::new(None) };
    static REFUSALS: RefCell<Vec<(&'static str, &'static str)>> = const { RefCell::new(Vec::new()) };
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// As it was before any test.
pub(super) fn reset() {
    OPENED.set(0);
    VERSION.set(LATEST);
    OLDEST.set(None);
    REFUSALS.take();
    LOG.take();
}

/// Lets the next statement that begins like this fail with these words.
pub(super) fn refuse(beginning: &'static str, words: &'static str) {
    REFUSALS.with_borrow_mut(|refusals| refusals.push((beginning, words)));
}

/// Lets the database have that version of the schema.
pub(super) fn have_version(version: i64) {
    VERSION.set(version);
}

/// Lets the database say which version of the schema a release must have to use it.
pub(super) fn need_version(oldest: i64) {
    OLDEST.set(Some(oldest));
}

/// The statements that were executed since this was asked last, but for those with which each new connection begins.
/// Before each statement stands the number of its connection.
pub(super) fn executed() -> Vec<String> {
    LOG.take()
}

/// A connection, numbered from 1 in the order of their opening.
pub(super) struct Connection(usize);

impl Connection {
    pub(super) fn open(_: &str) -> Result<Self, Error> {
        OPENED.set(OPENED.get() + 1);
        Ok(Self(OPENED.get()))
    }

    pub(super) fn open_async(name: String) -> Ready<Result<Self, Error>> {
        ready(Self::open(&name))
    }

    pub(super) fn execute(&self, sql: &str, _: &[Value]) -> Result<QueryResult, Error> {
        if !sql.starts_with("PRAGMA foreign_keys")
            && !sql.starts_with("PRAGMA busy_timeout")
            && sql != "PRAGMA user_version"
        {
            self.log(sql.lines().next().unwrap_or_default());
        }
        let refused = REFUSALS.with_borrow_mut(|refusals| {
            let place = refusals.iter().position(|(beginning, _)| sql.starts_with(beginning))?;
            Some(refusals.remove(place).1)
        });
        match refused {
            Some(words) => Err(Error::Io(words.to_owned())),
            None => {
                match sql.strip_prefix("PRAGMA user_version = ") {
                    Some(version) => VERSION.set(version.parse().unwrap()),
                    None if sql.starts_with("BEGIN") => VERSION_BEFORE.set(VERSION.get()),
                    None if sql == "ROLLBACK" => VERSION.set(VERSION_BEFORE.get()),
                    None => {}
                }
                let value = if sql.contains("schema_compatibility") { OLDEST.get() } else { Some(VERSION.get()) };
                let rows = value.map(|value| RowResult { values: vec![Value::Integer(value)] }).into_iter().collect();
                Ok(QueryResult { columns: vec!["value".to_owned()], rows })
            }
        }
    }

    pub(super) fn execute_async(&self, sql: String, values: Vec<Value>) -> Ready<Result<Streamed, Error>> {
        let answer = self.execute(&sql, &values);
        ready(answer.map(|answer| (answer.columns, Collected(answer.rows), ready(Ok(())))))
    }

    fn log(&self, what: &str) {
        LOG.with_borrow_mut(|log| log.push(format!("{} {what}", self.0)));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // At the end of a test's thread the log may be gone before the idle connections.
        let _gone = LOG.try_with(|log| log.borrow_mut().push(format!("{} closed", self.0)));
    }
}

/// An answer in the asynchronous form: the columns, the rows, and whether that was all of them.
type Streamed = (Vec<String>, Collected, Ready<Result<(), Error>>);

/// Rows that come one by one.
pub(super) struct Collected(Vec<RowResult>);

impl Collected {
    pub(super) fn collect(self) -> Ready<Vec<RowResult>> {
        ready(self.0)
    }
}
