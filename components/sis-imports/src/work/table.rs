//! The files of an import as tables.

use shared::csv::Table;
use shared::{Error, Result};

use crate::store::sis_imports::OpenFile;

/// The file at its first row.
pub(crate) async fn open(file: &OpenFile) -> Result<Table> {
    // It could be opened when the import was prepared.
    Table::open(&file.blob, file.size).await?.map_err(|why| Error::internal(anyhow::anyhow!("{}: {why}", file.blob)))
}
