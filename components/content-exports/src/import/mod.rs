//! Packages that come in: read within limits, and stored all at once.
//!
//! What is wrong with a package is told in issues. A package that breaks a limit, or cannot be read, brings nothing.

mod source;
pub(crate) mod texts;

use std::collections::BTreeMap;

use content_packages::archive::{Archive, Limits};
use content_packages::import::{self, Import, course_path};
use content_packages::model::Report;
use shared::error::OrNotFound;
use shared::files::Owner;
use shared::ids::AttachmentId;
use shared::{Error, Result, blob, files};

use crate::jobs::Work;
use crate::store::import::{self as store, NewFile};
use crate::store::import_jobs::Claimed;
use source::Stored;

/// What the exporter tells about a package is no file of a course.
const REPORT: &str = "export-report.txt";
/// What is worth as much as so many bytes in the progress.
const WRITING: u64 = 1024 * 1024;

/// What came of a package.
pub(crate) enum Outcome {
    /// Everything is stored, and the migration is ended.
    Stored,
    /// The package is refused, for that reason.
    Refused(String),
}

/// Reads the package of a migration, and stores what is in it.
pub(crate) async fn run(work: &Work, migration: &Claimed) -> Result<Outcome> {
    let package = files::attachment(&work.db, AttachmentId(migration.attachment_id)).await?.or_not_found()?;
    let size = u64::try_from(package.size).map_err(Error::internal)?;
    let source = Stored::new(package.blob, size);
    let archive = match Archive::open(source, Limits::default()).await {
        Ok(archive) => archive,
        Err(error) => return refusal(error),
    };
    let import = match import::read(&archive).await {
        Ok(import) => import,
        Err(error) => return refusal(error),
    };
    if is_empty(&import) {
        return Ok(Outcome::Refused(why_nothing(&import.report)));
    }
    let bytes: u64 = import.files.iter().filter_map(|path| archive.size(path)).sum();
    if bytes > room(work, migration).await? {
        return Ok(Outcome::Refused("The files of the package have no room in the course".to_owned()));
    }
    work.expect(bytes.saturating_add(WRITING));
    let mut report = Report::default();
    let unpacked = match unpacked(work, &archive, &import, &mut report).await {
        Ok(unpacked) => unpacked,
        Err(Failure::Package(error)) => return refusal(error),
        Err(Failure::Ours(error)) => return Err(error),
    };
    store::everything(work, migration, import, unpacked, report).await?;
    Ok(Outcome::Stored)
}

fn is_empty(import: &Import) -> bool {
    import.quizzes.is_empty()
        && import.banks.is_empty()
        && import.pages.is_empty()
        && import.assignments.is_empty()
        && import.files.is_empty()
}

/// What could not be read is why there is nothing.
fn why_nothing(report: &Report) -> String {
    const NOTHING: &str = "The package has nothing that can be imported";
    const TOLD: usize = 3;
    let notes: Vec<_> = report.notes.iter().take(TOLD).map(ToString::to_string).collect();
    if notes.is_empty() { NOTHING.to_owned() } else { format!("{NOTHING}: {}", notes.join("; ")) }
}

/// How many bytes of files the course still takes.
async fn room(work: &Work, migration: &Claimed) -> Result<u64> {
    let used = files::used(&work.db, Owner::Course(migration.course_id)).await?;
    Ok(u64::try_from(files::quota().await?.saturating_sub(used)).unwrap_or_default())
}

/// Why a file could not be unpacked.
enum Failure {
    Package(content_packages::error::Error),
    Ours(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<content_packages::error::Error> for Failure {
    fn from(error: content_packages::error::Error) -> Self {
        Self::Package(error)
    }
}

/// The files of the package, each with its bytes in the blob store, by their paths in the package.
async fn unpacked(
    work: &Work,
    archive: &Archive<Stored>,
    import: &Import,
    report: &mut Report,
) -> Result<BTreeMap<String, NewFile>, Failure> {
    let mut unpacked = BTreeMap::new();
    for path in import.files.iter().filter(|path| path.as_str() != REPORT) {
        let blob = blob::new_name("file");
        let mut writer = blob::Writer::new(&blob).await?;
        let mut bytes = archive.stream(path)?;
        while let Some(piece) = bytes.next().await? {
            writer.write(&piece).await?;
            work.advance(u64::try_from(piece.len()).unwrap_or_default()).await?;
        }
        let size = i64::try_from(writer.finish().await?).map_err(Error::internal)?;
        let content_type = mime_guess::from_path(path).first_or_octet_stream().to_string();
        let (folder, name) = course_path(path).rsplit_once('/').unwrap_or(("", course_path(path)));
        if name.chars().count() > files::LONGEST_NAME || folder.split('/').count() > files::DEEPEST_FOLDER {
            report.note(path, "The name of this file is too long, or it lies too deep");
            continue;
        }
        let file = NewFile { folder: folder.to_owned(), name: name.to_owned(), content_type, blob, size };
        unpacked.insert(path.clone(), file);
    }
    Ok(unpacked)
}

/// What is wrong with the package is its maker's business; all else is ours, and may work the next time.
fn refusal(error: content_packages::error::Error) -> Result<Outcome> {
    match error.is_refusal() {
        true => Ok(Outcome::Refused(error.to_string())),
        false => Err(Error::internal(error)),
    }
}
