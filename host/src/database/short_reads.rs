//! Reads that run on the thread that asks for them. To wake the connection's thread and to be woken by it takes longer than
//! most reads do.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{KEPT_STATEMENTS, MAX_ROW_BYTES, Value, column_names, read};
use crate::bindings::sqlite::QueryResult;

/// For so long a read may keep the others of the thread waiting.
const LIMIT: Duration = Duration::from_millis(2);
/// The steps of SQLite's machine between two looks at the time.
const STEPS: i32 = 1_000;

/// What is known of a connection's statements.
pub(super) struct ShortReads {
    deadline: Deadline,
    /// Those that have once taken too long.
    long: HashSet<String>,
}

impl ShortReads {
    /// Lets reads of the connection be broken off.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let deadline = Deadline { origin: Instant::now(), nanoseconds: Arc::new(AtomicU64::new(Deadline::NONE)) };
        let looked_at = deadline.clone();
        connection.progress_handler(STEPS, Some(move || looked_at.has_passed()))?;
        Ok(Self { deadline, long: HashSet::new() })
    }

    /// Runs the statement if it only reads, waits for nobody and is short. Otherwise `None`, also for what fails: it runs on
    /// the connection's thread, from the beginning.
    pub(super) fn run(&mut self, connection: &Connection, sql: &str, parameters: &[Value]) -> Option<QueryResult> {
        // The end of a transaction is no write by itself, and waits for the disk.
        if !connection.is_autocommit() || self.long.contains(sql) {
            return None;
        }
        // Once planned, which may take longer, it is kept.
        let mut statement = connection.prepare_cached(sql).ok().filter(|statement| statement.readonly())?;
        let columns = column_names(&statement);
        let (mut rows, mut size) = (Vec::new(), 0);
        self.deadline.set(LIMIT);
        let result = read(&mut statement, parameters, |row, bytes| {
            size += bytes;
            rows.push(row);
            if size > MAX_ROW_BYTES { Err(String::new()) } else { Ok(()) }
        });
        if self.deadline.has_passed() {
            self.remember(sql);
        }
        self.deadline.clear();
        result.ok().map(|()| QueryResult { columns, rows })
    }

    fn remember(&mut self, sql: &str) {
        if self.long.len() >= KEPT_STATEMENTS {
            self.long.clear();
        }
        self.long.insert(sql.to_owned());
    }
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

    fn connection() -> (Connection, ShortReads) {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (id UNIQUE); INSERT INTO t VALUES (1)").unwrap();
        let reads = ShortReads::of(&mut connection).unwrap();
        (connection, reads)
    }

    #[test]
    fn a_short_read_runs_here() {
        let (connection, mut reads) = connection();
        let found = reads.run(&connection, "SELECT id, ?1 AS word FROM t", &[Value::Text("a".to_owned())]).unwrap();
        assert_eq!(found.columns, ["id", "word"]);
        let [row] = found.rows.as_slice() else { panic!("{}", found.rows.len()) };
        assert!(matches!(row.values.as_slice(), [Value::Integer(1), Value::Text(word)] if word == "a"));
    }

    #[test]
    fn what_writes_waits_or_fails_does_not() {
        let (connection, mut reads) = connection();
        for sql in ["INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "SELECT nothing FROM t", "nonsense"] {
            assert!(reads.run(&connection, sql, &[]).is_none(), "{sql}");
        }
        assert!(reads.run(&connection, "SELECT 1 FROM t WHERE id = 2", &[]).unwrap().rows.is_empty());
        connection.execute_batch("BEGIN").unwrap();
        for sql in ["COMMIT", "SELECT id FROM t"] {
            assert!(reads.run(&connection, sql, &[]).is_none(), "{sql}");
        }
        assert!(!connection.is_autocommit());
    }

    #[test]
    fn a_long_read_is_broken_off_and_not_tried_again() {
        let (connection, mut reads) = connection();
        assert!(reads.run(&connection, LONG, &[]).is_none());
        assert!(reads.long.contains(LONG));
        assert!(reads.run(&connection, LONG, &[]).is_none());
        assert!(reads.run(&connection, "SELECT id FROM t", &[]).is_some());
        // Elsewhere nothing breaks it off.
        let count: i64 = connection.query_row(LONG, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1_000_000);
    }
}
