//! Moving an installation from its data folder to a libSQL server and a Redis server, and back: all tables, all keys, and the
//! proof that both sides have the same.

mod connection;
mod database;
mod hrana;
mod rehearsal;
mod store;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use rusqlite::{Connection, OpenFlags};
use xtask::app::Runtime;
use xtask::folder::DataFolder;
use xtask::manifest;
use xtask::scaled::Servers;

use crate::{Data, compile};
use database::Database;
pub(crate) use rehearsal::rehearse;
use store::Store;

/// The files of a data folder, as Spin names them.
const DATABASE: &str = "sqlite_db.db";
const KEY_VALUES: &str = "sqlite_key_value.db";

/// The direction.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// From the data folder, on which no app runs, to servers that are empty.
    ToServers(Places),
    /// From servers, which no app uses, to a data folder without data.
    ToFolder(Places),
    /// Move demo data there and back between servers that are started for it, compare all of it, and start the app on both.
    Rehearse,
}

/// The two places.
#[derive(Args)]
pub(crate) struct Places {
    #[command(flatten)]
    data: Data,
    /// The address of the libSQL server: http, https or libsql.
    #[arg(long, env = "LECTERN_LIBSQL_URL")]
    libsql_url: String,
    /// What the libSQL server wants to see of those who call.
    #[arg(long, env = "LECTERN_LIBSQL_TOKEN", default_value = "", hide_env_values = true)]
    libsql_token: String,
    /// The address of the Redis server, with the number of a database that has nothing else in it.
    #[arg(long, env = "LECTERN_REDIS_URL", hide_env_values = true)]
    redis_url: String,
}

impl Places {
    fn open(self) -> Result<(DataFolder, Servers)> {
        let folder = self.data.folder()?;
        let running = folder.address();
        ensure!(running.is_none(), "an app runs on {}: stop it first", folder.path().display());
        let Self { libsql_url, libsql_token, redis_url, .. } = self;
        Ok((folder, Servers { libsql_url, libsql_token, redis_url }))
    }
}

pub(crate) async fn run(options: Options) -> Result<()> {
    match options {
        Options::ToServers(places) => {
            let (folder, servers) = places.open()?;
            to_servers(&folder, &servers).await
        }
        Options::ToFolder(places) => {
            let (folder, servers) = places.open()?;
            to_folder(&servers, &folder).await
        }
        Options::Rehearse => {
            if !manifest::is_another() {
                compile::all(Runtime::Host).await?;
            }
            rehearse().await
        }
    }
}

/// Moves everything from the folder. What is there stays.
async fn to_servers(folder: &DataFolder, servers: &Servers) -> Result<()> {
    let (mut database, mut store) = in_folder(folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let (mut far_database, mut far_store) = on_servers(servers).await?;
    everything((&mut database, &mut store), (&mut far_database, &mut far_store)).await
}

/// Moves everything to the folder. What is on the servers stays.
async fn to_folder(servers: &Servers, folder: &DataFolder) -> Result<()> {
    let (mut far_database, mut far_store) = on_servers(servers).await?;
    let (mut database, mut store) =
        in_folder(folder, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    everything((&mut far_database, &mut far_store), (&mut database, &mut store)).await
}

/// All keys of a Redis server.
pub(crate) async fn redis_keys(url: &str) -> Result<Vec<String>> {
    Store::in_redis(url).await?.keys().await
}

/// The files of a folder.
fn in_folder(folder: &DataFolder, flags: OpenFlags) -> Result<(Database, Store)> {
    let open = |name: &str| Connection::open_with_flags(folder.path().join(name), flags);
    Ok((Database::File(open(DATABASE)?), Store::in_file(open(KEY_VALUES)?)?))
}

async fn on_servers(servers: &Servers) -> Result<(Database, Store)> {
    let database = hrana::Server::new(&servers.libsql_url, &servers.libsql_token)?;
    Ok((Database::Server(database), Store::in_redis(&servers.redis_url).await?))
}

/// Bytes first: what the database names is there when it is.
async fn everything(from: (&mut Database, &mut Store), to: (&mut Database, &mut Store)) -> Result<()> {
    database::require_empty(to.0).await?;
    let keys = store::copy(from.1, to.1).await?;
    println!("{} keys, {} bytes, SHA-256 {}", keys.keys, keys.bytes, keys.sum);
    let tables = database::copy(from.0, to.0).await?;
    for (table, digest) in tables.iter().filter(|(_, digest)| digest.rows > 0) {
        println!("{table}: {} rows, SHA-256 {}", digest.rows, digest.sum);
    }
    println!(
        "{} tables, {} rows: both sides have the same",
        tables.len(),
        tables.values().map(|digest| digest.rows).sum::<u64>()
    );
    Ok(())
}
