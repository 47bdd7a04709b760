//! The places of an installation, opened.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OpenFlags};

use crate::DatabasePlace;
use crate::rows::Reader;

/// The time for which a statement waits for the writers of a running application.
const PATIENCE: Duration = Duration::from_secs(15);

/// Opens a file that is there.
pub(crate) fn open_file(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags);
    let connection = connection.with_context(|| format!("cannot open {}", path.display()))?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

impl DatabasePlace {
    /// Opens the database to read it.
    ///
    /// # Errors
    /// Fails where there is none.
    pub(crate) fn reader(&self) -> Result<Reader> {
        match self {
            Self::File(path) => {
                ensure!(path.is_file(), "there is no database {}", path.display());
                Ok(Reader::File(open_file(path)?))
            }
            Self::Server(server) => Ok(Reader::Server(server.connect()?)),
        }
    }

    /// True if it has no table.
    pub(crate) async fn is_empty(&self) -> Result<bool> {
        if matches!(self, Self::File(path) if !path.exists()) {
            return Ok(true);
        }
        let tables =
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'";
        Ok(self.reader()?.number(tables).await? == 0)
    }
}
