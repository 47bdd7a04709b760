//! Reads a zip archive from wherever it lies, piece by piece. Whoever made it may want to do harm: what it declares is
//! checked before anything is unpacked, and what is unpacked is held against it.

use std::collections::BTreeMap;
use std::io;

use rc_zip::fsm::{ArchiveFsm, EntryFsm, FsmResult};
use rc_zip::parse::{EntryKind, Method};

use crate::error::{Error, Result};
use crate::path;

/// The place of an archive's bytes.
pub trait Source {
    /// The number of all.
    fn size(&self) -> u64;

    /// Those from a place on: as many as are wanted, or those up to the end.
    fn read_at(&self, offset: u64, length: usize) -> impl Future<Output = io::Result<Vec<u8>>>;
}

impl Source for Vec<u8> {
    fn size(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    async fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let end = start.saturating_add(length).min(self.len());
        Ok(self.get(start..end).unwrap_or_default().to_vec())
    }
}

/// The limits of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most files and folders.
    pub entries: usize,
    /// The most bytes of all files together, unpacked.
    pub total: u64,
    /// The most bytes of a file that is read into memory.
    pub in_memory: u64,
    /// The number of times that a file may be larger than packed, if it is more than a megabyte.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 10_000, total: 2 << 30, in_memory: 8 << 20, ratio: 200 }
    }
}

/// Below that, a file may be as much larger than packed as it likes.
const SMALL: u64 = 1 << 20;
/// The most bytes of the list of files.
const DIRECTORY: u64 = 4 << 20;
/// The amount that is read at once.
const PIECE: usize = 64 * 1024;

/// An archive whose list of files has been read and checked.
pub struct Archive<S> {
    source: S,
    limits: Limits,
    entries: BTreeMap<String, rc_zip::parse::Entry>,
}

impl<S: Source> Archive<S> {
    /// Reads the list of files; refuses an archive that breaks a limit or has a path that leads out of it.
    pub async fn open(source: S, limits: Limits) -> Result<Self> {
        let listed = listed(&source).await?;
        let mut entries = BTreeMap::new();
        let (mut count, mut total, mut packed) = (0_usize, 0_u64, 0_u64);
        for entry in listed.entries() {
            count += 1;
            total = total.saturating_add(entry.uncompressed_size);
            packed = packed.saturating_add(entry.compressed_size);
            let name = entry.name.strip_suffix('/').unwrap_or(&entry.name);
            if !path::is_inside(name) {
                return Err(Error::invalid_package(format!(
                    "the archive has a file with the path {:?}, which leads out of it",
                    entry.name
                )));
            }
            check(entry, &limits)?;
            if entry.kind() == EntryKind::Directory || entry.name.ends_with('/') || is_litter(name) {
                continue;
            }
            if entries.insert(name.to_owned(), entry.clone()).is_some() {
                return Err(Error::invalid_package(format!("the archive has two files with the path {name:?}")));
            }
        }
        if count > limits.entries {
            return Err(Error::invalid_package(format!(
                "the archive has too many files (maximum is {})",
                limits.entries
            )));
        }
        if total > limits.total {
            let most = limits.total;
            return Err(Error::invalid_package(format!(
                "the archive is too large when it is unpacked (maximum is {most} bytes)"
            )));
        }
        // Files that share their bytes would make a small archive very large.
        if packed > source.size() {
            return Err(Error::invalid_package("the archive declares more bytes than it has"));
        }
        Ok(Self { source, limits, entries })
    }

    /// The paths of the files, in the order of the alphabet.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// True if there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    /// The number of bytes that a file has, unpacked.
    pub fn size(&self, path: &str) -> Option<u64> {
        self.entries.get(path).map(|entry| entry.uncompressed_size)
    }

    /// A file in memory.
    pub async fn read(&self, path: &str) -> Result<Vec<u8>> {
        let most = self.limits.in_memory;
        if self.size(path).is_some_and(|size| size > most) {
            return Err(Error::invalid_package(format!("{path} is too large (maximum is {most} bytes)")));
        }
        let mut bytes = Vec::new();
        let mut stream = self.stream(path)?;
        while let Some(piece) = stream.next().await? {
            bytes.extend(piece);
        }
        Ok(bytes)
    }

    /// A file piece by piece.
    pub fn stream(&self, path: &str) -> Result<Stream<'_, S>> {
        let Some(entry) = self.entries.get(path) else {
            return Err(Error::invalid_package(format!("the archive has no file with the path {path:?}")));
        };
        Ok(Stream {
            source: &self.source,
            path: path.to_owned(),
            offset: entry.header_offset,
            left: entry.uncompressed_size,
            machine: Some(EntryFsm::new(Some(entry.clone()), None)),
        })
    }
}

/// A file that is being unpacked.
pub struct Stream<'a, S> {
    source: &'a S,
    path: String,
    offset: u64,
    /// The number of bytes that may still come.
    left: u64,
    machine: Option<EntryFsm>,
}

