//! The operator's file, `--runtime-config-file`: where data lives and which networks are out of bounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// What is not listed here is an error rather than a wish that is quietly ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeConfig {
    #[serde(default)]
    sqlite_database: BTreeMap<String, Place>,
    #[serde(default)]
    key_value_store: BTreeMap<String, Place>,
    #[serde(default)]
    pub(crate) outbound_networking: OutboundNetworking,
    /// Connections are not pooled here, so the table is read and has no effect.
    #[serde(default, rename = "outbound_http")]
    _outbound_http: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Place {
    Spin { path: Option<PathBuf> },
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
        for Place::Spin { path } in config.key_value_store.values_mut() {
            *path = path.take().map(|path| folder.join(path));
        }
        Ok(config)
    }

    /// The file of the database `label`, if there is such a database.
    pub(crate) fn database(&self, label: &str, state_dir: &Path) -> Option<PathBuf> {
        place(&self.sqlite_database, label, || state_dir.join("sqlite_db.db"))
    }

    /// The file of the key-value store `label`, if there is such a store.
    pub(crate) fn store(&self, label: &str, state_dir: &Path) -> Option<PathBuf> {
        place(&self.key_value_store, label, || state_dir.join("sqlite_key_value.db"))
    }
}

/// Only the label `default` has a place without being told one.
fn place(places: &BTreeMap<String, Place>, label: &str, default: impl Fn() -> PathBuf) -> Option<PathBuf> {
    let configured = places.get(label).and_then(|Place::Spin { path }| path.clone());
    configured.or_else(|| (label == "default").then(default))
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
        assert_eq!(config.database("default", state), Some(PathBuf::from("/state/sqlite_db.db")));
        assert_eq!(config.database("archive", state), Some(PathBuf::from("archive.db")));
        assert_eq!(config.database("other", state), None);
        assert_eq!(config.store("default", state), Some(PathBuf::from("/state/sqlite_key_value.db")));
        assert_eq!(config.outbound_networking.block_networks, ["private"]);
    }

    #[test]
    fn backends_that_are_not_here_are_refused() {
        assert!(toml::from_str::<RuntimeConfig>("[sqlite_database.default]\ntype = \"libsql\"").is_err());
    }
}
