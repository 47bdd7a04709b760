//! One connection to a SQLite file, on a thread of its own.
//!
//! SQLite blocks, and a result that its reader has not drained keeps the connection busy. On its own thread neither
//! holds up anyone but the component that caused it. Only [short statements](short_statements) run elsewhere.

mod checkpoints;
mod flushes;
mod rows;
mod short_statements;
mod turns;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;

use futures::future::BoxFuture;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use self::checkpoints::Checkpoints;
use self::flushes::{Commits, Flushes};
pub(crate) use self::rows::{Answer, BATCHES_AHEAD, MAX_ROW_BYTES, Rows, UNREAD, too_large, value_bytes};
use self::rows::{Output, stream};
use self::short_statements::{Attempt, May, ShortStatements};
pub(crate) use self::turns::Owner;
use self::turns::{Turns, Writer};
use crate::bindings::sqlite::{QueryResult, Value};
use crate::writing::Writing;

/// Prepared statements that a connection keeps. To prepare one takes far longer than to run it.
const KEPT_STATEMENTS: usize = 200;

/// A file that has a database.
#[derive(Clone)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    /// True if nobody misses what it has after a loss of power: then nothing waits for the disk.
    is_disposable: bool,
    /// The turns of those who write to it.
    turns: Turns,
    flushes: Flushes,
    checkpoints: Checkpoints,
    writing: Writing,
}

impl DatabaseFile {
    pub(crate) fn new(path: PathBuf, is_disposable: bool) -> Self {
        let (turns, checkpoints) = Default::default();
        let writing = Writing::to_database(&path);
        let flushes = Flushes::of(writing.clone());
        Self { path, is_disposable, turns, flushes, checkpoints, writing }
    }

    pub(crate) fn writing(&self) -> &Writing {
        &self.writing
    }
}

/// The owner of a connection. When it is dropped, the connection finishes its statement, rolls back and closes, on its
/// thread, which is the last to let go of it.
pub(crate) struct Database {
    connection: Arc<Mutex<Connection>>,
    commands: mpsc::Sender<Command>,
}

struct Connection {
    /// Closed, which rolls back, before the turn ends.
    sqlite: rusqlite::Connection,
    short_statements: ShortStatements,
    writer: Writer,
    /// If commits are flushed here and not by SQLite.
    commits: Option<Commits>,
    /// What is known of the writes to the file, if there is one.
    writing: Option<Writing>,
    /// For waiting on the connection's thread.
    runtime: Handle,
}

/// An answer to come. It does not borrow the connection, so that nobody has to keep it in place meanwhile.
pub(crate) type Pending<T> = BoxFuture<'static, Result<T, String>>;

enum Command {
    Execute { sql: String, parameters: Vec<Value>, reply: oneshot::Sender<Answer> },
    LastInsertRowid(oneshot::Sender<i64>),
    Changes(oneshot::Sender<u64>),
}

/// What SQLite says to who has waited in vain for other writers.
const BUSY: &str = "database is locked";
/// What is said of a connection whose thread is gone.
const GONE: &str = "the connection is closed";

impl Database {
    /// Opens the file, or an empty database in memory, for an instance.
    pub(crate) async fn open(file: Option<DatabaseFile>, owner: Owner) -> Result<Self, String> {
        let runtime = Handle::current();
        let (commands, inbox) = mpsc::channel();
        let (opened, result) = oneshot::channel();
        std::thread::Builder::new()
            .name("sqlite".to_owned())
            .spawn(move || match connect(file, owner, runtime) {
                Ok(connection) => {
                    let connection = Arc::new(Mutex::new(connection));
                    if opened.send(Ok(connection.clone())).is_ok() {
                        inbox.iter().for_each(|command| run(&mut lock(&connection), command));
                    }
                }
                Err(error) => _ = opened.send(Err(error.to_string())),
            })
            .map_err(|error| error.to_string())?;
        let connection = result.await.unwrap_or_else(|_closed| Err(GONE.to_owned()))?;
        Ok(Self { connection, commands })
    }

    /// Runs the statement on this thread if it is short, as soon as it is its turn if it writes. Otherwise `None`: it has to be
    /// [executed](Self::execute).
    pub(crate) async fn execute_at_once(&self, sql: &str, parameters: &[Value]) -> Option<Result<QueryResult, String>> {
        let mut attempt = self.idle()?.attempt(sql, parameters)?;
        if let Attempt::NeedsTurn = attempt {
            let place = self.idle()?.writer.queue_up();
            let outcome = place.wait().await;
            let mut connection = self.idle()?;
            if !connection.writer.take(outcome) {
                return Some(Err(BUSY.to_owned()));
            }
            attempt = connection.attempt(sql, parameters)?;
        }
        let Attempt::Ran(result) = attempt else { return None };
        let flushed = self.idle()?.flushed();
        Some(match flushed {
            Some(flushed) => flushed.await.unwrap_or_else(|_gone| Err(GONE.to_owned())).and(result),
            None => result,
        })
    }

