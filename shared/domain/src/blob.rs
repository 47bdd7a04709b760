//! Blobs: bytes too many for a row, in the key-value store, cut into chunks that every store takes.
//!
//! This is the one door to them: what comes in is counted against the installation's limit before it is stored, and known
//! by a row in the database (`registry`) from before its first byte until after its last.

mod registry;

use std::ops::Range;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use spin_sdk::key_value::{self, Store};
use types::clock::Timestamp;
use uuid::Uuid;
use web::error::{Error, Result};

pub use registry::{keep, keep_all};

/// Spin documents one megabyte for a value, and some stores take 400 kB: so no chunk is larger.
const CHUNK: usize = 256 * 1024;
/// The amount that is set aside at a time for a blob whose size is not known yet.
const STEP: usize = 32 * CHUNK;
/// The interval at which a writer that has room enough tells that it is still there.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// A name for new bytes, in that folder of names.
pub fn new_name(folder: &str) -> String {
    format!("{folder}/{}", Uuid::new_v4())
}

/// Stores the bytes under that name. A name is written once: what is stored is never changed.
pub async fn put(name: &str, bytes: &[u8]) -> Result<()> {
    let mut writer = Writer::new(name).await?;
    writer.write(bytes).await?;
    writer.finish().await.map(drop)
}

/// The bytes of that name, `size` of them; `None` where they are not there, or not all.
pub async fn get(name: &str, size: usize) -> Result<Option<Bytes>> {
    let store = open().await?;
    let mut bytes = BytesMut::with_capacity(size);
    for index in 0..size.div_ceil(CHUNK) {
        match store.get(key(name, index)).await.map_err(fault)? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => return Ok(None),
        }
    }
    Ok((bytes.len() == size).then(|| bytes.freeze()))
}

/// Writes a blob piece by piece, of which no more than a chunk is ever in memory. Without a [`Writer::finish`] what was
/// written is forgotten.
pub struct Writer {
    name: String,
    store: Store,
    buffer: BytesMut,
    chunks: usize,
    size: usize,
    /// The number of bytes that are set aside; `None` before the first.
    set_aside: Option<usize>,
    told: Instant,
    ended: bool,
}

impl Writer {
    /// Begins a blob of that name.
    pub async fn new(name: &str) -> Result<Self> {
        registry::require_room().await?;
        let store = open().await?;
        Ok(Self {
            name: name.to_owned(),
            store,
            buffer: BytesMut::new(),
            chunks: 0,
            size: 0,
            set_aside: None,
            told: Instant::now(),
            ended: false,
        })
    }

    /// Adds bytes at its end.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = CHUNK.saturating_sub(self.buffer.len()).min(bytes.len());
            let (fits, rest) = bytes.split_at(room);
            self.buffer.extend_from_slice(fits);
            bytes = rest;
            if self.buffer.len() >= CHUNK {
                self.make_room(self.size.saturating_add(STEP)).await?;
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// The number of bytes that were written.
    pub fn size(&self) -> usize {
        self.size.saturating_add(self.buffer.len())
    }

    /// Ends the blob, and answers its size in bytes.
    pub async fn finish(mut self) -> Result<usize> {
        if self.set_aside.is_none() || !self.buffer.is_empty() {
            self.make_room(self.size()).await?;
            self.flush().await?;
        }
        if self.set_aside != Some(self.size) {
            registry::settle(&self.name, self.size).await?;
        }
        self.ended = true;
        Ok(self.size)
    }

    /// Forgets what was written.
    pub async fn discard(mut self) -> Result<()> {
        self.ended = true;
        if self.set_aside.is_some() { delete(&self.name, self.size).await } else { Ok(()) }
    }

    /// Sets aside what the buffer needs: as much as is wished where there is not enough, or else just so much.
    async fn make_room(&mut self, wished: usize) -> Result<()> {
        let needed = self.size();
        if self.set_aside.is_some_and(|bytes| bytes >= needed) {
            if self.told.elapsed() >= TELL_EVERY {
                registry::touch(&self.name).await?;
                self.told = Instant::now();
            }
            return Ok(());
        }
        for bytes in [wished.max(needed), needed] {
            if registry::set_aside(&self.name, bytes).await? {
                self.set_aside = Some(bytes);
                self.told = Instant::now();
                return Ok(());
            }
        }
        Err(Error::insufficient_storage())
    }

    async fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.store.set(key(&self.name, self.chunks), &self.buffer).await.map_err(not_stored)?;
        self.chunks = self.chunks.saturating_add(1);
        self.size = self.size.saturating_add(self.buffer.len());
        self.buffer.clear();
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.ended || self.set_aside.is_none() {
            return;
        }
        let (name, size) = (std::mem::take(&mut self.name), self.size);
        // If this fails, or is cut off, the tick finds the bytes, because nothing names them.
        spin_sdk::wasip3::spawn(async move { drop(delete(&name, size).await) });
    }
}

/// The bytes of that name, `size` of them, chunk by chunk. A blob that is not whole ends in an error.
pub fn stream(name: &str, size: usize) -> impl Stream<Item = Result<Bytes>> + 'static {
    stream_part(name, 0..size)
}

