//! A package of files, in the folders in which they lie.

use shared::Result;
use shared::error::OrNotFound;

use crate::package::names::Names;
use crate::package::sink::{EACH, Sink};
use crate::store::content;
use crate::store::jobs::Claimed;

const REPORT: &str = "export-report.txt";

/// Writes the files that were chosen. Folders are kept, empty ones too.
pub(crate) async fn write(sink: &mut Sink<'_>, export: &Claimed) -> Result<()> {
    let owner = export.owner().or_not_found()?;
    let settings = &export.settings.0;
    let which = content::ContentFilter::of(&settings.select, settings.sees_all, sink.work.now());
    let folders = content::folders(&sink.work.db, owner, &which).await?;
    let files = content::files(&sink.work.db, owner, &which).await?;
    let bytes: u64 = files.iter().map(|file| u64::try_from(file.size).unwrap_or_default()).sum();
    let each = u64::try_from(files.len()).unwrap_or_default().saturating_mul(EACH);
    sink.expect(bytes, each)?;
    let mut names = Names::default();
    for folder in &folders {
        let parts: Vec<_> = folder.path.split('/').collect();
        match names.folder("", &parts) {
            Some(path) => sink.add_folder(&path).await?,
            None => sink.report.note(&folder.path, "The name of the folder is too long, or that of another"),
        }
    }
    for file in &files {
        let path = names.path("", &file.names(), file.id);
        if path != file.path() {
            sink.report.note(file.path(), format!("Its name in this package is {path}"));
        }
        sink.add_stored(&path, file).await?;
    }
    if !sink.report.is_empty() {
        let report = sink.report.to_string();
        let path = names.path("", &[REPORT], 0);
        sink.add(&path, report.as_bytes()).await?;
    }
    Ok(())
}
