//! A key-value store in Redis, as Spin keeps it there: the keys of the component are those of Redis, without a prefix.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncTypedCommands, RedisError};
use tokio::sync::OnceCell;

use crate::bindings::key_value::Error;
use crate::database::MAX_ROW_BYTES;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A Redis server. All instances share one connection, which comes back by itself when it was lost.
#[derive(Clone)]
pub(crate) struct RedisStore(Arc<Server>);

struct Server {
    client: redis::Client,
    connection: OnceCell<ConnectionManager>,
}

impl RedisStore {
    /// Connects when it is used for the first time.
    pub(crate) fn new(url: &str) -> Result<Self> {
        // The address may hold a password: it is not repeated.
        let client = redis::Client::open(url).context("the address of the Redis server cannot be used")?;
        Ok(Self(Arc::new(Server { client, connection: OnceCell::new() })))
    }

    /// The connection, which is made if there is none yet.
    pub(crate) async fn connect(&self) -> Result<ConnectionManager, Error> {
        // Like Spin's, a command has no limit of its own: a value may be large, and the request has one.
        let config = ConnectionManagerConfig::new();
        let config = config.set_connection_timeout(Some(CONNECT_TIMEOUT)).set_response_timeout(None);
        let Server { client, connection } = &*self.0;
        let connected = connection.get_or_try_init(|| client.get_connection_manager_with_config(config));
        connected.await.cloned().map_err(store_error)
    }

    pub(crate) async fn get(&self, key: String) -> Result<Option<Vec<u8>>, Error> {
        let value: Option<Vec<u8>> =
            redis::AsyncCommands::get(&mut self.connect().await?, key).await.map_err(store_error)?;
        match value {
            Some(value) if value.len() > MAX_ROW_BYTES => {
                Err(Error::Other(format!("the value is larger than {MAX_ROW_BYTES} bytes")))
            }
            value => Ok(value),
        }
    }

    pub(crate) async fn set(&self, key: String, value: Vec<u8>) -> Result<(), Error> {
        self.connect().await?.set(key, value).await.map_err(store_error)
    }

    pub(crate) async fn delete(&self, key: String) -> Result<(), Error> {
        self.connect().await?.del(key).await.map(drop).map_err(store_error)
    }

    pub(crate) async fn exists(&self, key: String) -> Result<bool, Error> {
        self.connect().await?.exists(key).await.map_err(store_error)
    }

    pub(crate) async fn keys(&self) -> Result<Vec<String>, Error> {
        self.connect().await?.keys("*").await.map_err(store_error)
    }
}

fn store_error(error: RedisError) -> Error {
    tracing::warn!("the key-value store failed: {error}");
    Error::Other(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_refused_without_being_repeated() {
        let error = RedisStore::new("http://:secret@127.0.0.1").err().unwrap();
        assert!(!format!("{error:#}").contains("secret"), "{error:#}");
        assert!(RedisStore::new("redis://:secret@127.0.0.1:6379/1").is_ok());
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_an_error_of_the_store() {
        // Nobody listens on port 1, and no server of another test comes to stand there.
        let store = RedisStore::new("redis://127.0.0.1:1").unwrap();
        assert!(matches!(store.get("key".to_owned()).await, Err(Error::Other(_))));
    }
}