/// The bytes of that name with the offsets of `part`, chunk by chunk. A blob that does not have them ends in an error.
pub fn stream_part(name: &str, part: Range<usize>) -> impl Stream<Item = Result<Bytes>> + 'static {
    let name = name.to_owned();
    futures::stream::iter(part.start.div_euclid(CHUNK)..part.end.div_ceil(CHUNK)).then(move |index| {
        let (name, part) = (name.clone(), part.clone());
        async move {
            let start = index.saturating_mul(CHUNK);
            let bytes = chunk(&name, index).await?;
            let (from, to) = (part.start.saturating_sub(start), part.end.saturating_sub(start).min(CHUNK));
            match from <= to && to <= bytes.len() {
                true => Ok(bytes.slice(from..to)),
                false => Err(lacks(&name, index)),
            }
        }
    })
}

/// Some of the bytes of a blob: `length` of them from `offset` on, or fewer at its end.
pub async fn read(name: &str, offset: usize, length: usize) -> Result<Bytes> {
    let end = offset.saturating_add(length);
    let first = offset.div_euclid(CHUNK);
    let mut bytes = BytesMut::with_capacity(length);
    for index in first..end.div_ceil(CHUNK) {
        let Some(chunk) = open().await?.get(key(name, index)).await.map_err(fault)? else {
            break;
        };
        let start = index.saturating_mul(CHUNK);
        let from = offset.saturating_sub(start).min(chunk.len());
        let to = end.saturating_sub(start).min(chunk.len());
        bytes.extend_from_slice(chunk.get(from..to).unwrap_or_default());
    }
    Ok(bytes.freeze())
}

async fn chunk(name: &str, index: usize) -> Result<Bytes> {
    let chunk = open().await?.get(key(name, index)).await.map_err(fault)?;
    chunk.map(Bytes::from).ok_or_else(|| lacks(name, index))
}

fn lacks(name: &str, index: usize) -> Error {
    Error::internal(anyhow::anyhow!("blob {name} lacks its chunk {index}, or a part of it"))
}

/// Forgets the bytes of that name. `size` is the known number of them: there may be more of a blob that was being written.
pub async fn delete(name: &str, size: usize) -> Result<()> {
    let store = open().await?;
    let known = registry::size(name).await?.unwrap_or_default();
    let mut chunks = size.max(known).div_ceil(CHUNK);
    while store.exists(&key(name, chunks)).await.map_err(fault)? {
        chunks += 1;
    }
    // The last first: so what a crash leaves has no gap, and is found again.
    for index in (0..chunks).rev() {
        store.delete(&key(name, index)).await.map_err(fault)?;
    }
    registry::forget(name).await
}

/// Forgets whatever has a name in that folder of names.
pub async fn delete_below(folder: &str) -> Result<()> {
    for name in registry::below(folder).await? {
        delete(&name, 0).await?;
    }
    Ok(())
}

/// Forgets those of the next `most` blobs that nothing names, and nobody has written to since `before`. True where these
/// were the last: the next search begins anew.
pub async fn delete_unnamed(before: Timestamp, most: i64) -> Result<bool> {
    let registry::Search { unnamed, ended } = registry::mark_unnamed(before, most).await?;
    for name in &unnamed {
        delete(name, 0).await?;
    }
    Ok(ended)
}

async fn open() -> Result<Store> {
    Store::open_default().await.map_err(fault)
}

fn key(name: &str, index: usize) -> String {
    format!("blob/{name}/{index}")
}

fn fault(error: key_value::Error) -> Error {
    Error::internal(anyhow::anyhow!("key-value store: {error}"))
}

/// What stores say when they, or their disks, are full: SQLite, Redis at its limit, and Redis that cannot write its log.
const FULL: [&str; 5] = ["disk is full", "SQLITE_FULL", "No space left", "maxmemory", "MISCONF"];

/// The store does not take what is written: it is full, or cannot be reached.
fn not_stored(error: key_value::Error) -> Error {
    let cause = error.to_string();
    match matches!(error, key_value::Error::StoreTableFull) || FULL.iter().any(|words| cause.contains(words)) {
        true => Error::insufficient_storage().because(anyhow::anyhow!("key-value store: {cause}")),
        false => fault(error),
    }
}

#[cfg(test)]
mod tests {
    use web::error::Kind;

    use super::*;

    #[test]
    fn a_store_that_is_full_differs_from_one_that_is_away() {
        let error = |text: &str| not_stored(key_value::Error::Other(text.to_owned()));
        for full in [
            "database or disk is full",
            "OOM: command not allowed when used memory > 'maxmemory'.",
            "MISCONF: Errors writing to the AOF file: No space left on device",
        ] {
            assert!(matches!(error(full).kind(), Kind::InsufficientStorage), "{full}");
        }
        for away in ["broken pipe", "Connection refused (os error 111)"] {
            assert!(matches!(error(away).kind(), Kind::Internal), "{away}");
        }
    }
}
