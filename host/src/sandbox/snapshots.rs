//! Snapshots: the database and the key-value store, page by page in memory, with the clock and whom the sandbox knows.
//!
//! Restoring is the same way back, into the files of the application that runs. The gate is closed meanwhile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use http::StatusCode;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde::Serialize;

use crate::sandbox::clock::{self, Reading};
use crate::sandbox::inbox::Settings;
use crate::sandbox::people::People;
use crate::sandbox::reply::Problem;

/// How often, and after which pause, a file is looked at again that somebody else has locked.
const LOOKS: usize = 500;
const PAUSE: Duration = Duration::from_millis(10);
/// What snapshots may take of the memory before there is another one.
const MAX_BYTES: u64 = 1 << 30;

/// The files of the application.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) database: PathBuf,
    pub(super) store: PathBuf,
}

impl Files {
    /// The files in a state folder, where Spin has them too.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { database: folder.join("sqlite_db.db"), store: folder.join("sqlite_key_value.db") }
    }

    /// Copies what another folder has, as it is at the moment: somebody may use it.
    pub(super) fn copy_from(&self, other: &Self) -> Result<()> {
        for (from, to) in [(&other.database, &self.database), (&other.store, &self.store)] {
            if from.is_file() {
                let from = Connection::open(from).with_context(|| from.display().to_string())?;
                copy(&from, &mut Connection::open(to)?)?;
            }
        }
        Ok(())
    }
}

/// What was kept.
pub(super) struct Snapshot {
    pub(super) name: String,
    at: DateTime<Utc>,
    bytes: u64,
    pages: Arc<Mutex<Pages>>,
    pub(super) memory: Memory,
}

/// What the sandbox itself remembers, beside the files of the application.
#[derive(Clone, Default)]
pub(super) struct Memory {
    pub(super) clock: Reading,
    pub(super) people: People,
    pub(super) inboxes: BTreeMap<String, Settings>,
}

/// Databases in memory.
struct Pages {
    database: Connection,
    store: Connection,
}

/// A snapshot as the API of the sandbox tells of it.
#[derive(Serialize)]
pub(super) struct Shown {
    /// The same as the name: by it a snapshot is restored.
    id: String,
    name: String,
    bytes: u64,
    at: String,
}

impl Snapshot {
    /// Keeps what the files have now.
    pub(super) async fn take(name: &str, files: &Files, memory: Memory) -> Result<Self> {
        let files = files.clone();
        let pages = tokio::task::spawn_blocking(move || {
            let mut pages = Pages { database: Connection::open_in_memory()?, store: Connection::open_in_memory()? };
            copy(&Connection::open(&files.database)?, &mut pages.database)?;
            copy(&Connection::open(&files.store)?, &mut pages.store)?;
            anyhow::Ok(pages)
        });
        let pages = pages.await?.context("the data cannot be kept")?;
        let bytes = size(&pages.database)?.saturating_add(size(&pages.store)?);
        let pages = Arc::new(Mutex::new(pages));
        Ok(Self { name: name.to_owned(), at: Utc::now(), bytes, pages, memory })
    }

    /// Puts back what was kept. Tokens with these ids stay, as far as their users are there; answers which do.
    pub(super) async fn put_back(&self, files: &Files, kept_tokens: Vec<i64>) -> Result<Vec<i64>> {
        let (pages, files) = (self.pages.clone(), files.clone());
        let restored = tokio::task::spawn_blocking(move || {
            let pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
            let mut database = open_disposable(&files.database)?;
            let tokens = Tokens::read(&database, &kept_tokens)?;
            copy(&pages.database, &mut database)?;
            copy(&pages.store, &mut open_disposable(&files.store)?)?;
            tokens.write(&mut database)
        });
        restored.await?.context("the snapshot cannot be restored")
    }

    pub(super) fn show(&self) -> Shown {
        Shown { id: self.name.clone(), name: self.name.clone(), bytes: self.bytes, at: clock::text(self.at) }
    }
}

/// Opens a file without waiting for the disk later.
fn open_disposable(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    Ok(connection)
}

/// Copies all pages.
fn copy(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    for _ in 0..LOOKS {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked => std::thread::sleep(PAUSE),
            _ => {}
        }
    }
    bail!("somebody else has locked the data")
}

fn size(connection: &Connection) -> Result<u64> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(u64::try_from(pages.saturating_mul(bytes))?)
}

/// Rows of tokens that shall outlive a restoration.
struct Tokens {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Tokens {
    fn read(database: &Connection, ids: &[i64]) -> Result<Self> {
        let mut statement = database.prepare("SELECT * FROM access_tokens WHERE id = ?1")?;
        let columns: Vec<_> = statement.column_names().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for id in ids {
            let row = statement.query_row((id,), |row| (0..columns.len()).map(|at| row.get(at)).collect());
            rows.extend(row.optional()?);
        }
        Ok(Self { columns, rows })
    }