impl<S: Source> Stream<'_, S> {
    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut unpacked = vec![0; PIECE];
        while let Some(mut machine) = self.machine.take() {
            let read = if machine.wants_read() { self.feed(&mut machine).await? } else { 0 };
            let (machine, outcome) = match machine.process(&mut unpacked).map_err(|error| self.broken(&error))? {
                FsmResult::Done(_) => return Ok(None),
                FsmResult::Continue(state) => state,
            };
            let written = u64::try_from(outcome.bytes_written).unwrap_or(u64::MAX);
            let Some(left) = self.left.checked_sub(written) else {
                return Err(Error::invalid_package(format!("{} is larger than the archive declares", self.path)));
            };
            self.left = left;
            if written == 0 && outcome.bytes_read == 0 && read == 0 {
                return Err(Error::invalid_package(format!("the archive ends within {}", self.path)));
            }
            self.machine = Some(machine);
            if written > 0 {
                unpacked.truncate(outcome.bytes_written);
                return Ok(Some(unpacked));
            }
        }
        Ok(None)
    }

    async fn feed(&mut self, machine: &mut EntryFsm) -> Result<usize> {
        let space = machine.space();
        let bytes = self.source.read_at(self.offset, space.len().min(PIECE)).await?;
        let read = filled(space, &bytes);
        machine.fill(read);
        self.offset = self.offset.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }

    fn broken(&self, error: &rc_zip::Error) -> Error {
        Error::invalid_package(format!("{} cannot be unpacked: {error}", self.path))
    }
}

async fn listed(source: &impl Source) -> Result<rc_zip::parse::Archive> {
    let broken = |error: rc_zip::Error| Error::invalid_package(format!("this is no zip archive: {error}"));
    if source.size() == 0 {
        return Err(Error::invalid_package("this is no zip archive: it is empty"));
    }
    let mut machine = ArchiveFsm::new(source.size());
    let mut total = 0_u64;
    loop {
        if let Some(offset) = machine.wants_read() {
            let space = machine.space();
            let bytes = source.read_at(offset, space.len().min(PIECE)).await?;
            let read = filled(space, &bytes);
            machine.fill(read);
            total += u64::try_from(read).unwrap_or(u64::MAX);
            if read == 0 {
                return Err(Error::invalid_package("this is no zip archive: its list of files is not complete"));
            }
            if total > DIRECTORY {
                return Err(Error::invalid_package(format!(
                    "the list of files is too long (maximum is {DIRECTORY} bytes)"
                )));
            }
        }
        match machine.process().map_err(broken)? {
            FsmResult::Done(archive) => return Ok(archive),
            FsmResult::Continue(next) => machine = next,
        }
    }
}

fn filled(space: &mut [u8], bytes: &[u8]) -> usize {
    space.iter_mut().zip(bytes).map(|(place, byte)| *place = *byte).count()
}

fn check(entry: &rc_zip::parse::Entry, limits: &Limits) -> Result<()> {
    let name = &entry.name;
    let is_encrypted = entry.flags & 1 == 1;
    let ratio = entry.uncompressed_size / entry.compressed_size.max(1);
    match (entry.kind(), entry.method) {
        (EntryKind::Symlink, _) => Err(Error::invalid_package(format!("{name} is a link, which is not allowed"))),
        _ if is_encrypted => Err(Error::invalid_package(format!("{name} is encrypted"))),
        (_, Method::Store | Method::Deflate) if entry.uncompressed_size > SMALL && ratio > limits.ratio => {
            Err(Error::invalid_package(format!("{name} is packed too tightly (maximum is {} to 1)", limits.ratio)))
        }
        (_, Method::Store | Method::Deflate) => Ok(()),
        (_, method) => Err(Error::invalid_package(format!("{name} is packed by {method:?}, which is not supported"))),
    }
}

