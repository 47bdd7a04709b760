//! The files of an import, read batch by batch: the rows, the messages about them and the place in the file are one
//! transaction.

use std::time::Instant;

use shared::csv::Table;
use shared::{Db, Result, clock};

use crate::model::comparison::Entry;
use crate::model::note::Note;
use crate::rows::{self, Imported};
use crate::store::sis_imports::{self as store, Claimed, OpenFile, Standing};
use crate::work::differences;
use crate::work::table::{Part, each_part};
use crate::work::target::{author, target};
use crate::work::watch::{LEASE_SECONDS, Watch};

/// Imports the files. False, if there is no time left, or the import is not ours any more.
pub(crate) async fn import_files(db: &Db, import: &Claimed, standing: &Standing, until: Instant) -> Result<bool> {
    while let Some(file) = store::next_file(db, import.id).await? {
        let most = |table: &Table| file.kind.batch(table.columns());
        let work = async |part| import_part(db, import, standing, &file, part).await;
        if !each_part(&file, until, most, work).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Imports a part of a file. False, if the import is not ours any more.
async fn import_part(db: &Db, import: &Claimed, standing: &Standing, file: &OpenFile, part: Part) -> Result<bool> {
    let Part { rows, unreadable, read } = part;
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
