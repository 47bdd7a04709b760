//! The connections of an instance: those that no request uses are kept for the next one.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use spin_sdk::sqlite::Value;

use super::connection::{Connection, Rows};
use super::error::{Error, Result};
use super::migrate;
#[cfg(test)]
use super::scripted;

thread_local! {
    /// Connections that no request uses, and since when, the latest at the end. They keep their prepared statements, which
    /// is half the cost of a read.
    static IDLE: RefCell<Vec<(Connection, Instant)>> = const { RefCell::new(Vec::new()) };
    static MIGRATED: Cell<bool> = const { Cell::new(false) };
}

/// The database of the manifest.
const DEFAULT: &str = "default";

/// For how long a connection may lie idle. A libSQL server closes it after ten seconds.
const MAX_IDLE: Duration = Duration::from_secs(8);

/// Runs a statement outside of a transaction, on an idle connection or a new one. It runs once more on a new one where
/// that does no harm.
pub(super) async fn run_on_any(patience: Duration, sql: &str, values: &[Value]) -> Result<(Connection, Result<Rows>)> {
    let connection = take().await?;
    let answer = connection.run_within(patience, sql, values).await;
    if !answer.as_ref().is_err_and(|error| may_run_again(sql, error)) {
        return Ok((connection, answer));
    }
    drop(connection);
    let connection = open().await?;
    let answer = connection.run_within(patience, sql, values).await;
    Ok((connection, answer))
}

/// True for every statement that a server has not executed, and for reads whose answer was lost.
fn may_run_again(sql: &str, error: &Error) -> bool {
    match error {
        Error::Expired => true,
        Error::Broken(_) => sql.trim_start().starts_with("SELECT"),
        _ => false,
    }
}

async fn take() -> Result<Connection> {
    match IDLE.with_borrow_mut(youngest) {
        Some(connection) => Ok(connection),
        None => open().await,
    }
}

fn youngest(idle: &mut Vec<(Connection, Instant)>) -> Option<Connection> {
    let (connection, since) = idle.pop()?;
    if since.elapsed() < MAX_IDLE {
        return Some(connection);
    }
    // All others have been idle for longer.
    idle.clear();
    None
}

/// A new connection. The first of an instance sees to it that the schema is there.
async fn open() -> Result<Connection> {
    let connection = Connection::open(DEFAULT).await?;
    if !MIGRATED.get() {
        migrate::run(&connection).await?;
        MIGRATED.set(true);
    }
    Ok(connection)
}

/// Gives back a connection that is in no transaction. One whose state nobody knows is closed instead.
pub(super) fn put_back(connection: Connection) {
    if connection.is_sound() {
        IDLE.with_borrow_mut(|idle| idle.push((connection, Instant::now())));
    }
}

/// Closes all connections, as at the start of an instance.
#[cfg(test)]
pub(super) fn forget_all() {
    IDLE.take();
    MIGRATED.set(false);
    scripted::reset();
}

/// Lets all idle connections be idle since then.
#[cfg(test)]
pub(super) fn idle_since(then: Instant) {
    IDLE.with_borrow_mut(|idle| idle.iter_mut().for_each(|(_, since)| *since = then));
}
