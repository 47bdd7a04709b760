//! Blobs: bytes too many for a row, in the key-value store, cut into chunks that every store takes.
//!
//! This is the one door to them: what comes in is counted against the installation's limit before it is stored, and known
//! by a row in the database (`registry`) from before its first byte until the store has answered that its last is gone, and
//! no write can come after that (`removal`).

mod registry;
mod removal;
#[cfg(test)]
mod scripted;
mod writer;

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use spin_sdk::key_value::{self, Store};
use uuid::Uuid;
use web::error::{Error, Result};

pub use registry::{keep, keep_all, limit_bytes};
pub use removal::{abandon, abandon_below, delete, delete_below, delete_unnamed};
pub use writer::Writer;

/// Spin documents one megabyte for a value, and some stores take 400 kB: so no chunk is larger.
const CHUNK: usize = 256 * 1024;

/// Asks the store for a key that nobody writes. An error where the store does not answer.
pub async fn require_store() -> Result<()> {
    open().await?.exists(key("nothing", 0)).await.map_err(fault).map(drop)
}

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

async fn open() -> Result<Store> {
    Store::open_default().await.map_err(fault)
}

fn key(name: &str, index: usize) -> String {
    format!("blob/{name}/{index}")
}

/// The store did not do what it was asked: nobody knows whether it will. A store that the application may not use, or that
/// is not there, is the operator's mistake; all else passes.
fn fault(error: key_value::Error) -> Error {
    let cause = anyhow::anyhow!("key-value store: {error}");
    match error {
        key_value::Error::Other(_) => Error::outage(cause),
        _ => Error::internal(cause),
    }
}

/// What stores say when they, or their disks, are full: SQLite, Redis at its limit, and Redis that cannot write its log.
const FULL: [&str; 5] = ["disk is full", "SQLITE_FULL", "No space left", "maxmemory", "MISCONF"];

/// True if the store has refused the bytes because it has no room for them.
fn is_full(error: &key_value::Error) -> bool {
    match error {
        key_value::Error::StoreTableFull => true,
        key_value::Error::Other(cause) => FULL.iter().any(|words| cause.contains(words)),
        _ => false,
    }
}

/// The store does not take the bytes: it is full, or cannot be reached.
fn not_stored(error: key_value::Error) -> Error {
    match is_full(&error) {
        true => Error::insufficient_storage().because(anyhow::anyhow!("key-value store: {error}")),
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
            assert!(matches!(error(away).kind(), Kind::Internal) && error(away).is_outage(), "{away}");
        }
    }
}
