//! Packages that come in: read within limits, prepared, and stored all at once.
//!
//! The faults of a package are told in issues. A package that breaks a limit, or cannot be read, brings nothing, and
//! leaves nothing behind.

mod dates;
mod fields;
mod items;
pub(crate) mod places;
pub(crate) mod prepare;
pub(crate) mod quizzes;
pub(crate) mod references;
mod restrictions;
mod room;
pub(crate) mod rows;
mod source;
pub(crate) mod stop;
mod texts;

use std::collections::BTreeMap;

use content_packages::archive::{Archive, Limits};
use content_packages::files_meta::Restriction;
use content_packages::import::{self, Import, course_path};
use content_packages::model::Report;
use shared::date_shift::Shifter;
use shared::error::OrNotFound;
use shared::files::require_name;
use shared::ids::AttachmentId;
use shared::live_events::Cause;
use shared::{Error, blob, files};

use crate::bytes::Unnamed;
use crate::import::places::{NoPlace, Place, Places};
use crate::import::prepare::NewFile;
use crate::import::source::Stored;
use crate::import::stop::{Outcome, Stop};
use crate::store::import as store;
use crate::store::import_jobs::Claimed;
use crate::work::Work;

/// The exporter's report on a package is no file of a course.
const REPORT: &str = "export-report.txt";
const QUIZZES_ALONE: &str = "qti_converter";
/// The bytes that a record is worth in the progress.
const WRITING: u64 = 1024 * 1024;

const TOO_MANY_FOLDERS: &str = "The package has too many folders";

type Result<T, E = Stop> = std::result::Result<T, E>;

