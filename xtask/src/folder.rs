//! The data folder: the databases, and the secrets that were made for them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use uuid::Uuid;

/// Values of Spin variables, by name.
pub type Variables = BTreeMap<String, String>;

/// A file in a data folder that says where its application keeps its data, if elsewhere: Spin's runtime configuration.
pub const RUNTIME_CONFIG: &str = "runtime-config.toml";

const PREFIX: &str = "SPIN_VARIABLE_";

/// Where an application keeps its state.
#[derive(Debug, Clone)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// The folder, which is made if it is not there.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        fs::create_dir_all(&path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        // The application runs in the folder of the workspace, whoever calls from wherever.
        Ok(Self(path.canonicalize()?))
    }

    /// The folder, if it is there.
    pub fn existing(path: impl AsRef<Path>) -> Option<Self> {
        path.as_ref().canonicalize().ok().filter(|path| path.is_dir()).map(Self)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The runtime configuration in the folder, if there is one.
    pub fn runtime_config(&self) -> Option<PathBuf> {
        Some(self.0.join(RUNTIME_CONFIG)).filter(|path| path.is_file())
    }

    /// Writes a file in the folder that only its owner may read, whole or not at all.
    pub fn write_private(&self, name: &str, text: &str) -> Result<()> {
        let path = self.0.join(name);
        write_private(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// True if no application has run on it yet.
    pub fn is_empty(&self) -> bool {
        !self.0.join("sqlite_db.db").exists()
    }

    /// The variables of an application on this folder: the folder's own secrets, which the environment overrides.
    pub fn variables(&self) -> Result<Variables> {
        let mut variables = self.secrets()?;
        variables.extend(of_environment());
        Ok(variables)
    }

    /// The secrets, made when they are asked for the first time. The file can be read by a shell too.
    fn secrets(&self) -> Result<Variables> {
        let path = self.0.join("lectern.env");
        let mut secrets = match fs::read_to_string(&path) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Variables::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let known = secrets.len();
        for name in ["token_secret", "admin_client_id", "admin_client_secret", "tick_token", "status_token"] {
            secrets.entry(name.to_owned()).or_insert_with(secret);
        }
        if secrets.len() > known {
            self.write_private("lectern.env", &print(&secrets))?;
        }
        Ok(secrets)
    }

    /// The address of the application that runs on this folder, if one does.
    pub fn address(&self) -> Option<String> {
        fs::read_to_string(self.0.join("address")).ok().map(|text| text.trim().to_owned())
    }

    /// Notes where the application runs, or that it runs no more.
    pub fn set_address(&self, address: Option<&str>) -> Result<()> {
        let path = self.0.join("address");
        match address {
            Some(address) => fs::write(&path, format!("{address}\n")),
            None => match fs::remove_file(&path) {
                // Another application on this folder has ended before.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        }
        .with_context(|| format!("cannot change {}", path.display()))
    }
}

/// Where components connect to on a developer's machine beside public hosts: to receivers on it, and to a model that
/// has no https.
pub fn of_development() -> Variables {
    let variables = [
        ("development_host", "http://127.0.0.1:*"),
        ("development_host_name", "http://localhost:*"),
        ("ai_http_host", "http://*:*"),
    ];
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The variables that the environment sets.
pub fn of_environment() -> Variables {
    let named = |(name, value): (String, String)| Some((name.strip_prefix(PREFIX)?.to_ascii_lowercase(), value));
    std::env::vars().filter_map(named).collect()
}

/// The name of the environment variable that sets a Spin variable.
pub fn environment_name(variable: &str) -> String {
    format!("{PREFIX}{}", variable.to_ascii_uppercase())
}

fn secret() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

fn parse(text: &str) -> Variables {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(PREFIX)?.split_once('='));
    lines.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect()
}

fn print(variables: &Variables) -> String {
    variables.iter().map(|(name, value)| format!("{}={value}\n", environment_name(name))).collect()
}

/// Writes a file that only its owner may read, whole or not at all.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension("new");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_made_once_and_are_private() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(temporary.path().join("new")).unwrap();
        let first = folder.secrets().unwrap();
        assert_eq!(first, folder.secrets().unwrap());
        assert_eq!(first.len(), 5);
        assert!(first.values().all(|secret| secret.len() == 64));
        let mode = fs::metadata(folder.path().join("lectern.env")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn asking_for_a_folder_does_not_make_it() {
        let temporary = tempfile::tempdir().unwrap();
        let asked = temporary.path().join("typo");
        assert!(DataFolder::existing(&asked).is_none() && !asked.exists());
        assert!(DataFolder::existing(temporary.path()).is_some());
    }

    #[test]
    fn that_it_runs_no_more_may_be_noted_twice() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(temporary.path()).unwrap();
        folder.set_address(Some("http://127.0.0.1:3000")).unwrap();
        assert_eq!(folder.address().as_deref(), Some("http://127.0.0.1:3000"));
        for _ in 0..2 {
            folder.set_address(None).unwrap();
            assert_eq!(folder.address(), None);
        }
    }

    #[test]
    fn what_an_older_file_lacks_is_added() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(temporary.path()).unwrap();
        fs::write(folder.path().join("lectern.env"), "# mine\nSPIN_VARIABLE_TOKEN_SECRET=a=b\n").unwrap();
        let secrets = folder.secrets().unwrap();
        assert_eq!(secrets.get("token_secret").map(String::as_str), Some("a=b"));
        assert!(secrets.contains_key("tick_token"));
    }
}
