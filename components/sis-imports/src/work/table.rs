//! The files of an import as tables, read batch by batch.

use std::time::Instant;

use shared::csv::{Row, Table};
use shared::{Error, Result};

use crate::store::sis_imports::OpenFile;

/// Some rows of a file that follow one another; none at its end.
pub(crate) struct Part {
    pub(crate) rows: Vec<Row>,
    /// Rows that cannot be read: the line where each begins, and the reason.
    pub(crate) unreadable: Vec<(usize, String)>,
    /// The bytes and the lines that are read with them.
    pub(crate) read: (usize, usize),
}

/// Works on a file part by part from where it was left; its end is a part too. False, if there is no time left, or the work on
/// a part says so. `most` is the number of rows of a part.
pub(crate) async fn each_part(
    file: &OpenFile,
    until: Instant,
    most: impl Fn(&Table) -> usize,
    mut work: impl AsyncFnMut(Part) -> Result<bool>,
) -> Result<bool> {
    let mut table = open(file).await?;
    table.resume(file.bytes_read, file.lines_read);
    let most = most(&table);
    loop {
        if Instant::now() >= until {
            return Ok(false);
        }
        let batch = table.batch(most).await?;
        let ended = batch.is_none();
        let part = match batch {
            Some(batch) => {
                Part { rows: batch.rows, unreadable: batch.unreadable, read: (batch.bytes_read, batch.lines_read) }
            }
            None => Part { rows: Vec::new(), unreadable: Vec::new(), read: (file.size, file.lines_read) },
        };
        if !work(part).await? {
            return Ok(false);
        }
        if ended {
            return Ok(true);
        }
    }
}

/// The file at its first row.
async fn open(file: &OpenFile) -> Result<Table> {
    // It could be opened when the import was prepared.
    Table::open(&file.blob, file.size).await?.map_err(|why| Error::internal(anyhow::anyhow!("{}: {why}", file.blob)))
}