/// The files that programs of some systems leave in archives.
fn is_litter(path: &str) -> bool {
    path.starts_with("__MACOSX/") || path.ends_with(".DS_Store") || path.ends_with("Thumbs.db")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::pack::{Method as Packing, Packer};

    async fn refusal(bytes: Vec<u8>) -> String {
        refusal_by(bytes, Limits::default()).await
    }

    async fn refusal_by(bytes: Vec<u8>, limits: Limits) -> String {
        let error = async {
            let archive = Archive::open(bytes, limits).await?;
            let paths: Vec<_> = archive.paths().map(str::to_owned).collect();
            for path in paths {
                archive.read(&path).await?;
            }
            Ok::<_, Error>(())
        };
        let error = error.await.unwrap_err();
        assert!(error.is_refusal(), "{error}");
        error.to_string()
    }

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (path, bytes) in files {
            zip.start_file(*path, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[tokio::test]
    async fn what_is_packed_is_unpacked() {
        let noise: Vec<u8> =
            (0..300_000_u32).map(|n| u8::try_from(n.wrapping_mul(2_654_435_761) >> 24).unwrap()).collect();
        let mut packer = Packer::new();
        packer.add("a.txt", &b"leaf ".repeat(50_000)).unwrap();
        packer.begin("media/b.bin", Packing::Stored).unwrap();
        packer.write(&noise).unwrap();
        packer.add_folder("empty").unwrap();
        packer.add("nothing.txt", b"").unwrap();
        let archive = Archive::open(packer.finish().unwrap(), Limits::default()).await.unwrap();
        assert_eq!(archive.paths().collect::<Vec<_>>(), ["a.txt", "media/b.bin", "nothing.txt"]);
        assert_eq!(archive.read("a.txt").await.unwrap(), b"leaf ".repeat(50_000));
        assert!(archive.read("media/b.bin").await.unwrap() == noise);
        assert_eq!(archive.read("nothing.txt").await.unwrap(), b"");
        assert!(archive.read("c.txt").await.is_err());
    }

    #[tokio::test]
    async fn archives_of_other_programs_are_read() {
        let archive =
            Archive::open(zipped(&[("x/y.xml", b"<a/>"), ("__MACOSX/x", b"?")]), Limits::default()).await.unwrap();
        assert_eq!(archive.paths().collect::<Vec<_>>(), ["x/y.xml"]);
        assert_eq!(archive.read("x/y.xml").await.unwrap(), b"<a/>");
    }

    #[tokio::test]
    async fn what_is_no_archive_is_refused() {
        let good = zipped(&[("a.txt", &b"leaf".repeat(1000))]);
        for bytes in
            [Vec::new(), b"PK".to_vec(), vec![0; 100_000], good[..good.len() - 30].to_vec(), good[20..].to_vec()]
        {
            refusal(bytes).await;
        }
    }

    #[tokio::test]
    async fn an_archive_cut_or_changed_anywhere_never_panics() {
        let good = zipped(&[("a.txt", &b"leaf".repeat(100)), ("b.txt", b"x")]);
        for place in 0..good.len() {
            let mut changed = good.clone();
            changed[place] ^= 0xff;
            for bytes in [changed, good[..place].to_vec()] {
                if let Ok(archive) = Archive::open(bytes, Limits::default()).await {
                    for path in archive.paths() {
                        drop(archive.read(path).await);
                    }
                }
            }
        }
    }

    /// The archive with bytes of it replaced everywhere.
    fn with(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        for place in 0..changed.len() - from.len() {
            if &changed[place..place + from.len()] == from {
                changed[place..place + to.len()].copy_from_slice(to);
            }
        }
        changed
    }

    #[tokio::test]
    async fn paths_that_lead_out_are_refused() {
        let good = zipped(&[("abcdefgh", b"x")]);
        for path in [b"../../ab", b"/etc/abc", b"a\\..\\..b", b"C:\\abcde", b"ab/../cd"] {
            let reason = refusal(with(&good, b"abcdefgh", path)).await;
            assert!(reason.contains("leads out"), "{reason}");
        }
        let twice = with(&zipped(&[("abcdefgh", b"x"), ("abcdefgi", b"y")]), b"abcdefgi", b"abcdefgh");
        assert!(refusal(twice).await.contains("two files"));
    }

    #[tokio::test]
    async fn bombs_are_refused() {
        let bomb = zipped(&[("a.bin", &vec![0; 4 << 20])]);
        assert!(refusal(bomb.clone()).await.contains("packed too tightly"));
        let loose = Limits { ratio: u64::MAX, ..Limits::default() };
        let reason = refusal_by(bomb.clone(), Limits { total: 1 << 20, ..loose }).await;
        assert!(reason.contains("too large when it is unpacked"), "{reason}");
        let reason = refusal_by(bomb.clone(), Limits { in_memory: 1 << 20, ..loose }).await;
        assert!(reason.contains("too large"), "{reason}");
        // It declares to be small.
        let size = u32::try_from(4 << 20).unwrap().to_le_bytes();
        let reason = refusal(with(&bomb, &size, &100_u32.to_le_bytes())).await;
        assert!(reason.contains("larger than the archive declares") || reason.contains("size"), "{reason}");
        let many = zipped(&[("a", b""), ("b", b""), ("c", b"")]);
        let reason = refusal_by(many, Limits { entries: 2, ..Limits::default() }).await;
        assert!(reason.contains("too many files"), "{reason}");
    }

    #[tokio::test]
    async fn links_and_encrypted_files_are_refused() {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zip.add_symlink("a", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        assert!(refusal(zip.finish().unwrap().into_inner()).await.contains("is a link"));
        let mut encrypted = zipped(&[("a.txt", b"x")]);
        let central = encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        encrypted[central + 8] |= 1;
        assert!(refusal(encrypted).await.contains("encrypted"));
    }
}
