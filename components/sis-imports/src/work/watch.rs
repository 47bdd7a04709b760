//! The lease of an import, renewed while something takes long.

use std::time::{Duration, Instant};

use shared::{Db, Error, Result, clock};

use crate::store::sis_imports::{self as store, Claimed};

/// Keeps the import while something takes long, such as a large archive.
pub(crate) struct Watch<'a> {
    pub(crate) db: &'a Db,
    pub(crate) import: &'a Claimed,
    pub(crate) looked: Instant,
}

/// For how long an import is taken on: longer than any batch takes.
pub(crate) const LEASE_SECONDS: i64 = 15;

/// The interval at which work that takes long tells that somebody still works on the import.
const LOOK_EVERY: Duration = Duration::from_secs(3);

impl<'a> Watch<'a> {
    pub(crate) fn new(db: &'a Db, import: &'a Claimed) -> Self {
        Self { db, import, looked: Instant::now() }
    }

    /// An error where the import is not ours any more.
    pub(crate) async fn look(&mut self) -> Result<()> {
        if self.looked.elapsed() < LOOK_EVERY {
            return Ok(());
        }
        self.looked = Instant::now();
        match store::keep(self.db, self.import, clock::now().plus_seconds(LEASE_SECONDS)).await? {
            true => Ok(()),
            false => Err(Error::conflict("The import was taken away")),
        }
    }
}
