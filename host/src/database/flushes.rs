//! Commits that wait for the disk together.
//!
//! SQLite waits for the disk within each commit, while nobody else can write. Here a commit ends when its log is written, and
//! is told of when the disk has it: one flush serves all who have committed before it begins. Others can read a change
//! earlier than that, by the time of a flush.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use crate::writing::Writing;

/// The flushes of one file, on a thread of their own.
#[derive(Clone)]
pub(super) struct Flushes {
    waiting: Arc<OnceLock<Sender<Done>>>,
    writing: Writing,
}

/// Tells somebody how the flush ended.
type Done = Box<dyn FnOnce(Result<(), String>) + Send>;

impl Flushes {
    /// Those of a file: one that fails is a failure of all later writes to it.
    pub(super) fn of(writing: Writing) -> Self {
        Self { waiting: Arc::default(), writing }
    }

    /// Tells when the disk has everything that is in the log now.
    fn ask(&self, log: &Path, done: Done) {
        let waiting = self.waiting.get_or_init(|| {
            let (sender, waiting) = mpsc::channel();
            let (log, writing) = (log.to_owned(), self.writing.clone());
            let flush = move || write(&log).inspect_err(|error| writing.give_up(&error.to_string()));
            // Without the thread nobody takes what is sent.
            let _handle = Builder::new().name("flush".to_owned()).spawn(move || serve(&waiting, flush));
            sender
        });
        if let Err(mpsc::SendError(done)) = waiting.send(done) {
            done(Err("there is no thread that writes to the disk".to_owned()));
        }
    }
}

/// One flush after another, each for all who have asked before it.
fn serve(waiting: &Receiver<Done>, flush: impl Fn() -> io::Result<()>) {
    let mut result = Ok(());
    while let Ok(first) = waiting.recv() {
        let served: Vec<_> = std::iter::once(first).chain(waiting.try_iter()).collect();
        // After a failure the kernel may take for written what is not, so no later flush tells anything.
        if result.is_ok() {
            result = flush().map_err(|error| format!("the disk has refused the log of the database: {error}"));
            if let Err(error) = &result {
                tracing::error!("until the next start no write succeeds: {error}");
            }
        }
        served.into_iter().for_each(|done| done(result.clone()));
    }
}

