//! The places where an application keeps its data, and who may use them.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use backup::Installation;

use crate::create_parent;
use crate::libsql_server::Server;
use crate::outbound;
use crate::runtime_config::{DatabasePlace, RuntimeConfig, StorePlace, whole_folder, whole_path};

/// The only database and the only store that Lectern has.
const LABEL: &str = "default";

/// The end of the name of the file beside the database that is locked by whoever uses it.
const LOCK: &str = "-in-use";

/// The time for which somebody who starts at the same moment may have the lock alone.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two looks at it.
const PAUSE: Duration = Duration::from_millis(10);

/// Where an application keeps its data.
pub struct Places {
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_config: RuntimeConfig,
}

/// Says that somebody uses the data of a folder, until it is dropped or the process ends.
pub struct Claim {
    _file: File,
    /// True if others serve the same data.
    pub(crate) is_shared: bool,
}

impl Places {
    /// Finds the places of the application with that manifest: the state folder, which is `.spin` beside the manifest
    /// unless it is given, and what Spin's runtime configuration says instead.
    ///
    /// # Errors
    /// Fails if the runtime configuration cannot be used.
    pub fn find(manifest: &Path, state_dir: Option<PathBuf>, runtime_config: Option<&Path>) -> Result<Self> {
        let runtime_config = runtime_config.map(RuntimeConfig::load).transpose()?.unwrap_or_default();
        let wanted = state_dir.as_deref().map(whole_folder);
        let state_dir = state_dir.unwrap_or_else(|| manifest.parent().unwrap_or(Path::new(".")).join(".spin"));
        let places = Self { state_dir, runtime_config };
        if let Some(elsewhere) = wanted.and_then(|wanted| places.file_outside(&wanted)) {
            tracing::warn!(
                "the runtime configuration has data in {}, and not in the state folder",
                elsewhere.display()
            );
        }
        Ok(places)
    }

    /// A file with data that is not in that folder, which is told as it is from the root.
    fn file_outside(&self, folder: &Path) -> Option<PathBuf> {
        let database = self.database().and_then(DatabasePlace::into_file);
        let store = self.store().and_then(StorePlace::into_file);
        let mut files = [database, store].into_iter().flatten().map(|path| whole_path(&path));
        files.find(|path| !path.starts_with(folder))
    }

    fn database(&self) -> Option<DatabasePlace> {
        self.runtime_config.database(LABEL, &self.state_dir)
    }

    fn store(&self) -> Option<StorePlace> {
        self.runtime_config.store(LABEL, &self.state_dir)
    }

    /// The database and the key-value store.
    ///
    /// # Errors
    /// Fails if the address of a server cannot be used.
    pub async fn installation(&self) -> Result<Installation> {
        let nowhere = "the runtime configuration has no place for the data";
        let database = match self.database().context(nowhere)? {
            DatabasePlace::File(path) => backup::DatabasePlace::File(path),
            DatabasePlace::Libsql { url, token } => {
                let server = Server::new(&url, &token, outbound::tls_connector());
                backup::DatabasePlace::Server(server.client().await?)
            }
        };
        let store = match self.store().context(nowhere)? {
            StorePlace::File(path) => backup::StorePlace::File(path),
            StorePlace::Redis(url) => backup::StorePlace::Redis(url),
        };
        Ok(Installation { database, store })
    }

    /// Says that an application serves these data. Those of servers are not claimed: several processes share them. Several may
    /// share files too, but then both of them: bytes that one keeps elsewhere the others would miss.
    ///
    /// # Errors
    /// Fails while a backup is being restored, and where somebody serves this database with another key-value store.
    pub(crate) fn claim_to_serve(&self) -> Result<Option<Claim>> {
        let Some(mut lock) = self.lock()? else { return Ok(None) };
        let is_shared = !lock.is_had(File::try_lock)?;
        let store = self.store_beside(&lock.database);
        if !is_shared {
            lock.write(&store)?;
        }
        let mut waited = Duration::ZERO;
        while !lock.is_had(File::try_lock_shared)? {
            ensure!(waited < PATIENCE, "a backup is being restored here: start it when that is done");
            sleep(PAUSE);
            waited += PAUSE;
        }
        if is_shared {
            lock.require(&store)?;
        }
        Ok(Some(Claim { _file: lock.file, is_shared }))
    }

    /// Says that these data are being replaced.
    ///
    /// # Errors
    /// Fails while an application serves them with this host. Of one that `spin up` serves nothing is known.
    pub fn claim_to_replace(&self) -> Result<Option<Claim>> {
        let Some(lock) = self.lock()? else { return Ok(None) };
        ensure!(lock.is_had(File::try_lock)?, "an application serves these data: stop it first");
        Ok(Some(Claim { _file: lock.file, is_shared: false }))
    }

