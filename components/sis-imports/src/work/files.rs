//! The files of an import, read batch by batch: the rows, the messages about them and the place in the file are one
//! transaction.

use std::time::Instant;

use shared::csv::Batch;
use shared::{Db, Result, clock};

use crate::model::comparison::Entry;
use crate::model::note::Note;
use crate::rows::{self, Imported};
use crate::store::sis_imports::{self as store, Claimed, OpenFile, Standing};
use crate::work::differences;
use crate::work::table::open;
use crate::work::target::{author, target};
use crate::work::watch::{LEASE_SECONDS, Watch};

/// Imports the files. False, if there is no time left, or the import is not ours any more.
pub(crate) async fn import_files(db: &Db, import: &Claimed, standing: &Standing, until: Instant) -> Result<bool> {
    while let Some(file) = store::next_file(db, import.id).await? {
        let mut table = open(&file).await?;
        table.resume(file.bytes_read, file.lines_read);
        loop {
            if Instant::now() >= until {
                return Ok(false);
            }
            let batch = table.batch(file.kind.batch(table.columns())).await?;
            let ended = batch.is_none();
            if !import_batch(db, import, standing, &file, batch).await? {
                return Ok(false);
            }
            if ended {
                break;
            }
        }
    }
    Ok(true)
}

/// Imports a batch; the end of a file is one too. False, if the import is not ours any more.
async fn import_batch(
    db: &Db,
    import: &Claimed,
    standing: &Standing,
    file: &OpenFile,
    batch: Option<Batch>,
) -> Result<bool> {
    let whole = (file.size, file.lines_read);
    let (rows, unreadable, read) = match batch {
        Some(batch) => (batch.rows, batch.unreadable, (batch.bytes_read, batch.lines_read)),
        None => (Vec::new(), Vec::new(), whole),
    };
    let named: Vec<_> = rows.iter().map(|row| Entry::of(file.kind, row)).collect();
    let rows = differences::changed(db, standing, file.kind, rows, &named).await?;
    let entries: Vec<_> = rows.iter().map(|row| Entry::of(file.kind, row)).collect();
    let passwords = rows::passwords(db, import, file.kind, &rows, &mut Watch::new(db, import)).await?;
    let author = author(import);
    db.transaction(async |db| {
        let now = clock::now();
        if !store::begin_changes(db, import, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        let into = target(db, import, &author, &passwords);
        let Imported { taken, refused, mut notes } = rows::import(&into, file.kind, &rows).await?;
        differences::note(db, import, standing, file.kind, &named, &entries, &refused).await?;
        notes.extend(unreadable.into_iter().map(|(line, why)| Note::of_line(line, why)));
        let notes = notes.into_iter().map(|note| (file.name.clone(), note)).collect();
        store::add_notes(db, import.id, notes).await?;
        store::advance(db, import, file, read, taken, now).await?;
        Ok(true)
    })
    .await
}
