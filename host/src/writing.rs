//! Whether a file with data can be written, by what the last writes to it have met: who asks costs no write.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OpenFlags};

/// What SQLite says where nobody can write: the disk is full, broken, or read-only.
const FAILURES: [&str; 3] = ["database or disk is full", "attempt to write a readonly database", "disk I/O error"];
/// The time after a failure, and after a trial in vain, until a trial.
const PAUSE: Duration = Duration::from_secs(1);
/// The room that a disk must have again: the write of a trial is a small one, which often fits where no other does.
const ROOM: u64 = 1 << 20;

/// What is known of the writes to a file.
#[derive(Clone)]
pub(crate) struct Writing(Arc<State>);

struct State {
    file: PathBuf,
    /// What it holds, as the application calls it where it says what it lacks.
    part: &'static str,
    /// What it holds, and that it cannot be written, in words that tell strangers nothing.
    words: &'static str,
    /// True if there is a failure.
    fails: AtomicBool,
    failure: Mutex<Option<Failure>>,
}

struct Failure {
    /// When it was met, or when a write was tried after it.
    at: Instant,
    /// True if it stays until the next start.
    is_final: bool,
}

impl Writing {
    pub(crate) fn to_database(file: &Path) -> Self {
        Self::to(file, "database", "database (it cannot be written)")
    }

    pub(crate) fn to_store(file: &Path) -> Self {
        Self::to(file, "blobs", "blobs (the key-value store cannot be written)")
    }

    fn to(file: &Path, part: &'static str, words: &'static str) -> Self {
        let (fails, failure) = Default::default();
        Self(Arc::new(State { file: file.to_owned(), part, words, fails, failure }))
    }

    /// What the file holds: `database` or `blobs`.
    pub(crate) fn part(&self) -> &'static str {
        self.0.part
    }

    /// Notes what a statement has met, if it tells that nobody can write.
    pub(crate) fn note<T>(&self, result: &Result<T, String>) {
        if let Err(error) = result
            && FAILURES.iter().any(|failure| error.contains(failure))
        {
            self.fail(error, false);
        }
    }

    /// Notes that nothing will be written until the next start.
    pub(crate) fn give_up(&self, cause: &str) {
        self.fail(cause, true);
    }

    /// Notes that something was written.
    pub(crate) fn succeeded(&self) {
        if self.0.fails.load(Ordering::Relaxed) {
            let mut failure = self.failure();
            if failure.take_if(|failure| !failure.is_final).is_some() {
                self.0.fails.store(false, Ordering::Relaxed);
                tracing::warn!("{} can be written again", self.0.file.display());
            }
        }
    }

    fn fail(&self, cause: &str, is_final: bool) {
        let mut failure = self.failure();
        let is_final = is_final || failure.as_ref().is_some_and(|failure| failure.is_final);
        if failure.replace(Failure { at: Instant::now(), is_final }).is_none() {
            self.0.fails.store(true, Ordering::Relaxed);
            tracing::error!("{} cannot be written: {cause}", self.0.file.display());
        }
    }

    /// What is the matter, if the last write has failed. Where nobody has written since, a write is tried that changes nothing.
    pub(crate) async fn problem(&self) -> Option<&'static str> {
        if self.is_to_be_tried() {
            let file = self.0.file.clone();
            if let Ok(Ok(())) = tokio::task::spawn_blocking(move || try_to_write(&file)).await {
                self.succeeded();
            }
        }
        self.0.fails.load(Ordering::Relaxed).then_some(self.0.words)
    }

    fn is_to_be_tried(&self) -> bool {
        if !self.0.fails.load(Ordering::Relaxed) {
            return false;
        }
        let mut failure = self.failure();
        let due = failure.as_mut().filter(|failure| !failure.is_final && failure.at.elapsed() >= PAUSE);
        due.map(|failure| failure.at = Instant::now()).is_some()
    }

    fn failure(&self) -> MutexGuard<'_, Option<Failure>> {
        self.0.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the number that the file has for its schema as it is.
fn try_to_write(file: &Path) -> Result<()> {
    let disk = rustix::fs::statvfs(file)?;
    ensure!(disk.f_bavail.saturating_mul(disk.f_frsize) >= ROOM, "the disk is full");
    let mut connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(PAUSE)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let number: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    transaction.pragma_update(None, "user_version", number)?;
    Ok(transaction.commit()?)
}

/// Fails where a file that is there may not be written: SQLite would open it all the same, and refuse every write.
///
/// # Errors
/// Says what to do about it.
pub(crate) fn require_writable(file: &Path) -> Result<()> {
    match std::fs::OpenOptions::new().write(true).open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).with_context(|| {
            format!(
                "cannot write {}: it must belong to the user who serves, on a disk that is not read-only",
                file.display()
            )
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("written.db");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA user_version = 7; CREATE TABLE t (id)").unwrap();
        (folder, file)
    }

    fn refused(words: &str) -> Result<(), String> {
        Err(format!("the statement failed: {words}"))
    }

    /// As if the failure were long ago.
    fn wait(writing: &Writing) {
        if let Some(failure) = writing.failure().as_mut() {
            failure.at = Instant::now().checked_sub(PAUSE).unwrap();
        }
    }

    #[tokio::test]
    async fn a_write_that_the_disk_refuses_is_told_until_one_succeeds() {
        let (_folder, file) = database();
        let writing = Writing::to_database(&file);
        writing.note(&refused("UNIQUE constraint failed: t.id"));
        writing.note(&refused("database is locked"));
        assert_eq!(writing.problem().await, None);
        for words in FAILURES {
            writing.note(&refused(words));
            assert_eq!(writing.problem().await, Some("database (it cannot be written)"), "{words}");
            writing.succeeded();
            assert_eq!(writing.problem().await, None);
        }
    }

    #[tokio::test]
    async fn where_nobody_writes_a_write_is_tried_that_changes_nothing() {
        let (folder, file) = database();
        let (writing, gone) = (Writing::to_store(&file), Writing::to_store(&folder.path().join("gone.db")));
        for writing in [&writing, &gone] {
            writing.note(&refused(FAILURES[0]));
            assert!(writing.problem().await.is_some(), "tried at once");
            wait(writing);
        }
        assert_eq!((writing.problem().await, gone.problem().await.is_some()), (None, true));
        let connection = Connection::open(&file).unwrap();
        let number: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(number, 7);
        assert!(!folder.path().join("gone.db").exists());
    }

    #[tokio::test]
    async fn while_others_hold_the_lock_nothing_is_known() {
        let (_folder, file) = database();
        let writing = Writing::to_database(&file);
        let other = Connection::open(&file).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        writing.note(&refused(FAILURES[0]));
        wait(&writing);
        assert!(writing.problem().await.is_some());
    }

    #[tokio::test]
    async fn a_log_that_the_disk_has_refused_is_no_more_until_the_next_start() {
        let (_folder, file) = database();
        let writing = Writing::to_database(&file);
        writing.give_up("no space");
        writing.note(&refused(FAILURES[0]));
        writing.succeeded();
        wait(&writing);
        assert!(writing.problem().await.is_some());
    }

    #[test]
    fn what_may_not_be_written_is_told_before_the_first_write() {
        let (folder, file) = database();
        require_writable(&file).unwrap();
        require_writable(&folder.path().join("new.db")).unwrap();
        let error = require_writable(folder.path()).unwrap_err().to_string();
        assert!(error.contains("must belong to the user"), "{error}");
    }
}