    fn lock(&self) -> Result<Option<Lock>> {
        let Some(database) = self.database().and_then(DatabasePlace::into_file) else { return Ok(None) };
        create_parent(&database)?;
        let mut name = database.clone().into_os_string();
        name.push(LOCK);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&name);
        let file = file.with_context(|| {
            format!("cannot open {}: who serves must be able to write to its folder", Path::new(&name).display())
        })?;
        Ok(Some(Lock { file, database }))
    }

    /// Where the key-value store is, as seen from the database: the folder of both may have several names.
    fn store_beside(&self, database: &Path) -> String {
        let folder = database.parent().map(whole_folder).unwrap_or_default();
        match self.store() {
            Some(StorePlace::File(path)) => {
                let path = whole_path(&path);
                path.strip_prefix(folder).unwrap_or(&path).display().to_string()
            }
            Some(store) => store.to_string(),
            None => String::new(),
        }
    }
}

/// The file that is locked by whoever uses a database. It holds the place of the key-value store that is used with it.
struct Lock {
    file: File,
    database: PathBuf,
}

impl Lock {
    /// Takes the lock, if it can be had.
    fn is_had(&self, take: fn(&File) -> Result<(), TryLockError>) -> Result<bool> {
        match take(&self.file) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error).context("the data cannot be locked"),
        }
    }

    fn write(&mut self, store: &str) -> Result<()> {
        let written = self.file.set_len(0).and_then(|()| self.file.write_all(store.as_bytes()));
        // A full disk is no reason not to serve what there is to read.
        if let Err(error) = written {
            tracing::warn!("cannot write beside {}: {error}", self.database.display());
        }
        Ok(())
    }

    /// Fails where whoever serves the database has another store.
    fn require(&mut self, store: &str) -> Result<()> {
        let mut theirs = String::new();
        self.file.read_to_string(&mut theirs)?;
        // Earlier releases wrote nothing.
        if !theirs.is_empty() && theirs != store {
            bail!(
                "another process serves {} with the key-value store {theirs}, and this one has {store}: files that one \
                 keeps the other would miss. Name the same store, or another --state-dir",
                self.database.display()
            );
        }
        Ok(())
    }
}

impl fmt::Display for Places {
    /// The database and the store, without what is secret in their addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.database(), self.store()) {
            (Some(database), Some(store)) => write!(f, "{database} and {store}"),
            _ => f.write_str("no place"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_runtime_configuration_has_elsewhere_are_found() {
        let folder = Path::new("/state");
        let places =
            |text: &str| Places { state_dir: folder.to_owned(), runtime_config: toml::from_str(text).unwrap() };
        assert_eq!(places("").file_outside(folder), None);
        let same = "[sqlite_database.default]\ntype = \"spin\"\npath = \"/state/sqlite_db.db\"";
        assert_eq!(places(same).file_outside(folder), None);
        let other = places("[key_value_store.default]\ntype = \"spin\"\npath = \"/else/kv.db\"");
        assert_eq!(other.file_outside(folder), Some("/else/kv.db".into()));
        assert_eq!(other.to_string(), "/state/sqlite_db.db and /else/kv.db");
    }

    #[test]
    fn data_are_not_replaced_while_they_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::find(Path::new("spin.toml"), Some(folder.path().to_owned()), None).unwrap();
        let serving = [places.claim_to_serve().unwrap(), places.claim_to_serve().unwrap()];
        assert!(places.claim_to_replace().err().unwrap().to_string().contains("stop it first"));
        drop(serving);
        let replacing = places.claim_to_replace().unwrap();
        assert!(places.claim_to_serve().is_err() && replacing.is_some());
        drop(replacing);
        places.claim_to_serve().unwrap();
    }

    #[test]
    fn who_serves_data_that_others_serve_is_told_so_and_may_not_keep_bytes_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let other_name = folder.path().join("../").join(folder.path().file_name().unwrap());
        let places = |folder: &Path, text: &str| Places {
            state_dir: folder.to_owned(),
            runtime_config: toml::from_str(text).unwrap(),
        };
        let usual = places(folder.path(), "");
        let elsewhere = places(folder.path(), "[key_value_store.default]\ntype = \"spin\"\npath = \"/else/kv.db\"");
        let is_shared = |places: &Places| places.claim_to_serve().map(|claim| claim.unwrap().is_shared);
        {
            let first = usual.claim_to_serve().unwrap().unwrap();
            assert!(!first.is_shared && is_shared(&usual).unwrap() && is_shared(&places(&other_name, "")).unwrap());
            let error = is_shared(&elsewhere).unwrap_err().to_string();
            assert!(error.contains("sqlite_key_value.db, and this one has /else/kv.db"), "{error}");
        }
        assert!(!is_shared(&elsewhere).unwrap(), "nobody serves any more");
        assert!(!is_shared(&usual).unwrap());
    }

    #[test]
    fn who_starts_at_the_same_time_is_not_taken_for_a_restoration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::thread::scope(|scope| {
            let start = || Places::find(Path::new("spin.toml"), Some(path.to_owned()), None).unwrap().claim_to_serve();
            let starting = [(); 8].map(|()| scope.spawn(start));
            let claims = starting.map(|start| start.join().unwrap().unwrap().unwrap());
            assert!(claims.iter().any(|claim| claim.is_shared));
        });
    }
}
