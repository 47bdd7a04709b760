//! Backups of an installation while it runs: one archive with the database and the bytes of files, its restoration, and checks
//! of what is there.
//!
//! Bytes are written before the row that names them, and removed after it. So a backup reads the database first, as it was at
//! one moment, and then copies the bytes that it names. What was removed in between is noticed, and then the database is read
//! once more. A restoration goes the other way: bytes first, then the database in one step, then what nothing names is removed.
//! Whatever breaks off leaves the old state or the new one, and at worst bytes that nothing names.

mod archive;
mod blobs;
mod check;
mod place;
mod restoration;
mod rows;
mod server;
mod snapshot;
mod store;
mod taking;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use archive::{Manifest, Part};
pub use check::{Depth, Report, check};
pub use restoration::restore;
pub use taking::{Destination, back_up};

/// The number of migrations of this release: the version of its schema.
pub const SCHEMA: i64 = include!(concat!(env!("OUT_DIR"), "/migration_count"));

/// Where the data of an installation are.
pub struct Installation {
    /// The database.
    pub database: DatabasePlace,
    /// The key-value store, which has the bytes of files.
    pub store: StorePlace,
}

/// Where a database is.
pub enum DatabasePlace {
    /// A SQLite file.
    File(PathBuf),
    /// A libSQL server.
    Server(libsql::Database),
}

/// Where a key-value store is.
pub enum StorePlace {
    /// A SQLite file with the table of Spin's own store.
    File(PathBuf),
    /// The address of a Redis server.
    Redis(String),
}
