//! Packages: what was chosen, written as a zip archive straight into the blob store.

mod contents;
mod course;
mod files;
mod library;
mod names;
pub(crate) mod quizzes;
mod references;
mod sink;

use shared::Result;

use crate::bytes::Unnamed;
use crate::limits;
use crate::model::exports::{ExportType, NewIssue, WrittenPackage};
use crate::package::sink::Sink;
use crate::store::jobs::Claimed;
use crate::work::Work;

/// The outcome of an export.
pub(crate) enum Outcome {
    Made(WrittenPackage),
    /// There is no package, for that reason.
    Refused(String),
}

/// Makes the package of an export. Its bytes are there when this ends, and no file names them yet.
pub(crate) async fn make(work: &Work, export: &Claimed, unnamed: &mut Unnamed) -> Result<Outcome> {
    let quota = limits::quota().await?;
    let blob = unnamed.next();
    let mut sink = Sink::new(work, &blob, quota).await?;
    for name in export.settings.0.select.absent() {
        sink.report.note(name, "There is no content of this type here: the package has none");
    }
    let written = match export.export_type {
        ExportType::Zip => files::write(&mut sink, export).await,
        ExportType::Qti | ExportType::CommonCartridge => course::write(&mut sink, export).await,
    };
    let (issues, is_private) = (NewIssue::of(&sink.report), sink.is_private);
    let size = match written {
        Ok(()) => sink.finish().await?,
        Err(_) if sink.is_full() => {
            let most = quota.div_euclid(1024 * 1024);
            return Ok(Outcome::Refused(format!("The package would be too large (maximum is {most} megabytes)")));
        }
        Err(error) => return Err(error),
    };
    let (name, content_type) = (name(export), content_type(export.export_type));
    Ok(Outcome::Made(WrittenPackage { name, content_type, blob, size, issues, is_private }))
}

fn content_type(export_type: ExportType) -> &'static str {
    match export_type {
        ExportType::CommonCartridge => "application/octet-stream",
        ExportType::Qti | ExportType::Zip => "application/zip",
    }
}

/// As the reference system names packages.
fn name(export: &Claimed) -> String {
    let course = names::slug(&export.course_name);
    match (export.export_type, export.context_type.as_str()) {
        (ExportType::CommonCartridge, _) => format!("{course}-export.imscc"),
        (ExportType::Qti, _) => format!("{course}-quiz-export.zip"),
        (ExportType::Zip, "Course") => "course_files_export.zip".to_owned(),
        (ExportType::Zip, "Group") => "group_files_export.zip".to_owned(),
        (ExportType::Zip, _) => "user_files_export.zip".to_owned(),
    }
}
