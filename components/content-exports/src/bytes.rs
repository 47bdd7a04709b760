//! Bytes that work writes to the blob store: they are gone if nothing comes of the work.

use shared::{Db, background, blob, db};

/// Blobs that were begun, and that nothing names yet. The tick finds those that a crash leaves, and those with a write that
/// the store did not answer.
#[derive(Default)]
pub(crate) struct Unnamed {
    names: Vec<String>,
}

impl Unnamed {
    /// A name for the next blob.
    pub(crate) fn next(&mut self) -> String {
        let name = blob::new_name("file");
        self.names.push(name.clone());
        name
    }

    /// Something names all of them now, in the transaction `db`.
    pub(crate) async fn keep(&self, db: &Db) -> db::Result<()> {
        blob::keep_all(db, &self.names).await
    }

    /// Removes what was written: nothing came of it.
    pub(crate) async fn discard(self) {
        remove(&self.names).await;
    }
}

/// Removes blobs that nothing names. A failure is logged: the tick removes them later.
pub(crate) async fn remove(names: &[String]) {
    for name in names {
        background::log_if_failed(blob::delete(name, 0).await);
    }
}
