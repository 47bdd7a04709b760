//! Writing: a row first, then the bytes chunk by chunk, and a word to the row where the store leaves one of them in doubt.

use std::time::{Duration, Instant};

use bytes::BytesMut;
use spin_sdk::key_value::Store;
use types::clock;
use web::after_response::{log_failure, log_if_failed};
use web::error::{Error, Result};

use super::registry::{self, Registry, Rows};
use super::removal::{self, Keys, Remains};
use super::{CHUNK, is_full, key, not_stored, open};

/// The amount that is set aside at a time for a blob whose size is not known yet.
const STEP: usize = 32 * CHUNK;
/// The interval at which a writer that has room enough tells that it is still there.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Writes a blob piece by piece, of which no more than a chunk is ever in memory. Without a [`Writer::finish`] what was
/// written is forgotten.
pub struct Writer(Writing<Store, Registry>);

impl Writer {
    /// Begins a blob of that name, which no other has.
    pub async fn new(name: &str) -> Result<Self> {
        registry::require_room().await?;
        Ok(Self(Writing::new(name, open().await?, Registry)))
    }

    /// Adds bytes at its end.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write(bytes).await
    }

    /// The number of bytes that were written.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Ends the blob, and answers its size in bytes.
    pub async fn finish(mut self) -> Result<usize> {
        self.0.finish().await
    }

    /// Forgets what was written.
    pub async fn discard(mut self) -> Result<()> {
        self.0.discard().await
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let Some(remains) = self.0.take_remains() else { return };
        // If this fails, or is cut off, the tick finds the bytes, because nothing names them.
        spin_sdk::wasip3::spawn(async move {
            let removed = match open().await {
                Ok(keys) => remains.remove(&keys, &Registry, clock::now()).await,
                Err(error) => Err(error),
            };
            log_if_failed(removed);
        });
    }
}

/// The work of a writer.
pub(super) struct Writing<K, R> {
    name: String,
    keys: K,
    rows: R,
    buffer: BytesMut,
    chunks: usize,
    size: usize,
    /// The number of bytes that are set aside; `None` before the first.
    set_aside: Option<usize>,
    told: Instant,
    /// True from the moment at which the store is given a chunk until it has answered that it has it, or has no room.
    is_in_doubt: bool,
    ended: bool,
}

impl<K: Keys, R: Rows> Writing<K, R> {
    pub(super) fn new(name: &str, keys: K, rows: R) -> Self {
        Self {
            name: name.to_owned(),
            keys,
            rows,
            buffer: BytesMut::new(),
            chunks: 0,
            size: 0,
            set_aside: None,
            told: Instant::now(),
            is_in_doubt: false,
            ended: false,
        }
    }

    pub(super) async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
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

    pub(super) fn size(&self) -> usize {
        self.size.saturating_add(self.buffer.len())
    }

    pub(super) async fn finish(&mut self) -> Result<usize> {
        if self.set_aside.is_none() || !self.buffer.is_empty() {
            self.make_room(self.size()).await?;
            self.flush().await?;
        }
        if self.set_aside != Some(self.size) && !self.rows.settle(&self.name, self.size, clock::now()).await? {
            return Err(taken_away());
        }
        self.ended = true;
        Ok(self.size)
    }

    pub(super) async fn discard(&mut self) -> Result<()> {
        match self.take_remains() {
            Some(remains) => remains.remove(&self.keys, &self.rows, clock::now()).await,
            None => Ok(()),
        }
    }

    /// The bytes that are left of a blob that did not come about, once: whoever takes them removes them.
    pub(super) fn take_remains(&mut self) -> Option<Remains> {
        let set_aside = self.set_aside.filter(|_| !std::mem::replace(&mut self.ended, true))?;
        Some(Remains { name: std::mem::take(&mut self.name), size: set_aside, is_in_doubt: self.is_in_doubt })
    }

    /// Sets aside what the buffer needs: as much as is wished where there is not enough, or else just so much.
    async fn make_room(&mut self, wished: usize) -> Result<()> {
        let needed = self.size();
        if self.set_aside.is_some_and(|bytes| bytes >= needed) {
            if self.told.elapsed() >= TELL_EVERY {
                self.tell().await?;
            }
            return Ok(());
        }
        for bytes in [wished.max(needed), needed] {
            let has_room = match self.set_aside {
                None => self.rows.insert(&self.name, bytes, clock::now()).await?,
                Some(_) => self.rows.resize(&self.name, bytes, clock::now()).await?,
            };
            if has_room {
                self.set_aside = Some(bytes);
                self.told = Instant::now();
                return Ok(());
            }
        }
        if self.set_aside.is_some() {
            self.tell().await?;
        }
        Err(Error::insufficient_storage())
    }

    /// Tells the row that bytes still come. An error where somebody has taken them for left behind: what came after that
    /// would be known to nobody.
    async fn tell(&mut self) -> Result<()> {
        if !self.rows.touch(&self.name, clock::now()).await? {
            return Err(taken_away());
        }
        self.told = Instant::now();
        Ok(())
    }

