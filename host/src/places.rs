//! The places where an application keeps its data, and who may use them.

use std::fmt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use backup::Installation;

use crate::create_parent;
use crate::libsql_server::Server;
use crate::outbound;
use crate::runtime_config::{DatabasePlace, RuntimeConfig, StorePlace, whole_folder, whole_path};

/// The only database and the only store that Lectern has.
const LABEL: &str = "default";

/// The end of the name of the file beside the database that is locked by whoever uses it.
const LOCK: &str = "-in-use";

/// Where an application keeps its data.
pub struct Places {
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_config: RuntimeConfig,
}

/// Says that somebody uses the data of a folder, until it is dropped or the process ends.
pub struct Claim {
    _file: File,
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

    /// Says that an application serves these data. Those of servers are not claimed: several processes share them.
    ///
    /// # Errors
    /// Fails while a backup is being restored.
    pub(crate) fn claim_to_serve(&self) -> Result<Option<Claim>> {
        self.claim(File::try_lock_shared, "a backup is being restored here")
    }

    /// Says that these data are being replaced.
    ///
    /// # Errors
    /// Fails while an application serves them with this host. Of one that `spin up` serves nothing is known.
    pub fn claim_to_replace(&self) -> Result<Option<Claim>> {
        self.claim(File::try_lock, "an application serves these data: stop it first")
    }

    fn claim(&self, lock: fn(&File) -> Result<(), TryLockError>, taken: &str) -> Result<Option<Claim>> {
        let Some(path) = self.database().and_then(DatabasePlace::into_file) else { return Ok(None) };
        create_parent(&path)?;
        let mut name = path.into_os_string();
        name.push(LOCK);
        let file = File::options().write(true).create(true).truncate(false).open(&name);
        let file = file.with_context(|| format!("cannot open {}", Path::new(&name).display()))?;
        match lock(&file) {
            Ok(()) => Ok(Some(Claim { _file: file })),
            Err(TryLockError::WouldBlock) => bail!("{taken}"),
            Err(TryLockError::Error(error)) => Err(error).context("the data cannot be locked"),
        }
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
        let folder = std::env::temp_dir().join(format!("places-{}", std::process::id()));
        let places = Places::find(Path::new("spin.toml"), Some(folder.clone()), None).unwrap();
        let serving = [places.claim_to_serve().unwrap(), places.claim_to_serve().unwrap()];
        assert!(places.claim_to_replace().err().unwrap().to_string().contains("stop it first"));
        drop(serving);
        let replacing = places.claim_to_replace().unwrap();
        assert!(places.claim_to_serve().is_err() && replacing.is_some());
        drop(replacing);
        places.claim_to_serve().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}