    /// The connection, unless its thread has it, while a statement runs there or waits for its rows to be read.
    fn idle(&self) -> Option<MutexGuard<'_, Connection>> {
        self.connection.try_lock().ok()
    }

    /// Runs the first statement in `sql`; what follows it is ignored.
    pub(crate) fn execute(&self, sql: String, parameters: Vec<Value>) -> Pending<Answer> {
        self.ask(|reply| Command::Execute { sql, parameters, reply })
    }

    pub(crate) fn last_insert_rowid(&self) -> Pending<i64> {
        self.ask(Command::LastInsertRowid)
    }

    pub(crate) fn changes(&self) -> Pending<u64> {
        self.ask(Command::Changes)
    }

    fn ask<T: Send + 'static>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Pending<T> {
        let (reply, answer) = oneshot::channel();
        let sent = self.commands.send(command(reply));
        Box::pin(async move {
            sent.map_err(|_closed| GONE.to_owned())?;
            answer.await.map_err(|_closed| GONE.to_owned())
        })
    }
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(file: Option<DatabaseFile>, owner: Owner, runtime: Handle) -> rusqlite::Result<Connection> {
    let (mut sqlite, turns, writing, commits) = match file {
        Some(file) => {
            let mut sqlite = rusqlite::Connection::open(&file.path)?;
            let (turns, writing) = (file.turns.clone(), Some(file.writing.clone()));
            let commits = if file.is_disposable {
                sqlite.pragma_update(None, "synchronous", "OFF")?;
                None
            } else {
                flush_together(&mut sqlite, file, runtime.clone())?
            };
            (sqlite, turns, writing, commits)
        }
        None => (rusqlite::Connection::open_in_memory()?, Turns::default(), None, None),
    };
    sqlite.authorizer(Some(authorize))?;
    sqlite.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
    let short_statements = ShortStatements::of(&mut sqlite)?;
    Ok(Connection { sqlite, short_statements, writer: Writer::new(turns, owner), commits, writing, runtime })
}

/// Lets the connection's commits wait for the disk with those of others.
fn flush_together(
    sqlite: &mut rusqlite::Connection,
    file: DatabaseFile,
    runtime: Handle,
) -> rusqlite::Result<Option<Commits>> {
    let DatabaseFile { turns, flushes, checkpoints, writing, .. } = file;
    Commits::of(sqlite, flushes, move |file, pages| {
        writing.succeeded();
        checkpoints.note(pages, file, &turns, &runtime);
    })
}

/// No other files: a component sees the databases of its manifest. VACUUM attaches a nameless temporary database. And no
/// other rule for the log than that of [`Commits`].
fn authorize(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Attach { filename: "" } => Authorization::Allow,
        AuthAction::Attach { .. }
        | AuthAction::Unknown { code: rusqlite::ffi::SQLITE_ATTACH, .. }
        | AuthAction::Pragma { pragma_name: "wal_autocheckpoint", pragma_value: Some(_) } => Authorization::Deny,
        _ => Authorization::Allow,
    }
}

fn run(connection: &mut Connection, command: Command) {
    match command {
        Command::Execute { sql, parameters, reply } => {
            let (finish, finished) = oneshot::channel();
            let mut output = Output::new(reply, finished);
            let result = connection.query(&sql, &parameters, &mut output);
            let result = result.and(output.finish());
            connection.when_flushed(move |flushed| _ = finish.send(result.and(flushed)));
        }
        Command::LastInsertRowid(reply) => _ = reply.send(connection.sqlite.last_insert_rowid()),
        Command::Changes(reply) => _ = reply.send(connection.sqlite.changes()),
    }
}

impl Connection {
    /// Tries a statement on the thread that asks. `None`: it has to run on the connection's.
    fn attempt(&mut self, sql: &str, parameters: &[Value]) -> Option<Attempt> {
        let may = May { commit: self.commits.is_some(), write: self.writer.has_turn() };
        let attempt = self.short_statements.run(&self.sqlite, sql, parameters, may);
        if let Some(Attempt::Ran(result)) = &attempt {
            self.note(result);
        }
        self.settle();
        attempt
    }

