//! The end of blobs. Their rows are marked first, so that nothing can name them any more; then their keys are deleted; and
//! only when the store has answered that they are gone, and no write can come after that, the rows go too. Whatever breaks
//! off in between is taken up by the tick, because the marked row is there.

use spin_sdk::key_value::{self, Store};
use types::clock::{self, HOUR, Timestamp};
use web::error::Result;

use super::registry::{self, Registry, Rows, Search, Unnamed};
use super::{fault, key, open};

/// After so long, in seconds, no write can come any more that was under way when a blob was marked: a writer looks at its row
/// each minute, and no request lasts as long.
const DOUBT_SECONDS: i64 = HOUR;

/// The keys of the store.
pub(super) trait Keys {
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), key_value::Error>;
    async fn exists(&self, key: &str) -> Result<bool, key_value::Error>;
    async fn delete(&self, key: &str) -> Result<(), key_value::Error>;
}

impl Keys for Store {
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), key_value::Error> {
        Store::set(self, key, value).await
    }

    async fn exists(&self, key: &str) -> Result<bool, key_value::Error> {
        Store::exists(self, key).await
    }

    async fn delete(&self, key: &str) -> Result<(), key_value::Error> {
        Store::delete(self, key).await
    }
}

/// Forgets the bytes of that name, all of whose writes were answered. `size` is the known number of them: there may be more
/// of a blob that was being written.
pub async fn delete(name: &str, size: usize) -> Result<()> {
    remove(&open().await?, &Registry, name, size, clock::now()).await
}

/// Forgets whatever has a name in that folder of names, and was written by the caller.
pub async fn delete_below(folder: &str) -> Result<()> {
    for blob in registry::below(folder).await? {
        delete(&blob.name, 0).await?;
    }
    Ok(())
}

/// Forgets the bytes of that name, to which somebody else may still be writing: they are deleted now, and once more when
/// nothing can come any more. Of a blob that is whole, and named, nothing is forgotten.
pub async fn abandon(name: &str) -> Result<()> {
    give_up(&open().await?, &Registry, name, clock::now()).await
}

/// Forgets whatever has a name in that folder of names. Somebody else may still be writing to those that nothing names.
pub async fn abandon_below(folder: &str) -> Result<()> {
    for blob in registry::below(folder).await? {
        if blob.is_whole {
            delete(&blob.name, 0).await?;
        } else {
            abandon(&blob.name).await?;
        }
    }
    Ok(())
}

/// Forgets those of the next `most` blobs that are marked and due, or that nothing names and nobody has written to since
/// `before`. True where these were the last: the next search begins anew.
pub async fn delete_unnamed(before: Timestamp, most: i64) -> Result<bool> {
    let Search { unnamed, ended } = registry::mark_unnamed(before, most).await?;
    if !unnamed.is_empty() {
        let keys = open().await?;
        for Unnamed { name, size } in &unnamed {
            clear(&keys, name, *size).await?;
            Registry.forget(name, clock::now()).await?;
        }
    }
    Ok(ended)
}

/// The bytes that are left of a blob that did not come about, in the hands of whoever wrote it.
pub(super) struct Remains {
    pub(super) name: String,
    /// The number of bytes that were set aside for it.
    pub(super) size: usize,
    /// True if the store has not answered for one of its chunks, which may come later.
    pub(super) is_in_doubt: bool,
}

impl Remains {
    /// Nobody else writes to it: where nothing is in doubt, nothing comes after this.
    pub(super) async fn remove(&self, keys: &impl Keys, rows: &impl Rows, now: Timestamp) -> Result<()> {
        if self.is_in_doubt {
            doubt(rows, &self.name, self.size, now).await?;
            return clear(keys, &self.name, self.size).await;
        }
        rows.mark(&self.name, now).await?;
        clear(keys, &self.name, self.size).await?;
        rows.erase(&self.name).await
    }
}

