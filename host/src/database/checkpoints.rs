//! From time to time the log is copied into its file, so that it is written over and does not grow.
//!
//! SQLite leaves that to the commit that finds the log long. Here nobody who has asked for something does it: it has a turn of
//! its own among those who write, because what is written meanwhile could not be copied.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::runtime::Handle;

use super::turns::{Owner, Turns};

/// The pages of the log from which on it is copied, as SQLite has it.
const LONG: i32 = 1_000;
/// The pages by which the log grows until it is copied again, if somebody who reads has kept it from being written over.
const STEP: i32 = 250;

/// The copies of one log.
#[derive(Clone, Default)]
pub(super) struct Checkpoints(Arc<State>);

#[derive(Default)]
struct State {
    is_running: AtomicBool,
    /// The length at which the log was copied last.
    copied: AtomicI32,
    /// What copies it, kept because a new connection reads the whole schema first.
    connection: Mutex<Option<Connection>>,
}

impl Checkpoints {
    /// Notes the length of the log after a commit, and has it copied if it is long.
    pub(super) fn note(&self, pages: i32, file: &Path, turns: &Turns, runtime: &Handle) {
        if self.is_due(pages) && !self.0.is_running.swap(true, Ordering::Relaxed) {
            self.0.copied.store(pages, Ordering::Relaxed);
            runtime.spawn(self.clone().run(file.to_owned(), turns.clone()));
        }
    }

    fn is_due(&self, pages: i32) -> bool {
        if pages < self.0.copied.load(Ordering::Relaxed) {
            // It was begun anew.
            self.0.copied.store(0, Ordering::Relaxed);
        }
        pages >= LONG.max(self.0.copied.load(Ordering::Relaxed) + STEP)
    }

    async fn run(self, file: PathBuf, turns: Turns) {
        let turn = turns.queue_up(&Owner::default(), None).wait_on().await;
        let state = self.0.clone();
        let copied = tokio::task::spawn_blocking(move || state.copy(&file)).await;
        drop(turn);
        self.0.is_running.store(false, Ordering::Relaxed);
        if let Ok(Err(error)) = copied {
            tracing::warn!("the log of the database could not be copied into its file: {error}");
        }
    }
}

impl State {
    fn copy(&self, file: &Path) -> rusqlite::Result<()> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => Connection::open(file)?,
        };
        connection.prepare_cached("PRAGMA wal_checkpoint")?.query_row([], |_| Ok(()))?;
        *kept = Some(connection);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::turns::Place;
    use super::*;

    #[test]
    fn a_log_is_copied_when_it_is_long_and_again_when_it_has_grown_or_is_a_new_one() {
        let checkpoints = Checkpoints::default();
        assert!(!checkpoints.is_due(LONG - 1) && checkpoints.is_due(LONG));
        checkpoints.0.copied.store(LONG, Ordering::Relaxed);
        assert!(!checkpoints.is_due(LONG + STEP - 1) && checkpoints.is_due(LONG + STEP));
        assert!(!checkpoints.is_due(1) && checkpoints.is_due(LONG + 1));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_copy_waits_for_its_turn_and_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("checkpoints.db");
        let writer = Connection::open(&file).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (id); INSERT INTO t VALUES (1)").unwrap();
        let log_is_copied = || {
            let pages = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
            let (log, copied) = writer.query_row("PRAGMA wal_checkpoint(NOOP)", [], pages).unwrap();
            log == copied
        };
        let (checkpoints, turns) = (Checkpoints::default(), Turns::default());
        let Place::First(turn) = turns.queue_up(&Owner::default(), None) else { panic!("somebody writes") };
        checkpoints.note(LONG, &file, &turns, &Handle::current());
        checkpoints.note(LONG + STEP, &file, &turns, &Handle::current());
        assert!(!log_is_copied());
        drop(turn);
        while checkpoints.0.is_running.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
        }
        assert!(log_is_copied());
        assert_eq!(checkpoints.0.copied.load(Ordering::Relaxed), LONG);
    }
}
