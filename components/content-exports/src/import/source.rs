//! The place of a package's bytes.

use std::cell::RefCell;
use std::io;

use bytes::Bytes;
use content_packages::archive::Source;
use shared::blob;

/// The number of bytes that are read at once: a package is read in small pieces that lie side by side.
const BLOCK: usize = 256 * 1024;

/// A package in the blob store.
pub(crate) struct Stored {
    blob: String,
    size: u64,
    /// The block that was read last, and its number.
    last: RefCell<Option<(usize, Bytes)>>,
}

impl Stored {
    pub(crate) fn new(blob: String, size: u64) -> Self {
        Self { blob, size, last: RefCell::default() }
    }

    async fn block(&self, number: usize) -> io::Result<Bytes> {
        let known = self.last.borrow().as_ref().filter(|(own, _)| *own == number).map(|(_, bytes)| bytes.clone());
        if let Some(bytes) = known {
            return Ok(bytes);
        }
        let bytes = blob::read(&self.blob, number.saturating_mul(BLOCK), BLOCK).await.map_err(io::Error::other)?;
        self.last.replace(Some((number, bytes.clone())));
        Ok(bytes)
    }
}

impl Source for Stored {
    fn size(&self) -> u64 {
        self.size
    }

    async fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let (number, start) = (offset.div_euclid(BLOCK), offset.rem_euclid(BLOCK));
        let block = self.block(number).await?;
        // As much as there is in the block: who wants more asks again.
        let end = start.saturating_add(length).min(block.len());
        Ok(block.get(start..end).unwrap_or_default().to_vec())
    }
}
