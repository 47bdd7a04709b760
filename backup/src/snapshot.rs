//! A copy of the database as it is at one moment, in a file, while others write.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::place::open_file;
use crate::{DatabasePlace, server};

/// Pages that are copied at once.
const PAGES: i32 = 4096;
const PAUSE: Duration = Duration::from_millis(5);

/// How often a copy is begun anew that the server has cut off.
const TRIES: usize = 3;

/// Copies the database into a new file.
pub(crate) async fn take(from: &DatabasePlace, to: &Path) -> Result<()> {
    match from {
        DatabasePlace::File(path) => copy_file(path, to),
        DatabasePlace::Server(far) => {
            let mut tried = 1;
            loop {
                let mut file = new_file(to)?;
                match server::download(&far.connect()?, &mut file).await {
                    Err(_) if tried < TRIES => tried += 1,
                    ended => return ended,
                }
            }
        }
    }
}

/// Copies a file by pages, all of them of the one moment at which the read transaction began: in WAL mode nobody waits for a
/// reader, and what is written meanwhile goes to the log. Pages are copied as they are, so that rows keep their numbers.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    anyhow::ensure!(from.is_file(), "there is no database {}", from.display());
    let source = open_file(from)?;
    source.execute_batch("BEGIN")?;
    let _tables: i64 = source.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    let mut copy = new_file(to)?;
    let backup = Backup::new(&source, &mut copy)?;
    loop {
        match backup.step(PAGES)? {
            StepResult::Done => break,
            StepResult::More => {}
            // Nobody else has the copy, and writers do not lock readers out: but for the recovery of a log.
            _ => std::thread::sleep(PAUSE),
        }
    }
    drop(backup);
    source.execute_batch("COMMIT")?;
    // One file, without a log beside it.
    let mode: String = copy.query_row("PRAGMA journal_mode = DELETE", (), |row| row.get(0))?;
    anyhow::ensure!(mode == "delete", "the copy is in the mode {mode}");
    copy.close().map_err(|(_, error)| error).context("cannot close the copy")
}

fn new_file(path: &Path) -> Result<Connection> {
    if path.exists() {
        std::fs::remove_file(path)?;
    }
    Connection::open(path).with_context(|| format!("cannot write {}", path.display()))
}
