//! Writes a zip archive chunk by chunk. A chunk that has been written can be taken away at any time, so an archive may
//! be larger than memory. The same entries in the same order give the same bytes: no clock and no file system has a
//! part in it.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::mem;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::error::{Error, Result};
use crate::path;

/// The way in which an entry is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// For text.
    Deflated,
    /// For what is compressed already: images, videos, archives.
    Stored,
}

/// A zip archive that is being written.
pub struct Packer {
    zip: ZipWriter<StreamWriter<Chunk>>,
    /// In lower case: some systems do not tell `A` from `a`.
    names: BTreeSet<String>,
    chunk: Chunk,
}

/// The bytes that are written and not yet taken. The archive's writer has one end of it, the packer the other.
#[derive(Clone, Default)]
struct Chunk(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Chunk {
    fn take(&self) -> Vec<u8> {
        mem::take(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl Write for Chunk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Default for Packer {
    fn default() -> Self {
        Self::new()
    }
}

impl Packer {
    /// An empty archive.
    pub fn new() -> Self {
        let chunk = Chunk::default();
        Self { zip: ZipWriter::new_stream(chunk.clone()), names: BTreeSet::new(), chunk }
    }

    /// Begins a file; it ends where the next one begins.
    pub fn begin(&mut self, path: &str, method: Method) -> Result<()> {
        if !path::is_inside(path) {
            return Err(Error::invalid_package(format!("{path:?} is not a path inside of a package")));
        }
        if !self.names.insert(path.to_lowercase()) {
            return Err(Error::invalid_package(format!("{path:?} is already in the package")));
        }
        self.zip.start_file(path, options(method)).map_err(failed)
    }

    /// Adds to the file that was begun last.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.zip.write_all(bytes)?)
    }

    /// Adds a file that is in memory.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.begin(path, Method::Deflated)?;
        self.write(bytes)
    }

    /// Adds a folder that is to be there even though nothing is in it.
    pub fn add_folder(&mut self, path: &str) -> Result<()> {
        if !path::is_inside(path) {
            return Err(Error::invalid_package(format!("{path:?} is not a path inside of a package")));
        }
        if !self.names.insert(path.to_lowercase()) {
            return Ok(());
        }
        self.zip.add_directory(path, options(Method::Stored)).map_err(failed)
    }

    /// Takes what has been written since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        self.chunk.take()
    }

    /// Ends the archive, and gives what has been written since the last time.
    pub fn finish(self) -> Result<Vec<u8>> {
        let Self { zip, chunk, .. } = self;
        zip.finish().map_err(failed)?;
        Ok(chunk.take())
    }
}

/// The first moment that the format knows, and rights that do not depend on who writes.
fn options(method: Method) -> SimpleFileOptions {
    let method = match method {
        Method::Deflated => CompressionMethod::Deflated,
        Method::Stored => CompressionMethod::Stored,
    };
    let options = SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
    // Sizes are not known beforehand: those of 4 GB and more need a wider field.
    options.large_file(true)
}

fn failed(error: zip::result::ZipError) -> Error {
    Error::from(io::Error::other(error))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn packed() -> Vec<u8> {
        let mut packer = Packer::new();
        let mut bytes = Vec::new();
        packer.add("imsmanifest.xml", b"<manifest/>").unwrap();
        packer.begin("web_resources/Bl\u{e4}tter.bin", Method::Stored).unwrap();
        for n in 0..64_u8 {
            packer.write(&[n; 4096]).unwrap();
            let chunk = packer.take();
            assert!(chunk.len() <= 8 * 4096, "{}", chunk.len());
            bytes.extend(chunk);
        }
        packer.add_folder("web_resources/empty").unwrap();
        bytes.extend(packer.finish().unwrap());
        bytes
    }

    #[test]
    fn what_is_packed_is_read_by_another_reader() {
        let mut archive = zip::ZipArchive::new(io::Cursor::new(packed())).unwrap();
        let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, ["imsmanifest.xml", "web_resources/Bl\u{e4}tter.bin", "web_resources/empty/"]);
        let mut text = String::new();
        archive.by_name("imsmanifest.xml").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "<manifest/>");
        assert_eq!(archive.by_index(1).unwrap().size(), 64 * 4096);
    }

    #[test]
    fn the_same_content_gives_the_same_bytes() {
        assert_eq!(packed(), packed());
    }

    #[test]
    fn an_archive_larger_than_memory_is_written_in_chunks() {
        let mut packer = Packer::new();
        packer.begin("large.bin", Method::Stored).unwrap();
        let (chunk, mut total) = (vec![7; 256 * 1024], 0);
        for _ in 0..800 {
            packer.write(&chunk).unwrap();
            let taken = packer.take().len();
            assert!(taken <= chunk.len() + 4096, "{taken}");
            total += taken;
        }
        total += packer.finish().unwrap().len();
        assert!(total > 800 * chunk.len());
    }

    #[test]
    fn a_path_is_inside_and_only_once() {
        let mut packer = Packer::new();
        packer.add("a/b.txt", b"").unwrap();
        for path in ["../x", "/x", "A/B.txt", ""] {
            assert!(packer.add(path, b"").unwrap_err().is_refusal(), "{path}");
        }
    }
}