/// Reads the package of a migration, and stores what is in it. Tools are told of its files where there is a cause to name.
pub(crate) async fn run(work: &Work, migration: &Claimed, cause: Option<&Cause>) -> shared::Result<Outcome> {
    let mut written = Unnamed::default();
    let brought = Box::pin(bring(work, migration, cause, &mut written)).await;
    let is_in_doubt = matches!(&brought, Err(Stop::Failed(error)) if error.is_in_doubt());
    if brought.is_err() && !is_in_doubt {
        written.discard().await;
    }
    match brought {
        Ok(()) => Ok(Outcome::Stored),
        Err(Stop::Refused(reason)) => Ok(Outcome::Refused(reason)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

async fn bring(work: &Work, migration: &Claimed, cause: Option<&Cause>, written: &mut Unnamed) -> Result<()> {
    if migration.course_is_gone {
        return Err(Stop::refused("The course has been deleted"));
    }
    let package = files::attachment(&work.db, AttachmentId(migration.attachment_id)).await?.or_not_found()?;
    let size = u64::try_from(package.size).map_err(Error::internal)?;
    let archive = Archive::open(Stored::new(package.blob, size), Limits::default()).await?;
    let mut import = read(migration, &archive).await?;
    if let Some(shift) = &migration.settings.0.date_shift {
        dates::shift(&mut import, &Shifter::of(&work.db, shift.clone(), migration.course_id).await?);
    }
    let top = store::top(&work.db, migration).await?.ok_or_else(|| Stop::refused("The folder has been deleted"))?;
    let mut report = Report::default();
    let mut places = Places::below(top.depth);
    let placed = placed(migration, &import, &mut places, &mut report)?;
    let bytes: u64 = placed.keys().filter_map(|path| archive.size(path)).sum();
    store::require_room(&work.db, migration.course_id, i64::try_from(bytes).unwrap_or(i64::MAX)).await?;
    work.expect(bytes.saturating_add(WRITING));
    let mut files = unpacked(work, &archive, placed, written).await?;
    let mut folders = places.into_folders();
    restrictions::set(&import.files_meta, &mut folders, &mut files, &mut report);
    let first = store::reserve_ids(&work.db, files.len()).await?;
    let prepared = prepare::prepare(work, migration, import, files, first, report).await?;
    store::everything(work, migration, top, folders, prepared, written, cause).await
}

async fn read(migration: &Claimed, archive: &Archive<Stored>) -> Result<Import> {
    if migration.brings_files_alone() {
        let files: Vec<_> = archive.paths().map(str::to_owned).collect();
        return match files.is_empty() {
            true => Err(Stop::refused("The archive has no files")),
            false => Ok(Import { files, ..Import::default() }),
        };
    }
    let import = import::read(archive).await?;
    match is_empty(migration, &import) {
        true => Err(Stop::Refused(why_nothing(&import.report))),
        false => Ok(import),
    }
}

/// True if the package has nothing of what it was sent for: files alone are no quizzes.
fn is_empty(migration: &Claimed, import: &Import) -> bool {
    let has_quizzes = !import.quizzes.is_empty() || !import.banks.is_empty();
    let has_texts = !import.pages.is_empty() || !import.assignments.is_empty();
    let has_files = !import.files.is_empty() || !import.files_meta.folders.is_empty();
    let files_count = migration.migration_type != QUIZZES_ALONE && !import.has_newer_quizzes;
    !(has_quizzes || has_texts || (files_count && has_files))
}

/// The reason why there is nothing: it could not be read.
fn why_nothing(report: &Report) -> String {
    const NOTHING: &str = "The package has nothing that can be imported";
    const TOLD: usize = 3;
    let notes: Vec<_> = report.notes.iter().take(TOLD).map(ToString::to_string).collect();
    if notes.is_empty() { NOTHING.to_owned() } else { format!("{NOTHING}: {}", notes.join("; ")) }
}

/// The files that are unpacked, by their paths in the package, and where they will lie.
fn placed(
    migration: &Claimed,
    import: &Import,
    places: &mut Places,
    report: &mut Report,
) -> Result<BTreeMap<String, Place>> {
    let is_archive = migration.brings_files_alone();
    let mut placed = BTreeMap::new();
    for path in import.files.iter().filter(|path| is_archive || path.as_str() != REPORT) {
        let wished = if is_archive { path.clone() } else { wished_path(import, path) };
        match places.place(&wished) {
            Ok(place) => drop(placed.insert(path.clone(), place)),
            Err(NoPlace::TooLong) => report.note(path, "The name of this file is too long, or it lies too deep"),
            Err(NoPlace::NoName) => report.note(path, "This file has no name that a course takes"),
            Err(NoPlace::TooManyFolders) => return Err(Stop::refused(TOO_MANY_FOLDERS)),
        }
    }
    // Those without a file that comes are named there alone.
    for path in import.files_meta.folders.keys() {
        match places.nested(path) {
            Ok(_) => {}
            Err(NoPlace::TooLong | NoPlace::NoName) => {
                report.note(path, "The name of this folder is too long, or it lies too deep");
            }
            Err(NoPlace::TooManyFolders) => return Err(Stop::refused(TOO_MANY_FOLDERS)),
        }
    }
    Ok(placed)
}

/// The path that a file is to have in the course, by that in the package, which does not take every name.
fn wished_path(import: &Import, path: &str) -> String {
    let name = import.files_meta.files.get(path).and_then(|own| own.name.as_deref());
    let name = name.and_then(|name| require_name(name).ok());
    let path = course_path(path);
    match (name, path.rsplit_once('/')) {
        (None, _) => path.to_owned(),
        (Some(name), Some((folder, _))) => format!("{folder}/{name}"),
        (Some(name), None) => name.to_owned(),
    }
}

/// The files with their bytes in the blob store.
async fn unpacked(
    work: &Work,
    archive: &Archive<Stored>,
    placed: BTreeMap<String, Place>,
    written: &mut Unnamed,
) -> Result<Vec<NewFile>> {
    let mut files = Vec::with_capacity(placed.len());
    for (path, place) in placed {
        let blob = written.next();
        let mut writer = blob::Writer::new(&blob).await?;
        let mut bytes = archive.stream(&path)?;
        while let Some(piece) = bytes.next().await? {
            writer.write(&piece).await?;
            work.advance(u64::try_from(piece.len()).unwrap_or_default()).await?;
        }
        let size = i64::try_from(writer.finish().await?).map_err(Error::internal)?;
        let content_type = mime_guess::from_path(&place.name).first_or_octet_stream().to_string();
        files.push(NewFile { path, place, content_type, blob, size, restriction: Restriction::default() });
    }
    Ok(files)
}