    async fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.is_in_doubt = true;
        if let Err(error) = self.keys.set(&key(&self.name, self.chunks), &self.buffer).await {
            if is_full(&error) {
                self.is_in_doubt = false;
            } else if let Some(size) = self.set_aside
                && let Err(failure) = removal::doubt(&self.rows, &self.name, size, clock::now()).await
            {
                // It is told again when the bytes are removed.
                log_failure(&failure);
            }
            return Err(not_stored(error));
        }
        self.is_in_doubt = false;
        self.chunks = self.chunks.saturating_add(1);
        self.size = self.size.saturating_add(self.buffer.len());
        self.buffer.clear();
        Ok(())
    }
}

fn taken_away() -> Error {
    Error::conflict("It took too long until all bytes had come, so they were removed. Please send them again.")
}

#[cfg(test)]
mod tests {
    use web::error::Kind;

    use super::super::scripted::{Scripted, later, now};
    use super::*;

    const LARGE: usize = CHUNK * 2 + 10;

    fn writing(world: &Scripted) -> Writing<&Scripted, &Scripted> {
        Writing::new("file/a", world, world)
    }

    /// Everything here is ready at once.
    fn at_once<T>(future: impl Future<Output = T>) -> T {
        futures::FutureExt::now_or_never(future).unwrap()
    }

    #[test]
    fn a_blob_is_known_before_its_first_byte_and_has_its_size_in_the_end() {
        let world = Scripted::default();
        let mut writer = writing(&world);
        at_once(writer.write(&[1; LARGE])).unwrap();
        assert_eq!(world.log(), ["insert file/a", "set file/a/0", "set file/a/1"]);
        assert_eq!(at_once(writer.finish()).unwrap(), LARGE);
        assert_eq!((world.keys(), world.rows()), (3, vec![("file/a".to_owned(), LARGE, false)]));
        assert!(writer.take_remains().is_none());
    }

    #[test]
    fn a_blob_that_is_discarded_is_gone_with_its_row() {
        let world = Scripted::default();
        let mut writer = writing(&world);
        at_once(writer.write(&[1; LARGE])).unwrap();
        at_once(writer.discard()).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![]));
        assert!(writer.take_remains().is_none());
    }

    #[test]
    fn a_chunk_whose_answer_was_lost_keeps_the_row_until_it_cannot_come_any_more() {
        for is_done in [true, false] {
            let world = Scripted::default();
            let mut writer = writing(&world);
            world.lose_answer_of("set file/a/1", is_done);
            assert!(at_once(writer.write(&[1; LARGE])).unwrap_err().is_outage());
            // Somebody who knows nothing of it believes that all writes were answered.
            at_once(removal::remove(&&world, &&world, "file/a", 0, now())).unwrap();
            let remains = writer.take_remains().unwrap();
            at_once(remains.remove(&&world, &&world, now())).unwrap();
            at_once(removal::remove(&&world, &&world, "file/a", 0, now())).unwrap();
            assert_eq!((world.keys(), world.rows().len()), (0, 1));
            world.deliver("file/a/1");
            assert_eq!(world.keys(), 1);
            at_once(removal::remove(&&world, &&world, "file/a", 0, later())).unwrap();
            assert_eq!((world.keys(), world.rows()), (0, vec![]));
        }
    }

    #[test]
    fn a_store_that_is_full_leaves_no_doubt() {
        let world = Scripted::default();
        let mut writer = writing(&world);
        world.refuse("set file/a/0", "database or disk is full");
        let full = at_once(async {
            writer.write(&[1; 10]).await?;
            writer.finish().await
        });
        assert!(matches!(full.unwrap_err().kind(), Kind::InsufficientStorage));
        at_once(writer.discard()).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![]));
    }

    #[test]
    fn whoever_writes_to_a_blob_that_is_being_removed_is_told_and_leaves_nothing() {
        let world = Scripted::default();
        let mut writer = writing(&world);
        at_once(writer.write(&[1; LARGE])).unwrap();
        at_once(removal::give_up(&&world, &&world, "file/a", now())).unwrap();
        assert_eq!((world.keys(), world.rows().len()), (0, 1));
        // Room for this is set aside already.
        at_once(writer.write(&[1; CHUNK])).unwrap();
        assert_eq!(world.keys(), 1);
        assert!(matches!(at_once(writer.finish()).unwrap_err().kind(), Kind::Conflict(_)));
        at_once(writer.discard()).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![]));
    }

    #[test]
    fn more_room_is_not_made_for_a_blob_that_is_being_removed() {
        let world = Scripted::default();
        let mut writer = writing(&world);
        at_once(writer.write(&[1; CHUNK])).unwrap();
        at_once(removal::give_up(&&world, &&world, "file/a", now())).unwrap();
        let error = at_once(writer.write(&vec![1; STEP])).unwrap_err();
        assert!(matches!(error.kind(), Kind::Conflict(_)), "{error}");
    }
}
