//! Statements that run on the thread that asks for them. To wake the connection's thread and to be woken by it takes longer
//! than most statements do.
//!
//! A read can be broken off when it takes long, and begins anew on the connection's thread. A write cannot: that would roll
//! back its transaction. So it runs here when it has shown there that it is short. So does what has taken long: often
//! another thread had the processor, and not the statement. What commits runs here if it does not wait for the disk.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Statement};

use super::rows::{MAX_ROW_BYTES, column_names, read};
use super::{KEPT_STATEMENTS, Value};
use crate::bindings::sqlite::QueryResult;

/// For so long a statement may keep the others of the thread waiting.
const LIMIT: Duration = Duration::from_millis(2);
/// The steps of SQLite's machine between two looks at the time.
const STEPS: i32 = 1_000;

/// After so many short runs on the connection's thread what has taken long is tried here again.
const TRIALS: u8 = 8;

/// What a connection may do on the thread that asks.
#[derive(Clone, Copy)]
pub(super) struct May {
    /// True if its commits do not wait for the disk.
    pub(super) commit: bool,
    /// True if it is its turn.
    pub(super) write: bool,
}

/// What came of trying a statement.
pub(super) enum Attempt {
    Ran(Result<QueryResult, String>),
    /// It has not run, and can as soon as it is the connection's turn.
    NeedsTurn,
}

/// What is known of a connection's statements.
pub(super) struct ShortStatements {
    deadline: Deadline,
    /// Those that have taken long, with the short runs that are still wanted of them.
    long: HashMap<String, u8>,
    /// The writes that have run on the connection's thread.
    known_writes: HashSet<String>,
    /// True if the transaction has had a long statement, and its end may be long.
    is_in_long_transaction: bool,
}