    /// Adds those that are not there; answers the ids of those that are there then, with the user that they had.
    fn write(&self, database: &mut Connection) -> Result<Vec<i64>> {
        let place = |name: &str| self.columns.iter().position(|column| column == name);
        let (id, user) = place("id").zip(place("user_id")).context("tokens have no user")?;
        let values = vec!["?"; self.columns.len()].join(", ");
        let insert = format!("INSERT OR IGNORE INTO access_tokens ({}) VALUES ({values})", self.columns.join(", "));
        let transaction = database.transaction()?;
        let mut kept = Vec::new();
        for row in &self.rows {
            let (Some(Value::Integer(id)), Some(Value::Integer(user))) = (row.get(id), row.get(user)) else { continue };
            let is_there: bool =
                transaction
                    .query_row("SELECT EXISTS (SELECT 1 FROM users WHERE id = ?1)", (user,), |row| row.get(0))?;
            if !is_there {
                continue;
            }
            transaction.prepare_cached(&insert)?.execute(params_from_iter(row))?;
            let is_the_users = "SELECT EXISTS (SELECT 1 FROM access_tokens WHERE id = ?1 AND user_id = ?2)";
            if transaction.query_row(is_the_users, (id, user), |row| row.get(0))? {
                kept.push(*id);
            }
        }
        transaction.commit()?;
        Ok(kept)
    }
}

/// All snapshots, in the order in which they were made.
#[derive(Default)]
pub(super) struct Snapshots(Mutex<Vec<Arc<Snapshot>>>);

impl Snapshots {
    /// Keeps a snapshot in the place of one with the same name.
    pub(super) fn insert(&self, snapshot: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.name != snapshot.name);
        all.push(snapshot.clone());
        snapshot
    }

    /// Fails where those of other names fill the memory that they may have.
    pub(super) fn require_room(&self, name: &str) -> Result<(), Problem> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = all.iter().filter(|other| other.name != name).map(|other| other.bytes);
        match others.fold(0, u64::saturating_add) {
            0..MAX_BYTES => Ok(()),
            bytes => Err(Problem::new(
                StatusCode::CONFLICT,
                format!("snapshots are kept in memory, and have {} MB: delete one first", bytes >> 20),
            )),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Snapshot>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|snapshot| snapshot.name == name).cloned()
    }

    /// Forgets a snapshot; false if there is none of that name.
    pub(super) fn remove(&self, name: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.retain(|snapshot| snapshot.name != name);
        all.len() < before
    }

    pub(super) fn list(&self) -> Vec<Shown> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|snapshot| snapshot.show()).collect()
    }
}

/// The time that something took, in whole milliseconds.
pub(super) fn milliseconds_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "CREATE TABLE users (id INTEGER PRIMARY KEY);
        CREATE TABLE access_tokens (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), purpose TEXT);
        INSERT INTO users VALUES (1), (2);
        INSERT INTO access_tokens VALUES (1, 1, 'first');";

    fn state() -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path());
        let database = Connection::open(&files.database).unwrap();
        database.pragma_update(None, "journal_mode", "WAL").unwrap();
        database.execute_batch(SCHEMA).unwrap();
        Connection::open(&files.store).unwrap().execute_batch("CREATE TABLE kv (key, value)").unwrap();
        (folder, files)
    }

    fn numbers(files: &Files, sql: &str) -> Vec<i64> {
        let database = Connection::open(&files.database).unwrap();
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[tokio::test]
    async fn everything_is_as_it_was_for_connections_that_were_open_all_the_time() {
        let (_folder, files) = state();
        let (database, store) = (Connection::open(&files.database).unwrap(), Connection::open(&files.store).unwrap());
        store.execute_batch("INSERT INTO kv VALUES ('a', 1)").unwrap();
        let snapshot = Snapshot::take("start", &files, Memory::default()).await.unwrap();
        for round in 0..3 {
            database.execute("INSERT INTO users VALUES (?1)", (10 + round,)).unwrap();
            store.execute("UPDATE kv SET value = ?1", (20 + round,)).unwrap();
            snapshot.put_back(&files, Vec::new()).await.unwrap();
            let users: i64 = database.query_row("SELECT count(*) FROM users", (), |row| row.get(0)).unwrap();
            let value: i64 = store.query_row("SELECT value FROM kv", (), |row| row.get(0)).unwrap();
            assert_eq!((users, value), (2, 1), "round {round}");
        }
    }

    #[tokio::test]
    async fn tokens_that_are_kept_stay_where_their_user_does() {
        let (_folder, files) = state();
        let snapshot = Snapshot::take("start", &files, Memory::default()).await.unwrap();
        let later = "INSERT INTO users VALUES (3);
            INSERT INTO access_tokens VALUES (2, 2, 'kept'), (3, 3, 'of a user who goes'), (4, 2, 'not kept')";
        Connection::open(&files.database).unwrap().execute_batch(later).unwrap();
        let kept = snapshot.put_back(&files, vec![1, 2, 3, 9]).await.unwrap();
        assert_eq!(kept, [1, 2]);
        assert_eq!(numbers(&files, "SELECT id FROM access_tokens ORDER BY id"), [1, 2]);
        assert_eq!(numbers(&files, "SELECT id FROM users ORDER BY id"), [1, 2]);
    }

    fn empty(name: &str, bytes: u64) -> Snapshot {
        let nothing = || Connection::open_in_memory().unwrap();
        let pages = Arc::new(Mutex::new(Pages { database: nothing(), store: nothing() }));
        Snapshot { name: name.to_owned(), at: Utc::now(), bytes, pages, memory: Memory::default() }
    }

    #[test]
    fn a_name_stands_for_the_last_snapshot_that_got_it() {
        let snapshots = Snapshots::default();
        snapshots.insert(empty("start", 1));
        snapshots.insert(empty("start", 2));
        assert_eq!(snapshots.list().iter().map(|shown| shown.bytes).collect::<Vec<_>>(), [2]);
        assert!(snapshots.get("start").is_some() && snapshots.remove("start") && !snapshots.remove("start"));
    }

    #[test]
    fn snapshots_do_not_fill_the_memory() {
        let snapshots = Snapshots::default();
        snapshots.insert(empty("start", MAX_BYTES / 2));
        snapshots.require_room("graded").unwrap();
        snapshots.insert(empty("graded", MAX_BYTES / 2));
        assert!(snapshots.require_room("late").unwrap_err().to_string().contains("delete one"));
        snapshots.require_room("graded").unwrap();
        snapshots.remove("graded");
        snapshots.require_room("late").unwrap();
    }
}
