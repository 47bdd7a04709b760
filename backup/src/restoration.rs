//! Restoring a backup: bytes first, then the database in one step, then what nothing names any more is removed.
//!
//! The step that counts is one rename, or on a server the end of one transaction. Names of blobs are used once, so more of
//! them harm nobody: before that step the installation is the old one, and after it the new one, whenever it breaks off.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, ErrorCode};

use crate::archive::{self, BLOBS, DATABASE, Manifest};
use crate::place::open_file;
use crate::store::Store;
use crate::{DatabasePlace, Installation, StorePlace, server};

/// The ends of the names of the files that SQLite keeps beside a database.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The folder in which the archive is unpacked, beside the files that it replaces.
const UNPACKED: &str = "restoring";

/// Restores an archive, on places that no application uses. `-` reads it from standard input. Places that have data are refused
/// unless `replace` says that these may go.
///
/// # Errors
/// Tells what is wrong with the archive before anything has changed. If it breaks off later, the old data or the new are
/// there whole, and the same call can be made again.
pub async fn restore(archive: &Path, to: &Installation, replace: bool) -> Result<Manifest> {
    require_room(to, replace).await?;
    let restoration = Restoration::prepare(archive, to)?;
    restoration.add_bytes(to).await?;
    restoration.replace_database(to).await?;
    restoration.remove_others(to).await?;
    Ok(restoration.manifest)
}

/// Fails where there are data that may not go.
async fn require_room(to: &Installation, replace: bool) -> Result<()> {
    if replace {
        return Ok(());
    }
    let says = "there are data already; --replace puts the backup in their place, and they are gone then";
    ensure!(to.database.is_empty().await?, "the database is not empty: {says}");
    let mut store = Store::open(&to.store).await?;
    ensure!(store.lengths().await?.is_empty(), "the key-value store is not empty: {says}");
    Ok(())
}

/// An archive that is unpacked and found to be whole.
pub(crate) struct Restoration {
    /// Removed with this value. What a crash has left is removed by the next restoration.
    folder: Unpacked,
    /// What the archive holds.
    pub(crate) manifest: Manifest,
}

struct Unpacked(PathBuf);

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _stays_behind = std::fs::remove_dir_all(&self.0);
    }
}

impl Restoration {
    /// Unpacks the archive and looks at all of it. Nothing else changes.
    pub(crate) fn prepare(archive: &Path, to: &Installation) -> Result<Self> {
        let input: Box<dyn Read> = if archive == Path::new("-") {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(BufReader::new(File::open(archive).with_context(|| format!("cannot read {}", archive.display()))?))
        };
        let parent = match (&to.database, &to.store) {
            (DatabasePlace::File(path), _) | (_, StorePlace::File(path)) => archive::folder_of(path),
            _ => std::env::temp_dir(),
        };
        let path = parent.join(match &to.database {
            DatabasePlace::File(_) => UNPACKED.to_owned(),
            DatabasePlace::Server(_) => format!("{UNPACKED}-{}", std::process::id()),
        });
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        create_private(&path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        let folder = Unpacked(path);
        let manifest = archive::unpack(input, &folder.0)?;
        let restoration = Self { folder, manifest };
        restoration.verify()?;
        Ok(restoration)
    }

    fn part(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    fn verify(&self) -> Result<()> {
        let database = open_file(&self.part(DATABASE))?;
        let answer: String = database.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
        ensure!(answer == "ok", "the database in the archive is damaged: {answer}");
        let schema: i64 = database.query_row("PRAGMA user_version", (), |row| row.get(0))?;
        ensure!(
            schema == self.manifest.schema,
            "the database in the archive has the schema {schema}, unlike its manifest"
        );
        let bytes = open_file(&self.part(BLOBS))?;
        let answer: String = bytes.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
        ensure!(answer == "ok", "the bytes in the archive are damaged: {answer}");
        Ok(())
    }

    async fn bytes(&self) -> Result<Store> {
        Store::open(&StorePlace::File(self.part(BLOBS))).await
    }

    /// Adds the bytes to those that are there.
    pub(crate) async fn add_bytes(&self, to: &Installation) -> Result<()> {
        if let StorePlace::File(path) = &to.store {
            std::fs::create_dir_all(archive::folder_of(path))?;
        }
        let mut bytes = self.bytes().await?;
        let mut store = Store::open_to_write(&to.store).await?;
        store.require_own()?;
        let keys: Vec<_> = bytes.lengths().await?.into_keys().collect();
        store.copy_from(&mut bytes, &keys).await
    }

    /// Puts the database in the place of the one before.
    pub(crate) async fn replace_database(&self, to: &Installation) -> Result<()> {
        let unpacked = self.part(DATABASE);
        match &to.database {
            DatabasePlace::Server(far) => server::upload(&open_file(&unpacked)?, &far.connect()?).await,
            DatabasePlace::File(path) => {
                end_log(path)?;
                use_log(&unpacked)?;
                std::fs::rename(&unpacked, path).with_context(|| format!("cannot replace {}", path.display()))?;
                archive::sync_folder(&archive::folder_of(path))
            }
        }
    }

    /// Removes the bytes that the archive does not have.
    pub(crate) async fn remove_others(&self, to: &Installation) -> Result<()> {
        let kept = self.bytes().await?.lengths().await?;
        let mut store = Store::open_to_write(&to.store).await?;
        let others = store.lengths().await?.into_keys().filter(|key| !kept.contains_key(key));
        store.delete(&others.collect::<Vec<_>>()).await
    }
}

/// Sees to it that nobody has the old database open, and that no log is left of it: another file with its log would be damaged
/// by that. One that is damaged itself is no obstacle.
fn end_log(path: &Path) -> Result<()> {
    let in_use = "the database is in use: stop the application first";
    if path.exists() {
        let database = open_file(path)?;
        database.busy_timeout(Duration::from_secs(1))?;
        let busy = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0));
        let is_damaged = busy.as_ref().is_err_and(|error| {
            matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        });
        if !is_damaged {
            ensure!(busy.context("the log of the database cannot be ended")? == 0, "{in_use}");
            database.close().map_err(|(_, error)| error)?;
            // The last to close a database removes its log.
            ensure!(!LOGS.iter().any(|end| beside(path, end).exists()), "{in_use}");
        }
    }
    // The log of a database that is damaged, or that somebody has removed.
    for log in LOGS.iter().map(|end| beside(path, end)).filter(|log| log.exists()) {
        std::fs::remove_file(log)?;
    }
    Ok(())
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Sets the mode that the application has set for the old one; the file keeps it.
fn use_log(path: &Path) -> Result<()> {
    let database: Connection = open_file(path)?;
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
    ensure!(mode == "wal", "the database stays in the mode {mode}");
    database.close().map_err(|(_, error)| error)?;
    File::open(path)?.sync_all()?;
    Ok(())
}

/// A folder for its owner alone.
fn create_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}
