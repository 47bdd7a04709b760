//! Blobs: bytes too many for a row, in the key-value store, cut into chunks that every store takes.

use bytes::{Bytes, BytesMut};
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

/// Forgets the bytes of that name and size.
pub async fn delete(name: &str, size: usize) -> Result<()> {
    let store = open().await?;
    for index in 0..size.div_ceil(CHUNK) {
        store.delete(key(name, index)).await.map_err(fault)?;
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
