//! The application in several processes, which share a libSQL server and a Redis server, behind one front.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::{Context, Result};
use libsql_test_server::{Options, Server};

use crate::app::{App, Launch};
use crate::folder::{DataFolder, RUNTIME_CONFIG};
use crate::front;
use crate::redis::Redis;

/// By this variable of the environment the contract tests are told with how many processes to run.
pub const PROCESSES: &str = "LECTERN_TEST_PROCESSES";

/// The servers that processes share.
pub struct Servers {
    /// The address of the libSQL server.
    pub libsql_url: String,
    /// What it wants to see of those who call; empty: nothing.
    pub libsql_token: String,
    /// The address of the Redis server; empty: each process has its own file.
    pub redis_url: String,
}

/// Where the shared data are: servers that the environment names, or others that are started here.
struct Stores {
    servers: Servers,
    /// The file of the database, where we started its server.
    database: Option<PathBuf>,
    redis: Option<Redis>,
}

/// The processes and their front. They end when this value is dropped.
pub struct Scaled {
    /// The address of the front, without a slash at the end.
    pub base_url: String,
    processes: Vec<App>,
    stores: Stores,
}

/// A variable of the environment that is not empty.
fn environment_value(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Stores {
    async fn open(folder: &Path, is_guarded: bool) -> Result<Self> {
        let database = folder.join("libsql.db");
        let (libsql_url, database) = match environment_value("LECTERN_LIBSQL_URL") {
            Some(url) => (url, None),
            None => (Server::start(&database, "127.0.0.1:0", options()?).await?.url, Some(database)),
        };
        let redis = match environment_value("LECTERN_REDIS_URL") {
            Some(_) => None,
            None => Some(Redis::start(folder, is_guarded.then_some(folder)).await?),
        };
        let started = || redis.as_ref().map(|redis| redis.url.clone());
        let servers = Servers {
            libsql_url,
            libsql_token: environment_value("LECTERN_LIBSQL_TOKEN").unwrap_or_default(),
            redis_url: environment_value("LECTERN_REDIS_URL").or_else(started).unwrap_or_default(),
        };
        Ok(Self { servers, database, redis })
    }
}

impl Servers {
    /// The runtime configuration of each process.
    pub fn runtime_config(&self) -> Result<String> {
        let text = |pairs: &[(&str, &str)]| -> toml::Table {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
        };
        let labelled = |table: toml::Table| toml::Table::from_iter([("default".to_owned(), table.into())]);
        let database = text(&[("type", "libsql"), ("url", &self.libsql_url), ("token", &self.libsql_token)]);
        let mut config = toml::Table::from_iter([("sqlite_database".to_owned(), labelled(database).into())]);
        if !self.redis_url.is_empty() {
            let store = text(&[("type", "redis"), ("url", &self.redis_url)]);
            config.insert("key_value_store".to_owned(), labelled(store).into());
        }
        Ok(toml::to_string(&config)?)
    }
}

/// `LECTERN_LIBSQL_DELAY` tells how many milliseconds away the server that is started here seems to be.
fn options() -> Result<Options> {
    let delay = environment_value("LECTERN_LIBSQL_DELAY").map(|delay| delay.parse()).transpose();
    let delay = delay.context("LECTERN_LIBSQL_DELAY is a number of milliseconds")?.unwrap_or_default();
    Ok(Options { delay: std::time::Duration::from_millis(delay), ..Options::default() })
}

impl Scaled {
    /// Starts so many processes. What `launch` says is said of the front and, but for the address, of each process.
    pub async fn start(launch: &Launch<'_>, processes: usize) -> Result<Self> {
        Self::start_each(launch, processes, false).await
    }

    /// The same, with shells that kill the processes and remove their folders when this process ends, however it ends.
    pub async fn start_guarded(launch: &Launch<'_>, processes: usize) -> Result<Self> {
        Self::start_each(launch, processes, true).await
    }

    async fn start_each(launch: &Launch<'_>, processes: usize, is_guarded: bool) -> Result<Self> {
        let folder = launch.folder.path();
        let stores = Stores::open(folder, is_guarded).await?;
        let config = stores.servers.runtime_config()?;
        let mut started = Vec::new();
        // One after the other: the first compiles for all.
        for number in 1..=processes {
            let own = DataFolder::open(folder.join(format!("process-{number}")))?;
            own.write_private(RUNTIME_CONFIG, &config)?;
            let launch = Launch { listen: "127.0.0.1:0", folder: &own, ..*launch };
            started.push(if is_guarded { App::start_guarded(&launch).await? } else { App::start(&launch).await? });
        }
        let addresses = started.iter().map(|app| app.base_url.trim_start_matches("http://").to_owned());
        let base_url = front::start(launch.listen, addresses.collect()).await?.base_url;
        Ok(Self { base_url, processes: started, stores })
    }

    /// The file of the database, where its server was started here.
    pub fn database(&self) -> Option<&Path> {
        self.stores.database.as_deref()
    }

    /// The ids of the processes that serve.
    pub fn pids(&self) -> Vec<u32> {
        self.processes.iter().filter_map(App::pid).collect()
    }

    /// From now on the log lines of requests are shown.
    pub fn show_logs(&self) {
        self.processes.iter().for_each(App::show_logs);
    }

    /// Waits until all processes have ended by themselves: while one is there, it serves.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        let mut last = ExitStatus::default();
        for process in &mut self.processes {
            last = process.ended().await?;
        }
        Ok(last)
    }

    /// Asks all processes to stop, and waits until they have.
    pub async fn stop(self) -> Result<()> {
        for process in self.processes {
            process.stop().await?;
        }
        match self.stores.redis {
            Some(redis) => redis.stop().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_names_both_servers() {
        let servers = Servers {
            libsql_url: "http://127.0.0.1:1".to_owned(),
            libsql_token: "a\"b".to_owned(),
            redis_url: "redis://127.0.0.1:2".to_owned(),
        };
        let config: toml::Table = toml::from_str(&servers.runtime_config().unwrap()).unwrap();
        assert_eq!(config["sqlite_database"]["default"]["token"].as_str(), Some("a\"b"));
        assert_eq!(config["key_value_store"]["default"]["type"].as_str(), Some("redis"));
    }
}
