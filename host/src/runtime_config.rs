//! The operator's file, `--runtime-config-file`: where data lives, in files or on
//! servers, and which networks are out of bounds.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// What is not listed here is an error rather than a wish that is quietly ignored.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeConfig {
    #[serde(default)]
    sqlite_database: BTreeMap<String, DatabaseConfig>,
    #[serde(default)]
    key_value_store: BTreeMap<String, StoreConfig>,
    #[serde(default)]
    pub(crate) outbound_networking: OutboundNetworking,
    /// Connections are not pooled here, so the table is read and has no effect.
    #[serde(default, rename = "outbound_http")]
    _outbound_http: toml::Table,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum DatabaseConfig {
    Spin { path: Option<PathBuf> },
    Libsql { url: String, token: String },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum StoreConfig {
    Spin { path: Option<PathBuf> },
    Redis { url: String },
}

/// Where a database is.
#[derive(PartialEq)]
pub(crate) enum DatabasePlace {
    File(PathBuf),
    Libsql { url: String, token: String },
}

/// Where a key-value store is.
#[derive(PartialEq)]
pub(crate) enum StorePlace {
    File(PathBuf),
    /// The address of a Redis server.
    Redis(String),
}

impl DatabasePlace {
    /// Its file, if it is one.
    pub(crate) fn into_file(self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Libsql { .. } => None,
        }
    }
}

impl StorePlace {
    /// Its file, if it is one.
    pub(crate) fn into_file(self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Redis(_) => None,
        }
    }
}

impl fmt::Display for DatabasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => whole_path(path).display().fmt(f),
            Self::Libsql { url, .. } => f.write_str(&without_secrets(url)),
        }
    }
}

impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => whole_path(path).display().fmt(f),
            Self::Redis(url) => f.write_str(&without_secrets(url)),
        }
    }
}

/// The path of a file from the root, in the folder that its links lead to.
pub(crate) fn whole_path(file: &Path) -> PathBuf {
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => whole_folder(folder).join(name),
        _ => file.to_owned(),
    }
}

/// The path of a folder from the root, and as its links lead, if it is there.
pub(crate) fn whole_folder(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_owned())
}

/// The address without what may be secret in it: a user with a password, and what stands behind the path.
fn without_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", authority.rsplit_once('@').map_or(authority, |(_, host)| host))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutboundNetworking {
    /// `"private"` or networks in CIDR notation.
    #[serde(default)]
    pub(crate) block_networks: Vec<String>,
}

impl RuntimeConfig {
    /// Reads the file. Relative paths of key-value stores start at its folder, those of databases at the current
    /// folder, as in Spin.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the runtime configuration {}", path.display()))?;
        let mut config: Self = toml::from_str(&text)
            .with_context(|| format!("{} is not a usable runtime configuration", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for store in config.key_value_store.values_mut() {
            if let StoreConfig::Spin { path } = store {
                *path = path.take().map(|path| folder.join(path));
            }
        }
        for (label, database) in &config.sqlite_database {
            if let DatabaseConfig::Libsql { url, .. } = database {
                let is_known = ["http://", "https://", "libsql://"].iter().any(|scheme| url.starts_with(scheme));
                ensure!(
                    is_known,
                    "the database \"{label}\" has the address {url:?}, which is not one of a libSQL server"
                );
            }
        }
        Ok(config)
    }

    /// The place of the database `label`, if there is such a database.
    pub(crate) fn database(&self, label: &str, state_dir: &Path) -> Option<DatabasePlace> {
        match self.sqlite_database.get(label) {
            Some(DatabaseConfig::Libsql { url, token }) => {
                Some(DatabasePlace::Libsql { url: url.clone(), token: token.clone() })
            }
            Some(DatabaseConfig::Spin { path: Some(path) }) => Some(DatabasePlace::File(path.clone())),
            _ => default_file(label, state_dir, "sqlite_db.db").map(DatabasePlace::File),
        }
    }

    /// The place of the key-value store `label`, if there is such a store.
    pub(crate) fn store(&self, label: &str, state_dir: &Path) -> Option<StorePlace> {
        match self.key_value_store.get(label) {
            Some(StoreConfig::Redis { url }) => Some(StorePlace::Redis(url.clone())),
            Some(StoreConfig::Spin { path: Some(path) }) => Some(StorePlace::File(path.clone())),
            _ => default_file(label, state_dir, "sqlite_key_value.db").map(StorePlace::File),
        }
    }
}

/// Only the label `default` has a place without being told one.
fn default_file(label: &str, state_dir: &Path, name: &str) -> Option<PathBuf> {
    (label == "default").then(|| state_dir.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_label_needs_no_configuration() {
        let text = "[sqlite_database.archive]\ntype = \"spin\"\npath = \"archive.db\"\n\
                    [outbound_networking]\nblock_networks = [\"private\"]";
        let config: RuntimeConfig = toml::from_str(text).unwrap();
        let state = Path::new("/state");
        let database = |label| match config.database(label, state) {
            Some(DatabasePlace::File(path)) => Some(path),
            _ => None,
        };
        assert_eq!(database("default"), Some(PathBuf::from("/state/sqlite_db.db")));
        assert_eq!(database("archive"), Some(PathBuf::from("archive.db")));
        assert_eq!(database("other"), None);
        let StorePlace::File(store) = config.store("default", state).unwrap() else { panic!() };
        assert_eq!(store, PathBuf::from("/state/sqlite_key_value.db"));
        assert!(config.store("other", state).is_none());
        assert_eq!(config.outbound_networking.block_networks, ["private"]);
    }

    #[test]
    fn servers_are_named_with_their_addresses() {
        let text = "[sqlite_database.default]\ntype = \"libsql\"\nurl = \"https://db\"\ntoken = \"t\"\n\
                    [key_value_store.default]\ntype = \"redis\"\nurl = \"redis://cache\"";
        let config: RuntimeConfig = toml::from_str(text).unwrap();
        let state = Path::new("/state");
        let server = DatabasePlace::Libsql { url: "https://db".to_owned(), token: "t".to_owned() };
        assert!(config.database("default", state) == Some(server));
        assert!(config.store("default", state) == Some(StorePlace::Redis("redis://cache".to_owned())));
    }

    #[test]
    fn nothing_secret_is_in_the_words_of_a_place() {
        for (address, shown) in [
            ("redis://user:p@ss@cache:6379/0", "redis://cache:6379/0"),
            ("redis+unix:///run/redis.sock?pass=secret", "redis+unix:///run/redis.sock"),
            ("redis://cache/a@b#c", "redis://cache/a@b"),
        ] {
            assert_eq!(StorePlace::Redis(address.to_owned()).to_string(), shown);
        }
        let libsql = DatabasePlace::Libsql { url: "libsql://db".to_owned(), token: "secret".to_owned() };
        assert_eq!(libsql.to_string(), "libsql://db");
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        let path = std::env::temp_dir().join(format!("runtime-config-{}.toml", std::process::id()));
        std::fs::write(&path, "[sqlite_database.default]\ntype = \"libsql\"\nurl = \"db\"\ntoken = \"t\"").unwrap();
        assert!(RuntimeConfig::load(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn backends_that_are_not_here_are_refused() {
        for text in [
            "[sqlite_database.default]\ntype = \"libsql\"",
            "[key_value_store.default]\ntype = \"azure_cosmos\"",
            "[sqlite_database.default]\ntype = \"libsql\"\nurl = \"https://db\"\ntoken = \"t\"\npath = \"x\"",
        ] {
            assert!(toml::from_str::<RuntimeConfig>(text).is_err(), "{text}");
        }
    }
}
