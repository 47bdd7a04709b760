//! Statements that run on the thread that asks for them. To wake the connection's thread and to be woken by it takes longer
//! than most statements do.
//!
//! A read can be broken off when it takes long, and begins anew on the connection's thread. A write cannot: that would roll
//! back its transaction. So it runs here when it has shown there that it is short.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Statement};

use super::{KEPT_STATEMENTS, MAX_ROW_BYTES, Value, column_names, read};
use crate::bindings::sqlite::QueryResult;

/// For so long a statement may keep the others of the thread waiting.
const LIMIT: Duration = Duration::from_millis(2);
/// The steps of SQLite's machine between two looks at the time.
const STEPS: i32 = 1_000;

/// What is known of a connection's statements.
pub(super) struct ShortStatements {
    deadline: Deadline,
    known: HashMap<String, Length>,
}

#[derive(Clone, Copy, PartialEq)]
enum Length {
    /// It has never taken long.
    Short,
    /// It has once taken long.
    Long,
}

impl ShortStatements {
    /// Lets reads of the connection be broken off.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let deadline = Deadline { origin: Instant::now(), nanoseconds: Arc::new(AtomicU64::new(Deadline::NONE)) };
        let looked_at = deadline.clone();
        connection.progress_handler(STEPS, Some(move || looked_at.has_passed()))?;
        Ok(Self { deadline, known: HashMap::new() })
    }

    /// Runs the statement if it is short and waits for nobody. Otherwise `None`: it runs on the connection's thread.
    pub(super) fn run(
        &mut self,
        connection: &Connection,
        sql: &str,
        parameters: &[Value],
    ) -> Option<Result<QueryResult, String>> {
        // Once planned, which may take longer, it is kept.
        let mut statement = connection.prepare_cached(sql).ok()?;
        let is_short = match self.known.get(sql) {
            Some(Length::Long) => false,
            known if is_write_in_transaction(connection, &statement) => known.is_some(),
            // COMMIT is no write by itself, but waits for the disk; it has no columns.
            _ => statement.readonly() && statement.column_count() > 0,
        };
        if !is_short {
            return None;
        }
        let began = Instant::now();
        if statement.readonly() {
            self.deadline.set(LIMIT);
        }
        let result = collect(&mut statement, parameters);
        let is_broken_off = self.deadline.has_passed();
        self.deadline.clear();
        self.learn(sql, began.elapsed());
        (!is_broken_off).then_some(result)
    }

    /// Notes how long a statement has taken.
    pub(super) fn learn(&mut self, sql: &str, time: Duration) {
        let length = if time < LIMIT { Length::Short } else { Length::Long };
        if self.known.get(sql).is_some_and(|known| [Length::Long, length].contains(known)) {
            return;
        }
        if self.known.len() >= KEPT_STATEMENTS {
            self.known.clear();
        }
        self.known.insert(sql.to_owned(), length);
    }
}

/// True for what changes the database, but does not have to wait for the right to do so, nor for the disk.
fn is_write_in_transaction(connection: &Connection, statement: &Statement<'_>) -> bool {
    !connection.is_autocommit() && !statement.readonly()
}

fn collect(statement: &mut Statement<'_>, parameters: &[Value]) -> Result<QueryResult, String> {
    let columns = column_names(statement);
    let (mut rows, mut size) = (Vec::new(), 0);
    read(statement, parameters, |row, bytes| {
        size += bytes;
        rows.push(row);
        if size > MAX_ROW_BYTES { Err(super::too_large()) } else { Ok(()) }
    })?;
    Ok(QueryResult { columns, rows })
}

/// The time at which a statement is broken off.
#[derive(Clone)]
struct Deadline {
    origin: Instant,
    /// Since the origin.
    nanoseconds: Arc<AtomicU64>,
}

impl Deadline {
    const NONE: u64 = u64::MAX;

    fn set(&self, limit: Duration) {
        let end = (self.origin.elapsed() + limit).as_nanos();
        self.nanoseconds.store(end.try_into().unwrap_or(Self::NONE), Ordering::Relaxed);
    }

    fn clear(&self) {
        self.nanoseconds.store(Self::NONE, Ordering::Relaxed);
    }

    fn has_passed(&self) -> bool {
        self.origin.elapsed().as_nanos() > self.nanoseconds.load(Ordering::Relaxed).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) FROM n";

    fn connection() -> (Connection, ShortStatements) {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (id UNIQUE); INSERT INTO t VALUES (1)").unwrap();
        let statements = ShortStatements::of(&mut connection).unwrap();
        (connection, statements)
    }

    #[test]
    fn a_short_read_runs_here() {
        let (connection, mut statements) = connection();
        let parameters = [Value::Text("a".to_owned())];
        let found = statements.run(&connection, "SELECT id, ?1 AS word FROM t", &parameters).unwrap().unwrap();
        assert_eq!(found.columns, ["id", "word"]);
        let [row] = found.rows.as_slice() else { panic!("{}", found.rows.len()) };
        assert!(matches!(row.values.as_slice(), [Value::Integer(1), Value::Text(word)] if word == "a"));
    }

    #[test]
    fn what_waits_or_cannot_be_planned_does_not() {
        let (connection, mut statements) = connection();
        for sql in ["INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "SELECT nothing FROM t", "nonsense"] {
            assert!(statements.run(&connection, sql, &[]).is_none(), "{sql}");
        }
        connection.execute_batch("BEGIN; INSERT INTO t VALUES (3)").unwrap();
        assert!(statements.run(&connection, "COMMIT", &[]).is_none());
        assert!(!connection.is_autocommit());
    }

    #[test]
    fn a_long_read_is_broken_off_and_not_tried_again() {
        let (connection, mut statements) = connection();
        connection.execute_batch("BEGIN; INSERT INTO t VALUES (2)").unwrap();
        assert!(statements.run(&connection, LONG, &[]).is_none());
        assert!(statements.known[LONG] == Length::Long);
        assert!(statements.run(&connection, LONG, &[]).is_none());
        let count = statements.run(&connection, "SELECT id FROM t", &[]).unwrap().unwrap().rows.len();
        assert_eq!(count, 2, "the transaction is as it was");
        // Elsewhere nothing breaks it off.
        let count: i64 = connection.query_row(LONG, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1_000_000);
    }

    #[test]
    fn a_write_of_a_transaction_runs_here_while_it_is_known_to_be_short() {
        let (connection, mut statements) = connection();
        let insert = "INSERT INTO t VALUES (?1)";
        let mut run = |time: Option<Duration>, id| {
            time.into_iter().for_each(|time| statements.learn(insert, time));
            statements.run(&connection, insert, &[Value::Integer(id)]).map(|result| result.map(drop))
        };
        connection.execute_batch("BEGIN").unwrap();
        assert_eq!(run(None, 2), None, "nothing is known of it");
        assert_eq!(run(Some(Duration::ZERO), 2), Some(Ok(())));
        assert_eq!(run(None, 2), Some(Err("UNIQUE constraint failed: t.id".to_owned())));
        connection.execute_batch("COMMIT").unwrap();
        assert_eq!(run(None, 3), None, "by itself it waits for its turn");
        connection.execute_batch("BEGIN").unwrap();
        assert_eq!(run(Some(LIMIT), 3), None);
        assert_eq!(run(Some(Duration::ZERO), 3), None, "it was long once");
    }
}
