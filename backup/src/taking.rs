//! Taking a backup: the database as it is at one moment, and then the bytes that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use chrono::{SecondsFormat, Utc};
use tempfile::TempDir;

use crate::archive::{self, BLOBS, DATABASE, Manifest};
use crate::blobs::{self, Chunks, Named};
use crate::place::open_file;
use crate::rows::{Reader, text};
use crate::store::Store;
use crate::{Installation, SCHEMA, snapshot};

/// How often the database is read at most. Each time less is to be copied than the time before.
const MAX_ROUNDS: usize = 10;

/// Where a backup goes.
pub enum Destination {
    /// A file, which is there whole or not at all.
    File(PathBuf),
    /// Standard output.
    Stdout,
}

/// Takes a backup of an installation, which may run meanwhile. `version` is that of the release.
///
/// Whatever was acknowledged before the call is in it. The database in it is of one moment, and all bytes that it names are
/// there, unless they were missing before: [`Manifest::missing_blobs`] names these.
///
/// # Errors
/// Tells what cannot be read or written, and refuses a schema that is newer than that of this release, which does not know
/// where that one names bytes.
pub async fn back_up(from: &Installation, version: &str, to: &Destination) -> Result<Manifest> {
    let folder = match to {
        Destination::File(path) => {
            let folder = archive::folder_of(path);
            tempfile::Builder::new()
                .prefix(".backup-")
                .tempdir_in(&folder)
                .with_context(|| format!("cannot write to the folder {}", folder.display()))?
        }
        Destination::Stdout => TempDir::new().context("cannot make a temporary folder")?,
    };
    let mut manifest = collect(from, version, folder.path()).await?;
    for name in [DATABASE, BLOBS] {
        manifest.parts.push(archive::part(folder.path(), name)?);
    }
    match to {
        Destination::File(path) => {
            archive::write_file(path, |file| archive::write(&manifest, folder.path(), BufWriter::new(file)))?;
        }
        Destination::Stdout => archive::write(&manifest, folder.path(), BufWriter::new(std::io::stdout().lock()))?,
    }
    Ok(manifest)
}

/// Copies the database and the bytes that it names into a folder.
///
/// What the database names may be removed before its bytes have been copied. So if something is missing, the database is read
/// once more: what it then names no longer is not needed, and what it still names was missing all along.
async fn collect(from: &Installation, version: &str, folder: &Path) -> Result<Manifest> {
    let mut store = Store::open(&from.store).await?;
    store.require_own()?;
    let mut copies = Store::create(&folder.join(BLOBS))?;
    let mut missing_before = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let taken_at = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let database = folder.join(DATABASE);
        snapshot::take(&from.database, &database).await?;
        let reader = Reader::File(open_file(&database)?);
        let schema = reader.schema().await?;
        ensure!(schema > 0, "there is nothing to back up: no application has run on this database yet");
        ensure!(
            schema <= SCHEMA,
            "the database has a newer schema ({schema}) than this release has ({SCHEMA}): back it up with the release that runs on it"
        );
        let named = blobs::named(&reader).await?;
        copy(&named, &mut store, &mut copies).await?;
        let (stored, _) = blobs::stored(&copies.lengths().await?);
        let is_there = |name: &String, blob: &Named| {
            stored.get(name).map_or_else(|| Chunks::default().are(blob), |chunks| chunks.are(blob))
        };
        // What is still being written when the database is read does not come into the backup, as after a crash.
        let missing = named.iter().filter(|(name, blob)| blob.is_whole && !is_there(name, blob));
        let missing: BTreeSet<_> = missing.map(|(name, _)| name.clone()).collect();
        if missing.is_subset(&missing_before) {
            let gone = stored.iter().filter(|(name, _)| !named.contains_key(*name));
            let gone: Vec<_> = gone.flat_map(|(name, chunks)| chunks.keys(name)).collect();
            copies.delete(&gone).await?;
            let kept = stored.iter().filter(|(name, _)| named.contains_key(*name));
            let mut manifest = Manifest::new(version, schema, taken_at);
            manifest.rows = count_rows(&reader).await?;
            manifest.blobs = named.len();
            manifest.blob_bytes = kept.map(|(_, chunks)| chunks.bytes()).sum();
            manifest.missing_blobs = missing.into_iter().collect();
            return Ok(manifest);
        }
        missing_before = missing;
    }
    anyhow::bail!("files are removed faster than they can be copied: try again when there is less to do")
}

/// Copies what is named and not there yet.
async fn copy(named: &BTreeMap<String, Named>, from: &mut Store, to: &mut Store) -> Result<()> {
    let (here, _) = blobs::stored(&to.lengths().await?);
    let (there, _) = blobs::stored(&from.lengths().await?);
    for (name, blob) in named {
        let is_here = here.get(name).is_some_and(|chunks| chunks.are(blob));
        if let (false, Some(chunks)) = (is_here, there.get(name)) {
            to.copy_from(from, &chunks.keys(name).collect::<Vec<_>>()).await?;
        }
    }
    Ok(())
}

/// The number of the rows of all tables.
async fn count_rows(reader: &Reader) -> Result<i64> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut rows = 0_i64;
    for row in reader.rows(names).await? {
        let name = text(row.first())?.replace('"', "\"\"");
        rows = rows.saturating_add(reader.number(&format!("SELECT count(*) FROM \"{name}\"")).await?);
    }
    Ok(rows)
}