    fn query(&mut self, sql: &str, parameters: &[Value], output: &mut Output) -> Result<(), String> {
        let Self { sqlite, short_statements, writer, runtime, .. } = self;
        let is_in_transaction = !sqlite.is_autocommit();
        let mut run = |statement: &mut rusqlite::Statement<'_>| {
            if !is_in_transaction && !statement.readonly() {
                let outcome = runtime.block_on(writer.queue_up().wait());
                if !writer.take(outcome) {
                    return Err(BUSY.to_owned());
                }
            }
            let began = Instant::now();
            let result = stream(statement, parameters, output);
            short_statements.learn(statement, sql, began.elapsed());
            result
        };
        let result = match sqlite.prepare_cached(sql) {
            Ok(mut statement) => run(&mut statement),
            // rusqlite refuses text after the statement, Spin ignores it.
            Err(error) => match rusqlite::Batch::new(sqlite, sql).next() {
                Ok(Some(mut statement)) => run(&mut statement),
                _ => Err(error.to_string()),
            },
        };
        self.note(&result);
        self.settle();
        result
    }

    /// Notes what a statement tells of whether the file can be written.
    fn note<T>(&self, result: &Result<T, String>) {
        if let Some(writing) = &self.writing {
            writing.note(result);
        }
    }

    /// Does something when the disk has what was committed.
    fn when_flushed(&self, next: impl FnOnce(Result<(), String>) + Send + 'static) {
        match &self.commits {
            Some(commits) => commits.flush(next),
            None => next(Ok(())),
        }
    }

    /// Comes when the disk has what was committed, if something was.
    fn flushed(&self) -> Option<oneshot::Receiver<Result<(), String>>> {
        let commits = self.commits.as_ref().filter(|commits| commits.has_unflushed())?;
        let (sender, flushed) = oneshot::channel();
        commits.flush(move |result| _ = sender.send(result));
        Some(flushed)
    }

    /// Lets others write, unless a transaction goes on.
    fn settle(&mut self) {
        if self.sqlite.is_autocommit() {
            self.short_statements.settle();
            self.writer.end_turn();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn outcome(database: &Database, sql: &str) -> (usize, Result<(), String>) {
        let mut answer = database.execute(sql.to_owned(), Vec::new()).await.unwrap();
        let mut count = 0;
        while !answer.rows.is_finished() {
            count += take(&mut answer, usize::MAX).await;
        }
        (count, answer.finished.await.unwrap())
    }

    async fn take(answer: &mut Answer, most: usize) -> usize {
        std::future::poll_fn(|cx| answer.rows.poll_take(cx, most)).await.len()
    }

    const COUNT_TO_2000: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n";

    #[tokio::test]
    async fn long_results_arrive_whole() {
        let database = Database::open(None, Owner::default()).await.unwrap();
        assert_eq!(outcome(&database, COUNT_TO_2000).await, (2000, Ok(())));
    }

    #[tokio::test]
    async fn an_abandoned_result_does_not_keep_the_connection() {
        let database = Database::open(None, Owner::default()).await.unwrap();
        drop(database.execute(COUNT_TO_2000.to_owned(), Vec::new()).await.unwrap());
        assert_eq!(outcome(&database, "SELECT 1").await, (1, Ok(())));
    }

    #[tokio::test]
    async fn a_connection_is_busy_until_its_result_is_read() {
        let database = Database::open(None, Owner::default()).await.unwrap();
        let mut answer = database.execute(format!("{COUNT_TO_2000} LIMIT 10"), Vec::new()).await.unwrap();
        let next = database.execute("SELECT 1".to_owned(), Vec::new());
        let next = tokio::spawn(next);
        assert_eq!(take(&mut answer, 5).await, 5);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        assert!(!next.is_finished());
        assert_eq!(take(&mut answer, 1).await, 1);
        assert!(next.await.unwrap().is_ok());
        assert_eq!(answer.finished.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn only_the_first_statement_runs() {
        let database = Database::open(None, Owner::default()).await.unwrap();
        for sql in ["CREATE TABLE t (id UNIQUE); DROP TABLE t", "INSERT INTO t VALUES (1); nonsense"] {
            assert_eq!(outcome(&database, sql).await, (0, Ok(())));
        }
        assert_eq!(outcome(&database, "SELECT * FROM t").await, (1, Ok(())));
        assert_eq!(database.changes().await, Ok(1));
        assert_eq!(database.last_insert_rowid().await, Ok(1));
        let (_, error) = outcome(&database, "INSERT INTO t VALUES (1)").await;
        assert_eq!(error, Err("UNIQUE constraint failed: t.id".to_owned()));
    }

    const WRITE: &str = "INSERT INTO t VALUES (2)";

    /// Writes, as often as the file is busy.
    async fn write(database: &Database) -> Result<(), String> {
        loop {
            let (_, result) = outcome(database, WRITE).await;
            if result != Err(BUSY.to_owned()) {
                return result;
            }
        }
    }

    #[tokio::test]
    async fn writers_wait_for_the_end_of_a_transaction_however_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("turns.db");
        let file = DatabaseFile::new(path, true);
        let open = async || Database::open(Some(file.clone()), Owner::default()).await.unwrap();
        let (first, second) = (open().await, open().await);
        for sql in ["PRAGMA busy_timeout = 0", "PRAGMA journal_mode = WAL", "CREATE TABLE t (id)"] {
            outcome(&second, sql).await.1.unwrap();
        }
        for end in ["COMMIT", "ROLLBACK"] {
            outcome(&first, "BEGIN IMMEDIATE").await.1.unwrap();
            let rest = async {
                outcome(&first, "INSERT INTO t VALUES (1)").await.1.unwrap();
                outcome(&first, end).await.1.unwrap();
            };
            let (written, ()) = tokio::join!(write(&second), rest);
            assert_eq!(written, Ok(()), "after {end}");
        }
        outcome(&first, "BEGIN IMMEDIATE").await.1.unwrap();
        assert_eq!(outcome(&second, WRITE).await.1, Err(BUSY.to_owned()));
        let (written, ()) = tokio::join!(write(&second), async { drop(first) });
        assert_eq!(written, Ok(()));
    }

    #[tokio::test]
    async fn a_commit_is_told_when_the_disk_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = DatabaseFile::new(folder.path().join("commits.db"), false);
        let open = async || Database::open(Some(file.clone()), Owner::default()).await.unwrap();
        outcome(&open().await, "PRAGMA journal_mode = WAL").await.1.unwrap();
        let database = open().await;
        let synchronous = database.execute_at_once("PRAGMA synchronous", &[]).await;
        let synchronous = match synchronous {
            Some(result) => result.unwrap().rows,
            None => panic!("not short"),
        };
        assert!(matches!(synchronous.as_slice(), [row] if matches!(row.values.as_slice(), [Value::Integer(1)])));
        for sql in
            ["CREATE TABLE t (id UNIQUE)", "INSERT INTO t VALUES (1)", "BEGIN", "INSERT INTO t VALUES (3)", "COMMIT"]
        {
            assert_eq!(outcome(&database, sql).await.1, Ok(()), "{sql}");
        }
        let many = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
            INSERT INTO t SELECT i FROM n RETURNING id";
        assert_eq!(outcome(&database, many).await, (1_000, Ok(())));
        assert_eq!(outcome(&database, WRITE).await.1, Ok(()));
        assert!(outcome(&database, WRITE).await.1.unwrap_err().contains("UNIQUE"));
        assert_eq!(outcome(&database, "PRAGMA wal_autocheckpoint = 0").await.1, Err("not authorized".to_owned()));
    }

    #[tokio::test]
    async fn a_full_disk_is_known_until_something_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = DatabaseFile::new(folder.path().join("full.db"), false);
        let open = async || Database::open(Some(file.clone()), Owner::default()).await.unwrap();
        outcome(&open().await, "PRAGMA journal_mode = WAL").await.1.unwrap();
        let database = open().await;
        for sql in ["CREATE TABLE t (bytes)", "INSERT INTO t VALUES (1)", "PRAGMA max_page_count = 2"] {
            outcome(&database, sql).await.1.unwrap();
        }
        assert_eq!(file.writing.problem().await, None);
        let full = Err("database or disk is full".to_owned());
        assert_eq!(outcome(&database, "INSERT INTO t VALUES (zeroblob(100000))").await.1, full);
        assert!(file.writing.problem().await.is_some());
        outcome(&database, "SELECT 1").await.1.unwrap();
        assert!(file.writing.problem().await.is_some(), "a read tells nothing");
        outcome(&database, "INSERT INTO t VALUES (2)").await.1.unwrap();
        assert_eq!(file.writing.problem().await, None);
    }

    #[tokio::test]
    async fn other_files_are_out_of_reach() {
        let database = Database::open(None, Owner::default()).await.unwrap();
        for sql in ["ATTACH '/tmp/other.db' AS other", "VACUUM INTO '/tmp/copy.db'", "ATTACH ?1 AS other"] {
            let (_, error) = outcome(&database, sql).await;
            assert!(error.is_err(), "{sql}");
        }
        assert_eq!(outcome(&database, "VACUUM").await, (0, Ok(())));
    }
}
