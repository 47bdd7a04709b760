//! Backups of databases with the real schema: in files, in Redis, and on a server that treats its clients as a real one does.

mod files;
mod redis;
mod servers;

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::{DatabasePlace, Installation, StorePlace};

const VERSION: &str = "0.0.0";
const CHUNK: usize = 256 * 1024;

/// An installation in a folder.
struct World {
    folder: TempDir,
}

impl World {
    /// A folder without data.
    fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with the schema of this release, and a file of two chunks.
    fn with_a_file() -> Self {
        let world = Self::empty();
        make_tables(&world.database());
        world.add("first", CHUNK + 1);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn database_path(&self) -> PathBuf {
        self.path("sqlite_db.db")
    }

    fn store_path(&self) -> PathBuf {
        self.path("sqlite_key_value.db")
    }

    fn installation(&self) -> Installation {
        Installation { database: DatabasePlace::File(self.database_path()), store: StorePlace::File(self.store_path()) }
    }

    fn database(&self) -> Connection {
        let database = Connection::open(self.database_path()).unwrap();
        database.busy_timeout(Duration::from_secs(15)).unwrap();
        database.execute_batch("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON").unwrap();
        database
    }

    fn store(&self) -> Connection {
        let store = Connection::open(self.store_path()).unwrap();
        store.busy_timeout(Duration::from_secs(15)).unwrap();
        let table = "CREATE TABLE IF NOT EXISTS spin_key_value (
            store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key))";
        store.execute_batch(table).unwrap();
        store
    }

    fn add(&self, name: &str, size: usize) {
        add(&self.database(), &self.store(), name, size);
    }

    fn names(&self) -> Vec<String> {
        names(&self.database())
    }
}

/// Brings an empty database to the schema of this release.
fn make_tables(database: &Connection) {
    let sql =
        [include_str!("../../../shared/database/schema.sql"), include_str!("../../../shared/database/first_rows.sql")];
    database.execute_batch(&format!("BEGIN; {} COMMIT", sql.concat())).unwrap();
    database.pragma_update(None, "user_version", crate::SCHEMA).unwrap();
}

/// The keys and values of a file.
fn chunks(name: &str, size: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let value = move |index: usize| vec![7_u8; CHUNK.min(size - index * CHUNK)];
    (0..size.div_ceil(CHUNK)).map(move |index| (format!("blob/files/{name}/{index}"), value(index)))
}

/// Stores a file in two files as the application does.
fn add(database: &Connection, store: &Connection, name: &str, size: usize) {
    add_row(database, name, size, || {
        for chunk in chunks(name, size) {
            let set = "INSERT INTO spin_key_value (store, key, value) VALUES ('default', ?1, ?2)";
            store.execute(set, chunk).unwrap();
        }
    });
}

/// Stores a file: a row for its bytes, the bytes, and then the row that names them.
fn add_row(database: &Connection, name: &str, size: usize, store_bytes: impl FnOnce()) {
    let blob = format!("files/{name}");
    let row = "INSERT INTO blobs (name, size, touched_at) VALUES (?1, ?2, '2026-01-01T00:00:00Z')";
    let bytes = i64::try_from(size).unwrap();
    database.execute(row, (&blob, bytes)).unwrap();
    store_bytes();
    let file = "INSERT INTO attachments (root_account_id, context_type, context_id, filename, display_name, content_type, size,
            blob, uuid, created_at, modified_at, updated_at)
        VALUES (1, 'User', 1, ?1, ?1, 'text/plain', ?2, ?3, ?1, '2026', '2026', '2026')";
    database.execute(file, (name, bytes, blob)).unwrap();
}

/// Removes a file from two files as the application does.
fn remove(database: &Connection, store: &Connection, name: &str) {
    remove_row(database, name, || {
        let delete = "DELETE FROM spin_key_value WHERE key LIKE 'blob/files/' || ?1 || '/%'";
        store.execute(delete, (name,)).unwrap();
    });
}

/// Removes a file: first nothing names its bytes any more, and then they go.
fn remove_row(database: &Connection, name: &str, remove_bytes: impl FnOnce()) {
    database.execute("DELETE FROM attachments WHERE filename = ?1", (name,)).unwrap();
    let blob = format!("files/{name}");
    database.execute("UPDATE blobs SET removing = 1 WHERE name = ?1", (&blob,)).unwrap();
    remove_bytes();
    database.execute("DELETE FROM blobs WHERE name = ?1", (&blob,)).unwrap();
}

fn names(database: &Connection) -> Vec<String> {
    let mut statement = database.prepare("SELECT filename FROM attachments ORDER BY id").unwrap();
    let names = statement.query_map((), |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}