impl ShortStatements {
    /// Lets reads of the connection be broken off.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let deadline = Deadline { origin: Instant::now(), nanoseconds: Arc::new(AtomicU64::new(Deadline::NONE)) };
        let looked_at = deadline.clone();
        connection.progress_handler(STEPS, Some(move || looked_at.has_passed()))?;
        Ok(Self { deadline, long: HashMap::new(), known_writes: HashSet::new(), is_in_long_transaction: false })
    }

    /// Runs the statement if it is short. Otherwise `None`: it runs on the connection's thread.
    pub(super) fn run(
        &mut self,
        connection: &Connection,
        sql: &str,
        parameters: &[Value],
        may: May,
    ) -> Option<Attempt> {
        // Once planned, which may take longer, it is kept.
        let mut statement = connection.prepare_cached(sql).ok()?;
        let is_read = statement.readonly() && statement.column_count() > 0;
        // A write by itself, or what begins or ends a transaction, which has no columns.
        let is_boundary = !is_read && (connection.is_autocommit() || statement.readonly());
        if is_boundary && (!may.commit || self.is_in_long_transaction) || !self.is_short(&statement, sql) {
            return None;
        }
        // The end of a transaction has the turn of its beginning, and is no write by itself.
        if is_boundary && !statement.readonly() && !may.write {
            return Some(Attempt::NeedsTurn);
        }
        let began = Instant::now();
        if is_read {
            self.deadline.set(LIMIT);
        }
        let result = collect(&mut statement, parameters);
        self.deadline.clear();
        let is_long = began.elapsed() >= LIMIT;
        if is_long {
            self.note_long(sql);
        }
        let is_broken_off = is_long && is_read && result.is_err();
        (!is_broken_off).then_some(Attempt::Ran(result))
    }

    /// Notes how long a statement has taken on the connection's thread.
    pub(super) fn learn(&mut self, statement: &Statement<'_>, sql: &str, time: Duration) {
        if !statement.readonly() && !self.known_writes.contains(sql) {
            if self.known_writes.len() >= KEPT_STATEMENTS {
                self.known_writes.clear();
            }
            self.known_writes.insert(sql.to_owned());
        }
        if time >= LIMIT {
            self.note_long(sql);
        } else if let Some(wanted) = self.long.get_mut(sql) {
            *wanted -= 1;
            if *wanted == 0 {
                self.long.remove(sql);
            }
        }
    }

    fn is_short(&self, statement: &Statement<'_>, sql: &str) -> bool {
        !self.long.contains_key(sql) && (statement.readonly() || self.known_writes.contains(sql))
    }

    /// Notes that no transaction goes on.
    pub(super) fn settle(&mut self) {
        self.is_in_long_transaction = false;
    }

    fn note_long(&mut self, sql: &str) {
        self.is_in_long_transaction = true;
        if self.long.len() >= KEPT_STATEMENTS {
            self.long.clear();
        }
        self.long.insert(sql.to_owned(), TRIALS);
    }
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

    const NOTHING: May = May { commit: false, write: false };
    const ALL: May = May { commit: true, write: true };

    /// Runs it where nothing may be committed.
    fn run(
        statements: &mut ShortStatements,
        connection: &Connection,
        sql: &str,
        parameters: &[Value],
    ) -> Option<Result<QueryResult, String>> {
        match statements.run(connection, sql, parameters, NOTHING)? {
            Attempt::Ran(result) => Some(result),
            Attempt::NeedsTurn => panic!("{sql}"),
        }
    }

    #[test]
    fn a_short_read_runs_here() {
        let (connection, mut statements) = connection();
        let parameters = [Value::Text("a".to_owned())];
        let found = run(&mut statements, &connection, "SELECT id, ?1 AS word FROM t", &parameters).unwrap().unwrap();
        assert_eq!(found.columns, ["id", "word"]);
        let [row] = found.rows.as_slice() else { panic!("{}", found.rows.len()) };
        assert!(matches!(row.values.as_slice(), [Value::Integer(1), Value::Text(word)] if word == "a"));
    }

    #[test]
    fn what_waits_or_cannot_be_planned_does_not() {
        let (connection, mut statements) = connection();
        for sql in ["INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "SELECT nothing FROM t", "nonsense"] {
            assert!(run(&mut statements, &connection, sql, &[]).is_none(), "{sql}");
        }
        connection.execute_batch("BEGIN; INSERT INTO t VALUES (3)").unwrap();
        assert!(run(&mut statements, &connection, "COMMIT", &[]).is_none());
        assert!(!connection.is_autocommit());
    }

    /// Notes so many runs of the statement on the connection's thread.
    fn learn(connection: &Connection, statements: &mut ShortStatements, sql: &str, times: &[Duration]) {
        let statement = connection.prepare_cached(sql).unwrap();
        times.iter().for_each(|time| statements.learn(&statement, sql, *time));
    }

    #[test]
    fn a_long_read_is_broken_off_and_runs_elsewhere_until_it_is_short() {
        let (connection, mut statements) = connection();
        connection.execute_batch("BEGIN; INSERT INTO t VALUES (2)").unwrap();
        assert!(run(&mut statements, &connection, LONG, &[]).is_none());
        // Not tried again, it takes no time, except where something else has the processor.
        let at_once = (0..50).any(|_| {
            let began = Instant::now();
            assert!(run(&mut statements, &connection, LONG, &[]).is_none());
            began.elapsed() < LIMIT
        });
        assert!(at_once);
        let count = run(&mut statements, &connection, "SELECT id FROM t", &[]).unwrap().unwrap().rows.len();
        assert_eq!(count, 2, "the transaction is as it was");
        // Elsewhere nothing breaks it off.
        let count: i64 = connection.query_row(LONG, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1_000_000);
        learn(&connection, &mut statements, LONG, &[Duration::ZERO; 8]);
        assert_eq!(statements.long.len(), 0);
    }

    #[test]
    fn a_write_of_a_transaction_runs_here_when_it_is_known_to_be_short() {
        let (connection, mut statements) = connection();
        let insert = "INSERT INTO t VALUES (?1)";
        let run = |statements: &mut ShortStatements, id| {
            super::tests::run(statements, &connection, insert, &[Value::Integer(id)]).map(|result| result.map(drop))
        };
        connection.execute_batch("BEGIN").unwrap();
        assert_eq!(run(&mut statements, 2), None, "nothing is known of it");
        learn(&connection, &mut statements, insert, &[Duration::ZERO]);
        assert_eq!(run(&mut statements, 2), Some(Ok(())));
        // Something else may have had the processor meanwhile.
        learn(&connection, &mut statements, insert, &[Duration::ZERO; 8]);
        assert_eq!(run(&mut statements, 2), Some(Err("UNIQUE constraint failed: t.id".to_owned())));
        connection.execute_batch("COMMIT").unwrap();
        assert_eq!(run(&mut statements, 3), None, "by itself it waits for its turn");
        connection.execute_batch("BEGIN").unwrap();
        learn(&connection, &mut statements, insert, &[LIMIT, Duration::ZERO]);
        assert_eq!(run(&mut statements, 3), None, "it was long");
        learn(&connection, &mut statements, insert, &[Duration::ZERO; 7]);
        assert_eq!(run(&mut statements, 3), Some(Ok(())));
    }

    #[test]
    fn commits_run_here_where_they_do_not_wait_for_the_disk() {
        let (connection, mut statements) = connection();
        let insert = "INSERT INTO t VALUES (5)";
        learn(&connection, &mut statements, "BEGIN IMMEDIATE", &[Duration::ZERO]);
        learn(&connection, &mut statements, insert, &[Duration::ZERO]);
        for sql in [insert, "BEGIN IMMEDIATE"] {
            // Something else may have had the processor while the statement before ran.
            statements.settle();
            let may = May { write: false, ..ALL };
            assert!(matches!(statements.run(&connection, sql, &[], may), Some(Attempt::NeedsTurn)), "{sql}");
            assert!(matches!(statements.run(&connection, sql, &[], ALL), Some(Attempt::Ran(Ok(_)))), "{sql}");
        }
        statements.settle();
        assert!(matches!(statements.run(&connection, "COMMIT", &[], ALL), Some(Attempt::Ran(Ok(_)))));
        assert!(connection.is_autocommit());
    }

    #[test]
    fn the_end_of_a_long_transaction_runs_elsewhere() {
        let (connection, mut statements) = connection();
        connection.execute_batch("BEGIN").unwrap();
        learn(&connection, &mut statements, "INSERT INTO t SELECT id + 1 FROM t", &[LIMIT]);
        assert!(statements.run(&connection, "COMMIT", &[], ALL).is_none());
        connection.execute_batch("COMMIT; BEGIN").unwrap();
        statements.settle();
        assert!(statements.run(&connection, "COMMIT", &[], ALL).is_some());
    }
}
