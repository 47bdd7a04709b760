//! The way of the files of a package: into a zip archive, and with it piece by piece into the blob store.

use content_packages::model::Report;
use content_packages::pack::{Method, Packer};
use futures::StreamExt;
use shared::{Error, Result, blob};

use crate::store::content::StoredFile;
use crate::work::Work;

/// The bytes that a record is worth in the progress: a file costs something however small it is.
pub(crate) const EACH: u64 = 4096;

/// A package that is being written.
pub(crate) struct Sink<'a> {
    pub(crate) work: &'a Work,
    /// The parts that could not be written as they are.
    pub(crate) report: Report,
    /// True if something is in it that only who asked for it may read, and not everybody who sees exports of the course.
    pub(crate) is_private: bool,
    packer: Box<Packer>,
    blob: blob::Writer,
    /// The number of bytes that the package may have.
    limit: u64,
    is_full: bool,
}

impl<'a> Sink<'a> {
    pub(crate) async fn new(work: &'a Work, name: &str, limit: i64) -> Result<Self> {
        let blob = blob::Writer::new(name).await?;
        let limit = u64::try_from(limit).unwrap_or_default();
        let (report, packer) = (Report::default(), Box::default());
        Ok(Self { work, report, is_private: false, packer, blob, limit, is_full: false })
    }

    /// True if more was to be written than the package may have.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Tells how much is to be done, of which so many bytes are of files. An error where these are too many.
    pub(crate) fn expect(&mut self, bytes: u64, rest: u64) -> Result<()> {
        self.work.expect(bytes.saturating_add(rest));
        self.require_room_for(bytes)
    }

    fn require_room_for(&mut self, bytes: u64) -> Result<()> {
        self.is_full |= bytes > self.limit;
        match self.is_full {
            true => Err(Error::conflict("The package is too large")),
            false => Ok(()),
        }
    }

    /// Adds a file that is in memory.
    pub(crate) async fn add(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.packer.add(path, bytes).map_err(Error::internal)?;
        self.flush().await?;
        self.work.advance(EACH).await
    }

    /// Adds an empty folder.
    pub(crate) async fn add_folder(&mut self, path: &str) -> Result<()> {
        self.packer.add_folder(path).map_err(Error::internal)?;
        self.flush().await
    }

    /// Adds a file whose bytes lie in the blob store, piece by piece. A file of which bytes are missing is reported.
    pub(crate) async fn add_stored(&mut self, path: &str, file: &StoredFile) -> Result<()> {
        self.packer.begin(path, method(&file.content_type)).map_err(Error::internal)?;
        let mut chunks = Box::pin(blob::stream(&file.blob, file.size));
        while let Some(chunk) = chunks.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                // The file is not at fault: the package is made when the store is back.
                Err(error) if error.is_outage() => return Err(error),
                Err(_) => {
                    self.report.note(path, "The file could not be read to its end");
                    break;
                }
            };
            self.packer.write(&chunk).map_err(Error::internal)?;
            self.flush().await?;
            self.work.advance(u64::try_from(chunk.len()).unwrap_or_default()).await?;
        }
        self.work.advance(EACH).await
    }

    /// Ends the archive, and tells its size.
    pub(crate) async fn finish(self) -> Result<i64> {
        let Self { packer, mut blob, .. } = self;
        blob.write(&packer.finish().map_err(Error::internal)?).await?;
        i64::try_from(blob.finish().await?).map_err(Error::internal)
    }

    async fn flush(&mut self) -> Result<()> {
        let piece = self.packer.take();
        let size = self.blob.size().saturating_add(piece.len());
        self.require_room_for(u64::try_from(size).unwrap_or(u64::MAX))?;
        self.blob.write(&piece).await
    }
}

/// A file that is compressed already gains nothing from being compressed again.
fn method(content_type: &str) -> Method {
    let kind = content_type.split(['/', ';']).next().unwrap_or_default();
    let is_text = kind == "text" || content_type.contains("json") || content_type.contains("xml");
    if is_text { Method::Deflated } else { Method::Stored }
}
