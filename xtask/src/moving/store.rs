//! The bytes of files: in the table that Spin keeps in a file, or in Redis, where each key is as it is, without a prefix.

use std::time::Duration;

use anyhow::{Result, ensure};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, AsyncTypedCommands};
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest as _, Sha256};

use super::database::hex;

/// The only store that Lectern has.
const LABEL: &str = "default";

/// Keys that go over the network at once. A value is a quarter of a megabyte; images are up to one.
const BATCH: usize = 8;
const SCANNED: usize = 1_000;
/// The time that a Redis server has to answer: it may stop for seconds to write down what it has.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Where a store is.
pub(super) enum Store {
    File(Connection),
    Redis(MultiplexedConnection),
}

/// The contents of a store, in the order of the keys.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) keys: usize,
    pub(super) bytes: usize,
    pub(super) sum: String,
}

type Pair = (String, Vec<u8>);

impl Store {
    /// The table is made if it is not there.
    pub(super) fn in_file(connection: Connection) -> Result<Self> {
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS spin_key_value (
                 store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key)
             )",
        )?;
        let other = "SELECT store FROM spin_key_value WHERE store <> ?1 LIMIT 1";
        let other: Option<String> = connection.query_row(other, (LABEL,), |row| row.get(0)).optional()?;
        ensure!(other.is_none(), "the file has a store that is not Lectern's: {other:?}");
        Ok(Self::File(connection))
    }

    pub(super) async fn in_redis(url: &str) -> Result<Self> {
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(ANSWER_TIMEOUT));
        Ok(Self::Redis(redis::Client::open(url)?.get_multiplexed_async_connection_with_config(&config).await?))
    }

    /// All keys, in their order.
    pub(super) async fn keys(&mut self) -> Result<Vec<String>> {
        let mut keys = match self {
            Self::File(connection) => {
                let mut statement = connection.prepare_cached("SELECT key FROM spin_key_value WHERE store = ?1")?;
                let keys = statement.query_map((LABEL,), |row| row.get(0))?;
                keys.collect::<rusqlite::Result<Vec<String>>>()?
            }
            Self::Redis(connection) => scan(connection).await?,
        };
        keys.sort();
        // Redis may tell of a key twice.
        keys.dedup();
        Ok(keys)
    }

    async fn get(&mut self, keys: &[String]) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        for key in keys {
            let value: Option<Vec<u8>> = match self {
                Self::File(connection) => connection
                    .prepare_cached("SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2")?
                    .query_row((LABEL, key), |row| row.get(0))
                    .optional()?,
                Self::Redis(connection) => redis::AsyncCommands::get(connection, key).await?,
            };
            // It went in between: somebody uses the store.
            let value = value.ok_or_else(|| anyhow::anyhow!("{key} has gone: an app uses this store"))?;
            pairs.push((key.clone(), value));
        }
        Ok(pairs)
    }

    async fn set(&mut self, pairs: &[Pair]) -> Result<()> {
        match self {
            Self::File(connection) => {
                let transaction = connection.transaction()?;
                for (key, value) in pairs {
                    let insert = "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)";
                    transaction.prepare_cached(insert)?.execute((LABEL, key, value))?;
                }
                Ok(transaction.commit()?)
            }
            Self::Redis(connection) => Ok(connection.mset(pairs).await?),
        }
    }

    async fn digest(&mut self) -> Result<Digest> {
        let keys = self.keys().await?;
        let (mut bytes, mut hash) = (0, Sha256::new());
        for batch in keys.chunks(BATCH) {
            for (key, value) in self.get(batch).await? {
                for part in [key.as_bytes(), &value] {
                    hash.update(part.len().to_be_bytes());
                    hash.update(part);
                }
                bytes += value.len();
            }
        }
        Ok(Digest { keys: keys.len(), bytes, sum: hex(&hash.finalize()) })
    }
}

async fn scan(connection: &mut MultiplexedConnection) -> Result<Vec<String>> {
    let (mut keys, mut cursor) = (Vec::new(), 0_u64);
    loop {
        let mut command = redis::cmd("SCAN");
        command.arg(cursor).arg("COUNT").arg(SCANNED);
        let (next, some): (u64, Vec<String>) = command.query_async(connection).await?;
        keys.extend(some);
        cursor = next;
        if cursor == 0 {
            return Ok(keys);
        }
    }
}

/// Copies all keys to a store that has none, and fails if both are not the same afterwards. Answers what they have.
pub(super) async fn copy(from: &mut Store, to: &mut Store) -> Result<Digest> {
    ensure!(to.keys().await?.is_empty(), "the key-value store to move to is not empty");
    for batch in from.keys().await?.chunks(BATCH) {
        let pairs = from.get(batch).await?;
        to.set(&pairs).await?;
    }
    compare(from, to).await
}

/// Fails if the stores differ. Answers what both have.
pub(super) async fn compare(one: &mut Store, other: &mut Store) -> Result<Digest> {
    let (digest, far) = (one.digest().await?, other.digest().await?);
    ensure!(digest == far, "the key-value stores differ: {digest:?} and {far:?}");
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Store {
        Store::in_file(Connection::open_in_memory().unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_copy_has_every_byte_and_goes_to_an_empty_store_alone() {
        let (mut from, mut to) = (store(), store());
        let pairs: Vec<_> = (0..20_u8).map(|number| (format!("blob/ä/{number}"), vec![number, 0, 255])).collect();
        from.set(&pairs).await.unwrap();
        let digest = copy(&mut from, &mut to).await.unwrap();
        assert_eq!((digest.keys, digest.bytes), (20, 60));
        assert!(copy(&mut from, &mut to).await.unwrap_err().to_string().contains("not empty"));
        from.set(&[("more".to_owned(), Vec::new())]).await.unwrap();
        assert!(compare(&mut from, &mut to).await.is_err());
    }

    #[test]
    fn a_file_of_another_application_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        let Store::File(connection) = Store::in_file(connection).unwrap() else { panic!() };
        connection.execute("INSERT INTO spin_key_value VALUES ('other', 'a', x'00')", ()).unwrap();
        assert!(Store::in_file(connection).is_err());
    }
}
