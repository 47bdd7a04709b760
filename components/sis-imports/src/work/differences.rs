//! Imports of a data set: of rows that earlier ones have applied only those that differ are applied, and rows that are gone
//! are ended.
//!
//! The data set keeps what was applied, not the files of an import: a row that was refused is tried again, and what an
//! aborted import has done counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use shared::csv::Row;
use shared::{Db, Result, clock};

use crate::model::comparison::{Comparison, DataSetId, Entry, exceeds};
use crate::model::kind::Kind;
use crate::model::note::Note;
use crate::rows::{self, Imported, Passwords, Target};
use crate::store::data_sets::{self, GoneRow};
use crate::store::sis_imports::{self as store, Claimed, File, OpenFile, Standing};
use crate::work::table::{Part, each_part};
use crate::work::target;
use crate::work::watch::LEASE_SECONDS;

/// The number of rows that are compared, or of rows that are gone and ended, in one transaction.
const COMPARED_ROWS: usize = 500;
const GONE_ROWS: usize = 100;

/// Decides with what an import is compared. `db` is in a transaction.
pub(crate) async fn begin(db: &Db, import: &Claimed, files: &[File]) -> Result<()> {
    let options = &import.options.0;
    let Some(identifier) = options.diffing_data_set_identifier.as_deref().filter(|_| !files.is_empty()) else {
        return Ok(());
    };
    let set = data_sets::data_set(db, import.root_account_id, identifier).await?;
    let bytes: usize = files.iter().map(|file| file.size).sum();
    let is_too_different = options.change_threshold.is_some_and(|threshold| exceeds(threshold, bytes, set.bytes));
    let comparison = match set.sis_import_id {
        None => Comparison::Whole,
        Some(_) if options.diffing_remaster => Comparison::Whole,
        Some(_) if is_too_different => {
            let why = "Diffing not performed because file size difference exceeded threshold";
            store::add_note(db, import.id, Note::of_import(why.to_owned())).await?;
            Comparison::None
        }
        Some(_) if options.diff_row_count_threshold.is_some() => Comparison::Counting,
        Some(_) => Comparison::Difference,
    };
    let is_compared = matches!(comparison, Comparison::Counting | Comparison::Difference);
    let against = set.sis_import_id.filter(|_| is_compared);
    Ok(data_sets::begin(db, import.id, set.id, comparison, against).await?)
}

/// Counts the rows that differ, where there may only be so many. False, if there is no time left, or the import is not ours
/// any more.
pub(crate) async fn count(db: &Db, import: &Claimed, until: Instant) -> Result<bool> {
    let standing = store::standing(db, import.id).await?;
    let (Some(Comparison::Counting), Some(set)) = (standing.comparison, standing.data_set_id) else {
        return Ok(true);
    };
    while let Some(file) = store::next_file_to_compare(db, import.id).await? {
        let work = async |part| count_part(db, import, set, &file, part).await;
        if !each_part(&file, until, |_| COMPARED_ROWS, work).await? {
            return Ok(false);
        }
    }
    decide(db, import, set).await
}