/// Sees to it that the tick deletes the bytes when the chunk that is in doubt has come, if it comes.
pub(super) async fn doubt(rows: &impl Rows, name: &str, size: usize, now: Timestamp) -> Result<()> {
    rows.doubt(name, size, now.plus_seconds(DOUBT_SECONDS)).await
}

pub(super) async fn remove(keys: &impl Keys, rows: &impl Rows, name: &str, size: usize, now: Timestamp) -> Result<()> {
    let known = rows.mark(name, now).await?.unwrap_or_default();
    clear(keys, name, size.max(known)).await?;
    rows.forget(name, now).await
}

pub(super) async fn give_up(keys: &impl Keys, rows: &impl Rows, name: &str, now: Timestamp) -> Result<()> {
    match rows.mark_unless_named(name, now.plus_seconds(DOUBT_SECONDS)).await? {
        Some(known) => clear(keys, name, known).await,
        None => Ok(()),
    }
}

/// Deletes the keys of a blob, of which so many bytes are known.
async fn clear(keys: &impl Keys, name: &str, size: usize) -> Result<()> {
    let mut chunks = size.div_ceil(super::CHUNK);
    while keys.exists(&key(name, chunks)).await.map_err(fault)? {
        chunks += 1;
    }
    // The last first: so what a crash leaves has no gap, and is found again.
    for index in (0..chunks).rev() {
        keys.delete(&key(name, index)).await.map_err(fault)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::super::scripted::{Scripted, later, now};
    use super::*;

    /// Everything here is ready at once.
    fn at_once<T>(future: impl Future<Output = T>) -> T {
        future.now_or_never().unwrap()
    }

    /// A blob of one chunk that is there.
    fn whole() -> Scripted {
        let world = Scripted::default();
        assert!(at_once((&world).insert("file/a", 5, now())).unwrap());
        at_once((&world).set("blob/file/a/0", b"bytes")).unwrap();
        world
    }

    #[test]
    fn a_row_stays_until_the_store_has_answered_that_its_keys_are_gone() {
        let world = whole();
        world.lose_answer_of("delete file/a/0", false);
        assert!(at_once(remove(&&world, &&world, "file/a", 0, now())).unwrap_err().is_outage());
        assert_eq!((world.keys(), world.rows()), (1, vec![("file/a".to_owned(), 5, true)]));
        assert_eq!(world.due(now()), ["file/a"], "the tick takes it up");
        at_once(remove(&&world, &&world, "file/a", 0, now())).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![]));
    }

    #[test]
    fn nothing_is_deleted_where_the_row_cannot_be_marked() {
        let world = whole();
        world.refuse("mark file/a", "away");
        assert!(at_once(remove(&&world, &&world, "file/a", 5, now())).is_err());
        assert_eq!((world.keys(), world.rows()), (1, vec![("file/a".to_owned(), 5, false)]));
    }

    #[test]
    fn a_blob_to_which_somebody_may_be_writing_keeps_its_row_for_a_while() {
        let world = whole();
        at_once(give_up(&&world, &&world, "file/a", now())).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![("file/a".to_owned(), 5, true)]));
        assert!(world.due(now()).is_empty(), "not yet");
        at_once((&world).set("blob/file/a/0", b"late")).unwrap();
        assert_eq!(world.due(later()), ["file/a"]);
        at_once(remove(&&world, &&world, "file/a", 0, later())).unwrap();
        assert_eq!((world.keys(), world.rows()), (0, vec![]));
    }

    #[test]
    fn a_blob_that_a_record_names_is_not_abandoned() {
        let world = whole();
        world.name("file/a");
        at_once(give_up(&&world, &&world, "file/a", now())).unwrap();
        assert_eq!((world.keys(), world.rows()), (1, vec![("file/a".to_owned(), 5, false)]));
    }

    #[test]
    fn chunks_beyond_the_known_size_go_too() {
        let world = whole();
        at_once((&world).set("blob/file/a/1", b"more")).unwrap();
        at_once((&world).set("blob/file/a/2", b"more")).unwrap();
        at_once(remove(&&world, &&world, "file/a", 0, now())).unwrap();
        assert_eq!(world.keys(), 0);
    }
}