/// The log is opened anew because the last connection to a file removes it, once all of it is in the file and on the disk.
fn write(log: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(log) {
        Ok(log) => log.sync_data(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a connection has committed.
pub(super) struct Commits {
    log: PathBuf,
    flushes: Flushes,
    /// True if something is committed that has not been flushed.
    is_unflushed: Arc<AtomicBool>,
}

impl Commits {
    /// Lets the connection commit without waiting for the disk; `committed` hears how many pages the log has then. `None` if
    /// the file has no write-ahead log: then SQLite waits by itself.
    pub(super) fn of(
        connection: &mut Connection,
        flushes: Flushes,
        committed: impl Fn(&Path, i32) + Send + 'static,
    ) -> rusqlite::Result<Option<Self>> {
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        // SQLite's own path, because the log lies beside the file to which a link leads.
        let Some(file) = connection.path().filter(|_| mode == "wal").map(PathBuf::from) else {
            return Ok(None);
        };
        let mut log = file.clone().into_os_string();
        log.push("-wal");
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let is_unflushed = Arc::new(AtomicBool::new(false));
        let has_committed = is_unflushed.clone();
        connection.wal_hook(Some(move |_: &mut Wal, pages| {
            has_committed.store(true, Ordering::Relaxed);
            committed(&file, pages);
            Ok(())
        }))?;
        Ok(Some(Self { log: log.into(), flushes, is_unflushed }))
    }

    pub(super) fn has_unflushed(&self) -> bool {
        self.is_unflushed.load(Ordering::Relaxed)
    }

    /// Tells when the disk has what the connection has committed.
    pub(super) fn flush(&self, done: impl FnOnce(Result<(), String>) + Send + 'static) {
        if self.is_unflushed.swap(false, Ordering::Relaxed) {
            self.flushes.ask(&self.log, Box::new(done));
        } else {
            done(Ok(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Mutex;

    use super::*;

    /// Answers in the order in which they were given.
    type Answers = Arc<Mutex<Vec<(u32, Result<(), String>)>>>;

    /// Someone who waits, by a number.
    fn waiting(answers: &Answers, number: u32) -> Done {
        let answers = answers.clone();
        Box::new(move |result| answers.lock().unwrap().push((number, result)))
    }

    #[test]
    fn one_flush_serves_all_who_have_asked_before_it_and_none_who_asks_meanwhile() {
        let (asked, to_do) = mpsc::channel();
        let (answers, flushes) = (Answers::default(), Cell::new(0));
        (1..=3).for_each(|number| asked.send(waiting(&answers, number)).unwrap());
        let asked = Cell::new(Some(asked));
        serve(&to_do, || {
            flushes.set(flushes.get() + 1);
            if let Some(asked) = asked.take() {
                asked.send(waiting(&answers, 4)).unwrap();
                assert_eq!(*answers.lock().unwrap(), [], "nobody is told before the end");
            } else {
                assert_eq!(answers.lock().unwrap().len(), 3);
            }
            Ok(())
        });
        assert_eq!(flushes.get(), 2);
        assert_eq!(*answers.lock().unwrap(), [1, 2, 3, 4].map(|number| (number, Ok(()))));
    }

    #[test]
    fn after_a_failure_nothing_is_told_to_be_written() {
        let (asked, to_do) = mpsc::channel();
        let (answers, flushes) = (Answers::default(), Cell::new(0));
        asked.send(waiting(&answers, 1)).unwrap();
        let asked = Cell::new(Some(asked));
        serve(&to_do, || {
            flushes.set(flushes.get() + 1);
            asked.take().unwrap().send(waiting(&answers, 2)).unwrap();
            Err(io::Error::other("no space"))
        });
        assert_eq!(flushes.get(), 1);
        let error = Err("the disk has refused the log of the database: no space".to_owned());
        assert_eq!(*answers.lock().unwrap(), [(1, error.clone()), (2, error)]);
    }

    #[test]
    fn a_log_that_is_gone_is_in_the_file_and_any_other_failure_is_one() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(&folder.path().join("gone.db-wal")).is_ok());
        assert!(write(folder.path()).is_err());
    }

    fn flushes() -> Flushes {
        Flushes::of(Writing::to_database(Path::new("flushes.db")))
    }

    #[test]
    fn only_what_has_reached_the_log_is_flushed() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(folder.path().join("flushes.db")).unwrap();
        assert!(Commits::of(&mut connection, flushes(), |_, _| {}).unwrap().is_none(), "no log");
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (id)").unwrap();
        let commits = Commits::of(&mut connection, flushes(), |_, _| {}).unwrap().unwrap();
        let is_flushed_after = |sql: &str| {
            connection.execute_batch(sql).unwrap();
            let is_unflushed = commits.is_unflushed.load(Ordering::Relaxed);
            let (sender, flushed) = mpsc::channel();
            commits.flush(move |result| sender.send(result).unwrap());
            assert_eq!(flushed.recv().unwrap(), Ok(()));
            is_unflushed
        };
        assert!(is_flushed_after("INSERT INTO t VALUES (1)"));
        assert!(!is_flushed_after("BEGIN; INSERT INTO t VALUES (2)"));
        assert!(is_flushed_after("COMMIT"));
        for sql in ["SELECT * FROM t", "UPDATE t SET id = 3 WHERE id = 4", "BEGIN; INSERT INTO t VALUES (3); ROLLBACK"]
        {
            assert!(!is_flushed_after(sql), "{sql}");
        }
        assert!(is_flushed_after("DROP TABLE t"));
    }

    #[cfg(unix)]
    #[test]
    fn the_log_is_found_beside_the_file_to_which_a_link_leads() {
        let (folder, links) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (file, link) = (folder.path().join("file.db"), links.path().join("link.db"));
        Connection::open(&file).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut connection = Connection::open(&link).unwrap();
        let commits = Commits::of(&mut connection, flushes(), |_, _| {}).unwrap().unwrap();
        connection.execute_batch("CREATE TABLE t (id)").unwrap();
        assert!(commits.log.exists());
    }
}