async fn count_part(db: &Db, import: &Claimed, set: DataSetId, file: &OpenFile, part: Part) -> Result<bool> {
    let Part { rows, read, .. } = part;
    let named: Vec<_> = rows.iter().map(|row| Entry::of(file.kind, row)).collect();
    db.transaction(async |db| {
        if !store::keep(db, import, clock::now().plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        let known = data_sets::are_known(db, set, file.kind, &named).await?;
        data_sets::mark(db, set, import.id, file.kind, &identities(&named)).await?;
        let differences = known.into_iter().filter(|is_known| !is_known).count();
        data_sets::advance(db, import.id, file.id, read, differences).await?;
        Ok(true)
    })
    .await
}

/// All rows are compared: only the difference is applied, unless there is too much of it.
async fn decide(db: &Db, import: &Claimed, set: DataSetId) -> Result<bool> {
    let Standing { differences, kinds, .. } = store::standing(db, import.id).await?;
    let gone = data_sets::count_gone(db, set, import.id, &kinds.0).await?;
    let threshold = import.options.0.diff_row_count_threshold.map(i64::from);
    db.transaction(async |db| {
        if !store::keep(db, import, clock::now().plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        if threshold.is_some_and(|threshold| differences.saturating_add(gone) > threshold) {
            let why = "Diffing not performed because difference row count exceeded threshold";
            store::add_note(db, import.id, Note::of_import(why.to_owned())).await?;
            data_sets::begin(db, import.id, set, Comparison::None, None).await?;
        } else {
            data_sets::apply_difference(db, import.id).await?;
        }
        Ok(true)
    })
    .await
}

/// The rows that are to be applied: those that differ, or all.
pub(crate) async fn changed(
    db: &Db,
    standing: &Standing,
    kind: Kind,
    rows: Vec<Row>,
    named: &[Entry],
) -> Result<Vec<Row>> {
    let (Some(set), Some(Comparison::Difference)) = (standing.data_set(), standing.comparison) else {
        return Ok(rows);
    };
    let known = data_sets::are_known(db, set, kind, named).await?;
    let mut times = BTreeMap::<&str, usize>::new();
    for entry in named {
        *times.entry(&entry.identity).or_default() += 1;
    }
    // Of several rows about the same record the last one counts, also where it says what was so before the others.
    let is_alone = |entry: &Entry| times.get(entry.identity.as_str()) == Some(&1);
    let changed = rows.into_iter().zip(named.iter().zip(known));
    Ok(changed.filter(|(_, (entry, is_known))| !(*is_known && is_alone(entry))).map(|(row, _)| row).collect())
}

/// Notes the rows that the import names, and those of them that were applied: not those that were refused. `db` is in a
/// transaction.
pub(crate) async fn note(
    db: &Db,
    import: &Claimed,
    standing: &Standing,
    kind: Kind,
    named: &[Entry],
    rows: &[Entry],
    refused: &BTreeSet<usize>,
) -> Result<()> {
    let Some(set) = standing.data_set() else { return Ok(()) };
    let applied = rows.iter().enumerate().filter(|(place, _)| !refused.contains(place));
    let applied: Vec<_> = applied.map(|(_, entry)| entry).collect();
    if !applied.is_empty() {
        data_sets::note(db, set, import.id, kind, &applied).await?;
    }
    if !named.is_empty() {
        data_sets::mark(db, set, import.id, kind, &identities(named)).await?;
    }
    Ok(())
}

fn identities(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.identity.as_str()).collect()
}

/// Ends what the rows were about that are gone; where all rows were applied these are forgotten only. Records that name
/// others go before those. False, if there is no time left, or the import is not ours any more.
pub(crate) async fn end(db: &Db, import: &Claimed, standing: &Standing, until: Instant) -> Result<bool> {
    let Some(set) = standing.data_set() else { return Ok(true) };
    if !store::is_read_whole(db, import.id).await? {
        return warn_of_unread(db, import).await;
    }
    for kind in standing.kinds.0.iter().rev() {
        loop {
            if Instant::now() >= until {
                return Ok(false);
            }
            let gone = data_sets::gone(db, set, import.id, *kind, GONE_ROWS).await?;
            if gone.is_empty() {
                break;
            }
            if !end_some(db, import, standing, set, *kind, gone).await? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Says that rows that could not be read keep others from being ended.
pub(crate) async fn warn_of_unread(db: &Db, import: &Claimed) -> Result<bool> {
    let why = "Nothing was removed, because not all files and rows could be read";
    db.transaction(async |db| {
        if !store::keep(db, import, clock::now().plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        store::add_note(db, import.id, Note::of_import(why.to_owned())).await?;
        Ok(true)
    })
    .await
}

async fn end_some(
    db: &Db,
    import: &Claimed,
    standing: &Standing,
    set: DataSetId,
    kind: Kind,
    gone: Vec<GoneRow>,
) -> Result<bool> {
    let ends = standing.comparison == Some(Comparison::Difference);
    let status = match kind {
        Kind::Enrollments => import.options.0.diffing_drop_status.unwrap_or_default().word(),
        Kind::Users => import.options.0.diffing_user_remove_status.unwrap_or_default().word(),
        _ => "deleted",
    };
    let gone = gone.into_iter().map(|row| (row.identity, Row::kept(0, row.content.0, "status", status)));
    let (identities, rows): (Vec<String>, Vec<Row>) = gone.unzip();
    let author = target::author(import);
    db.transaction(async |db| {
        let now = clock::now();
        if !store::begin_changes(db, import, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        let passwords = Passwords::default();
        let into = Target { ends_gone: true, ..target::target(db, import, &author, &passwords) };
        let (refused, notes) = match ends {
            true => {
                let Imported { refused, notes, .. } = rows::import(&into, kind, &rows).await?;
                (refused, notes)
            }
            false => (BTreeSet::new(), Vec::new()),
        };
        let names = |is_refused: bool| -> Vec<&str> {
            let places = identities.iter().enumerate();
            places.filter(|(place, _)| refused.contains(place) == is_refused).map(|(_, name)| name.as_str()).collect()
        };
        data_sets::forget(db, set, kind, &names(false)).await?;
        // What cannot be ended now is tried again by the next import.
        data_sets::mark(db, set, import.id, kind, &names(true)).await?;
        let notes = notes.into_iter().map(|note| (String::new(), note)).collect();
        store::add_notes(db, import.id, notes).await?;
        store::end_changes(db, import, now).await?;
        Ok(true)
    })
    .await
}
