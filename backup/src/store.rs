//! The key-value store: the table that Spin keeps in a file, or Redis, where each key is as it is, without a prefix.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use rusqlite::{Connection, OptionalExtension};

use crate::StorePlace;
use crate::place::open_file;

/// The only store that Lectern has.
const LABEL: &str = "default";

/// Keys that are asked for at once. Whoever writes to a file waits for no longer than one such read.
const PAGE: i64 = 2_000;
/// Keys that are written at once: a value has a quarter of a megabyte.
const BATCH: usize = 16;

/// The time that a Redis server has to take a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time that it has to answer: it may stop for seconds to write down what it has.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// What the keys of blobs begin with. Whatever else is in Redis belongs to others.
const BLOB_KEYS: &str = "blob/*";

const TABLE: &str = "CREATE TABLE IF NOT EXISTS spin_key_value (
    store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key)
)";

/// A key and its value.
pub(crate) type Pair = (String, Vec<u8>);

/// An open store.
pub(crate) enum Store {
    File(Connection),
    Redis(MultiplexedConnection),
    /// A file that is not there has no keys.
    Nowhere,
}

impl Store {
    /// Opens the store to read it.
    pub(crate) async fn open(place: &StorePlace) -> Result<Self> {
        match place {
            StorePlace::File(path) if !path.exists() => Ok(Self::Nowhere),
            StorePlace::File(path) => {
                let connection = open_file(path)?;
                let is_store = "SELECT 1 FROM sqlite_schema WHERE name = 'spin_key_value'";
                let is_store = connection.prepare(is_store)?.exists(())?;
                Ok(if is_store { Self::File(connection) } else { Self::Nowhere })
            }
            StorePlace::Redis(url) => {
                // The address may hold a password: it is not repeated.
                let client =
                    redis::Client::open(url.as_str()).context("the address of the Redis server cannot be used")?;
                let config = AsyncConnectionConfig::new();
                let config = config.set_connection_timeout(Some(CONNECT_TIMEOUT));
                let config = config.set_response_timeout(Some(ANSWER_TIMEOUT));
                let connection = client.get_multiplexed_async_connection_with_config(&config).await;
                Ok(Self::Redis(connection.context("the Redis server cannot be reached")?))
            }
        }
    }

    /// Opens the store to write to it: a file is made if there is none.
    pub(crate) async fn open_to_write(place: &StorePlace) -> Result<Self> {
        match place {
            StorePlace::File(path) => Self::create(path),
            StorePlace::Redis(_) => Self::open(place).await,
        }
    }

    /// Opens a file, which is made if there is none.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let connection = Connection::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        connection.execute_batch(TABLE)?;
        Ok(Self::File(connection))
    }

    /// The keys after `after`, a page of them, with the lengths of their values. No keys are the end.
    fn page(connection: &Connection, after: &str) -> Result<Vec<(String, u64)>> {
        let sql = "SELECT key, length(value) FROM spin_key_value WHERE store = ?1 AND key > ?2 ORDER BY key LIMIT ?3";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map((LABEL, after, PAGE), |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        rows.map(|row| row.map_err(anyhow::Error::from).and_then(|(key, length)| Ok((key, u64::try_from(length)?))))
            .collect()
    }

    /// All keys with the lengths of their values. Of Redis, the keys of blobs.
    pub(crate) async fn lengths(&mut self) -> Result<BTreeMap<String, u64>> {
        let mut lengths = BTreeMap::new();
        match self {
            Self::Nowhere => {}
            Self::File(connection) => loop {
                let after = lengths.last_key_value().map_or("", |(key, _): (&String, _)| key.as_str());
                let page = Self::page(connection, after)?;
                if page.is_empty() {
                    break;
                }
                lengths.extend(page);
            },
            Self::Redis(connection) => {
                let mut cursor = 0_u64;
                loop {
                    let mut scan = redis::cmd("SCAN");
                    scan.arg(cursor).arg("MATCH").arg(BLOB_KEYS).arg("COUNT").arg(PAGE);
                    let (next, keys): (u64, Vec<String>) = scan.query_async(connection).await?;
                    let mut asked = redis::pipe();
                    for key in &keys {
                        asked.cmd("STRLEN").arg(key);
                    }
                    // A portion of the keys may have none that is wanted.
                    if !keys.is_empty() {
                        let found: Vec<u64> = asked.query_async(connection).await?;
                        lengths.extend(keys.into_iter().zip(found));
                    }
                    cursor = next;
                    if cursor == 0 {
                        break;
                    }
                }
            }
        }
        Ok(lengths)
    }

    /// The value of a key.
    pub(crate) async fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>> {
        match self {
            Self::Nowhere => Ok(None),
            Self::File(connection) => Ok(connection
                .prepare_cached("SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2")?
                .query_row((LABEL, key), |row| row.get(0))
                .optional()?),
            Self::Redis(connection) => Ok(redis::AsyncCommands::get(connection, key).await?),
        }
    }

    /// Writes values, in one transaction where there are transactions.
    pub(crate) async fn set(&mut self, pairs: &[Pair]) -> Result<()> {
        match self {
            Self::Nowhere => anyhow::bail!("the key-value store was opened to be read"),
            Self::File(connection) => {
                let transaction = connection.transaction()?;
                for (key, value) in pairs {
                    let insert = "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
                        ON CONFLICT (store, key) DO UPDATE SET value = excluded.value";
                    transaction.prepare_cached(insert)?.execute((LABEL, key, value))?;
                }
                Ok(transaction.commit()?)
            }
            Self::Redis(connection) => {
                if !pairs.is_empty() {
                    let mut set = redis::cmd("MSET");
                    for (key, value) in pairs {
                        set.arg(key).arg(value);
                    }
                    let _ok: String = set.query_async(connection).await?;
                }
                Ok(())
            }
        }
    }

    /// Deletes keys.
    pub(crate) async fn delete(&mut self, keys: &[String]) -> Result<()> {
        match self {
            Self::Nowhere => Ok(()),
            Self::File(connection) => {
                let transaction = connection.transaction()?;
                for key in keys {
                    let delete = "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2";
                    transaction.prepare_cached(delete)?.execute((LABEL, key))?;
                }
                Ok(transaction.commit()?)
            }
            Self::Redis(connection) => {
                for some in keys.chunks(BATCH) {
                    let _deleted: u64 = redis::cmd("DEL").arg(some).query_async(connection).await?;
                }
                Ok(())
            }
        }
    }

    /// Copies values of those keys from another store; a key that is not there is passed over.
    pub(crate) async fn copy_from(&mut self, from: &mut Self, keys: &[String]) -> Result<()> {
        for some in keys.chunks(BATCH) {
            let mut pairs = Vec::new();
            for key in some {
                pairs.extend(from.get(key).await?.map(|value| (key.clone(), value)));
            }
            self.set(&pairs).await?;
        }
        Ok(())
    }

    /// Fails unless the file has no other store than Lectern's.
    pub(crate) fn require_own(&self) -> Result<()> {
        let Self::File(connection) = self else { return Ok(()) };
        let other = "SELECT store FROM spin_key_value WHERE store <> ?1 LIMIT 1";
        let other: Option<String> = connection.query_row(other, (LABEL,), |row| row.get(0)).optional()?;
        ensure!(other.is_none(), "the file has a store that is not Lectern's: {other:?}");
        Ok(())
    }
}
