//! The archive: a tar file with a manifest in front of two SQLite files, the database and the bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SCHEMA;

/// The form of the archive. One that is read differently gets another number.
const FORMAT: u32 = 1;

/// The manifest, which is the first file of the archive.
const MANIFEST: &str = "manifest.json";
/// The database: a SQLite file.
pub(crate) const DATABASE: &str = "database.db";
/// The bytes of files: a SQLite file with the table of Spin's key-value store.
pub(crate) const BLOBS: &str = "blobs.db";

/// A manifest is not larger.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// What an archive holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of the archive.
    pub format: u32,
    /// The release that has made it.
    pub version: String,
    /// The version of the database's schema.
    pub schema: i64,
    /// When the database was read, in UTC: everything that was committed until then is in the backup.
    pub taken_at: String,
    /// The number of all rows.
    pub rows: i64,
    /// The number of blobs that rows name.
    pub blobs: usize,
    /// The bytes of these.
    pub blob_bytes: u64,
    /// Blobs that rows name and that were not there, or not whole, when the backup was made.
    pub missing_blobs: Vec<String>,
    /// The other files of the archive.
    pub parts: Vec<Part>,
}

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The number of its bytes.
    pub bytes: u64,
    /// The SHA-256 of them, in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// The manifest of a backup whose parts are to be added.
    pub(crate) fn new(version: &str, schema: i64, taken_at: String) -> Self {
        Self {
            format: FORMAT,
            version: version.to_owned(),
            schema,
            taken_at,
            rows: 0,
            blobs: 0,
            blob_bytes: 0,
            missing_blobs: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Fails where this release cannot use the archive.
    fn require_usable(&self) -> Result<()> {
        ensure!(
            self.format == FORMAT,
            "the archive has the form {}, and this release knows the form {FORMAT}: use release {} or a later one",
            self.format,
            self.version
        );
        ensure!(
            self.schema <= SCHEMA,
            "the archive has a newer schema ({}) than this release has ({SCHEMA}): restore it with release {} or a later one",
            self.schema,
            self.version
        );
        let mut names = self.parts.iter().map(|part| part.name.as_str());
        ensure!(names.by_ref().eq([DATABASE, BLOBS]), "the archive does not have the parts {DATABASE} and {BLOBS}");
        Ok(())
    }
}

/// The description of a file in that folder.
pub(crate) fn part(folder: &Path, name: &str) -> Result<Part> {
    let mut file = File::open(folder.join(name))?;
    let mut hashed = Hashed::new(io::sink());
    let bytes = io::copy(&mut file, &mut hashed)?;
    Ok(Part { name: name.to_owned(), bytes, sha256: hashed.sum() })
}

/// Writes the archive of a manifest and the files in a folder that it tells of.
pub(crate) fn write(manifest: &Manifest, folder: &Path, to: impl Write) -> Result<()> {
    let mut archive = tar::Builder::new(to);
    let text = serde_json::to_vec_pretty(manifest)?;
    archive.append_data(&mut header(u64::try_from(text.len())?), MANIFEST, text.as_slice())?;
    for part in &manifest.parts {
        let file = File::open(folder.join(&part.name))?;
        archive.append_data(&mut header(part.bytes), &part.name, file)?;
    }
    archive.into_inner()?.flush().context("cannot write the end of the archive")
}

fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header
}

/// Unpacks an archive into a folder. Its parts are there with the sums that its manifest says, or it fails.
pub(crate) fn unpack(archive: impl Read, folder: &Path) -> Result<Manifest> {
    let mut archive = tar::Archive::new(archive);
    let mut entries = archive.entries()?;
    let first = entries.next().context("the archive is empty")?;
    let first = match first {
        Ok(first) => first,
        // What is no archive has no words for its reader; those of another file may be nobody's business.
        Err(error) if error.kind() == io::ErrorKind::Other => {
            bail!("this is no archive of a backup, or it is compressed: then unpack it first")
        }
        Err(error) => return Err(error).context("the archive cannot be read"),
    };
    ensure!(first.path()? == Path::new(MANIFEST), "this is no archive of a backup: it does not begin with {MANIFEST}");
    let manifest: Manifest = serde_json::from_reader(first.take(MAX_MANIFEST_BYTES))
        .context("the manifest of the archive cannot be read")?;
    manifest.require_usable()?;
    for part in &manifest.parts {
        let Some(entry) = entries.next() else { bail!("the archive ends before {}", part.name) };
        let mut entry = entry.with_context(|| format!("the archive breaks off before {}", part.name))?;
        ensure!(entry.path()? == Path::new(&part.name), "the archive does not have {} where it should be", part.name);
        let mut file = Hashed::new(File::create(folder.join(&part.name))?);
        let bytes = io::copy(&mut entry, &mut file).with_context(|| format!("{} breaks off", part.name))?;
        file.inner.sync_all()?;
        let is_same = bytes == part.bytes && file.sum() == part.sha256;
        ensure!(is_same, "{} is damaged: its length or SHA-256 is not that of the manifest", part.name);
    }
    Ok(manifest)
}

/// A writer that adds up what it passes on.
struct Hashed<W> {
    inner: W,
    hash: Sha256,
}

impl<W> Hashed<W> {
    fn new(inner: W) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    fn sum(self) -> String {
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a file whole or not at all, for its owner alone.
pub(crate) fn write_file(path: &Path, fill: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let folder = folder_of(path);
    let mut file = tempfile::NamedTempFile::new_in(&folder)
        .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).with_context(|| format!("cannot write {}", path.display()))?;
    sync_folder(&folder)
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// Sees to it that a new name in the folder survives a crash of the machine.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)?.sync_all().with_context(|| format!("cannot synchronise the folder {}", folder.display()))
}
