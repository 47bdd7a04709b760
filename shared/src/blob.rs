//! Blobs: bytes too many for a row, in the key-value store, cut into chunks that every store takes.

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use spin_sdk::key_value::{self, Store};

use crate::error::{Error, Result};

/// Spin documents one megabyte for a value, and some stores take 400 kB: so no chunk is larger.
const CHUNK: usize = 256 * 1024;

/// Stores the bytes under that name. A name is written once: what is stored is never changed.
pub async fn put(name: &str, bytes: &[u8]) -> Result<()> {
    let store = open().await?;
    for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
        store.set(key(name, index), chunk).await.map_err(fault)?;
    }
    Ok(())
}

/// The bytes of that name and size; `None` where they are not there, or not all.
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

/// Writes a blob piece by piece, of which no more than a chunk is ever in memory.
pub struct Writer {
    name: String,
    store: Store,
    buffer: BytesMut,
    chunks: usize,
    size: usize,
}

impl Writer {
    /// Begins a blob of that name.
    pub async fn new(name: &str) -> Result<Self> {
        let store = open().await?;
        Ok(Self { name: name.to_owned(), store, buffer: BytesMut::with_capacity(CHUNK), chunks: 0, size: 0 })
    }

    /// Adds bytes at its end.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = CHUNK.saturating_sub(self.buffer.len()).min(bytes.len());
            let (fits, rest) = bytes.split_at(room);
            self.buffer.extend_from_slice(fits);
            bytes = rest;
            if self.buffer.len() >= CHUNK {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// How many bytes were written.
    pub fn size(&self) -> usize {
        self.size.saturating_add(self.buffer.len())
    }

    /// Ends the blob, and tells its size.
    pub async fn finish(mut self) -> Result<usize> {
        self.flush().await?;
        Ok(self.size)
    }

    /// Forgets what was written.
    pub async fn discard(self) -> Result<()> {
        delete(&self.name, self.size).await
    }

    async fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.store.set(key(&self.name, self.chunks), &self.buffer).await.map_err(fault)?;
        self.chunks = self.chunks.saturating_add(1);
        self.size = self.size.saturating_add(self.buffer.len());
        self.buffer.clear();
        Ok(())
    }
}

/// The bytes of that name and size, chunk by chunk. A blob that is not whole ends in an error.
pub fn stream(name: &str, size: usize) -> impl Stream<Item = Result<Bytes>> + 'static {
    let name = name.to_owned();
    futures::stream::iter(0..size.div_ceil(CHUNK)).then(move |index| {
        let name = name.clone();
        async move { chunk(&name, index).await }
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
    chunk.map(Bytes::from).ok_or_else(|| Error::internal(anyhow::anyhow!("blob {name} lacks its chunk {index}")))
}

/// Forgets the bytes of that name and size.
pub async fn delete(name: &str, size: usize) -> Result<()> {
    let store = open().await?;
    for index in 0..size.div_ceil(CHUNK) {
        store.delete(key(name, index)).await.map_err(fault)?;
    }
    Ok(())
}

/// Forgets the bytes of that name, however many were written: the last first, so that what a crash leaves is found again.
pub async fn delete_all(name: &str) -> Result<()> {
    let store = open().await?;
    let mut chunks = 0;
    while store.exists(&key(name, chunks)).await.map_err(fault)? {
        chunks += 1;
    }
    for index in (0..chunks).rev() {
        store.delete(&key(name, index)).await.map_err(fault)?;
    }
    Ok(())
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
