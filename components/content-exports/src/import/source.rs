//! Where the bytes of a package lie.

use std::io;

use content_packages::archive::Source;
use shared::blob;

/// A package in the blob store.
pub(crate) struct Stored {
    blob: String,
    size: u64,
}

impl Stored {
    pub(crate) fn new(blob: String, size: u64) -> Self {
        Self { blob, size }
    }
}

impl Source for Stored {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let bytes = blob::read(&self.blob, offset, length).await.map_err(io::Error::other)?;
        Ok(bytes.to_vec())
    }
}
