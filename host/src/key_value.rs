//! `spin:key-value`: stores in a SQLite file, in the table that Spin itself uses, so that both read the same folder, or
//! in Redis.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension};
use wasmtime::component::{Accessor, FutureReader, HasSelf, Resource, StreamReader};

use crate::bindings::key_value::{Error, Host, HostStore, HostStoreWithStore};
use crate::component::State;
use crate::redis_store::RedisStore;
use crate::writing::Writing;

/// One labelled store. All instances share its connection.
#[derive(Clone)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Store(Place);

#[derive(Clone)]
enum Place {
    File(FileStore),
    Redis(RedisStore),
}

impl Store {
    /// What is known of the writes to its file, if it is one.
    pub(crate) fn writing(&self) -> Option<&Writing> {
        match &self.0 {
            Place::File(store) => Some(&store.writing),
            Place::Redis(_) => None,
        }
    }

    /// Opens the file at `path` and makes the table if it is new.
    pub(crate) fn in_file(label: &str, path: &Path) -> Result<Self> {
        Ok(Self(Place::File(FileStore::open(label, path)?)))
    }

    /// Uses the Redis server at that address.
    pub(crate) fn in_redis(url: &str) -> Result<Self> {
        Ok(Self(Place::Redis(RedisStore::new(url)?)))
    }

    async fn connect(&self) -> Result<(), Error> {
        match &self.0 {
            Place::File(_) => Ok(()),
            Place::Redis(store) => store.connect().await.map(drop),
        }
    }

    async fn get(self, key: String) -> Result<Option<Vec<u8>>, Error> {
        match self.0 {
            Place::File(store) => store.get(key).await,
            Place::Redis(store) => store.get(key).await,
        }
    }

    async fn set(self, key: String, value: Vec<u8>) -> Result<(), Error> {
        match self.0 {
            Place::File(store) => store.set(key, value).await,
            Place::Redis(store) => store.set(key, value).await,
        }
    }

    async fn delete(self, key: String) -> Result<(), Error> {
        match self.0 {
            Place::File(store) => store.delete(key).await,
            Place::Redis(store) => store.delete(key).await,
        }
    }

    async fn exists(self, key: String) -> Result<bool, Error> {
        match self.0 {
            Place::File(store) => store.exists(key).await,
            Place::Redis(store) => store.exists(key).await,
        }
    }

    async fn keys(self) -> Result<Vec<String>, Error> {
        match self.0 {
            Place::File(store) => store.keys().await,
            Place::Redis(store) => store.keys().await,
        }
    }
}

/// A store in a SQLite file.
#[derive(Clone)]
struct FileStore {
    label: Arc<str>,
    connection: Arc<Mutex<Connection>>,
    writing: Writing,
}

impl FileStore {
    /// Opens the file at `path` and makes the table if it is new.
    fn open(label: &str, path: &Path) -> Result<Self> {
        let open = || -> rusqlite::Result<_> {
            let connection = Connection::open(path)?;
            connection.execute_batch(
                "CREATE TABLE IF NOT EXISTS spin_key_value (
                     store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key)
                 )",
            )?;
            Ok(connection)
        };
        let connection = open().with_context(|| format!("cannot open the key-value store {}", path.display()))?;
        let connection = Arc::new(Mutex::new(connection));
        Ok(Self { label: label.into(), connection, writing: Writing::to_store(path) })
    }

    /// Does `work` with the connection and the label on a thread that may block.
    async fn run<R: Send + 'static>(
        self,
        work: impl FnOnce(&Connection, &str) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, Error> {
        let task = tokio::task::spawn_blocking(move || {
            let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            let result = work(&connection, &self.label).map_err(|error| error.to_string());
            self.writing.note(&result);
            result
        });
        match task.await {
            Ok(result) => result.map_err(Error::Other),
            Err(error) => Err(Error::Other(error.to_string())),
        }
    }

    async fn get(self, key: String) -> Result<Option<Vec<u8>>, Error> {
        self.run(move |connection, store| {
            connection
                .prepare_cached("SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2")?
                .query_row((store, &key), |row| row.get(0))
                .optional()
        })
        .await
    }

    async fn set(self, key: String, value: Vec<u8>) -> Result<(), Error> {
        let writing = self.writing.clone();
        self.run(move |connection, store| {
            connection
                .prepare_cached(
                    "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
                     ON CONFLICT (store, key) DO UPDATE SET value = excluded.value",
                )?
                .execute((store, &key, &value))
        })
        .await
        .map(|_rows| writing.succeeded())
    }

    async fn delete(self, key: String) -> Result<(), Error> {
        self.run(move |connection, store| {
            connection
                .prepare_cached("DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2")?
                .execute((store, &key))
        })
        .await
        .map(drop)
    }

    async fn exists(self, key: String) -> Result<bool, Error> {
        self.run(move |connection, store| {
            connection
                .prepare_cached("SELECT 1 FROM spin_key_value WHERE store = ?1 AND key = ?2")?
                .exists((store, &key))
        })
        .await
    }

    async fn keys(self) -> Result<Vec<String>, Error> {
        self.run(|connection, store| {
            connection
                .prepare_cached("SELECT key FROM spin_key_value WHERE store = ?1")?
                .query_map((store,), |row| row.get(0))?
                .collect()
        })
        .await
    }
}

impl Host for State {}

impl HostStore for State {
    fn drop(&mut self, store: Resource<Store>) -> wasmtime::Result<()> {
        self.table.delete(store)?;
        Ok(())
    }
}

impl<T: Send + 'static> HostStoreWithStore<T> for HasSelf<State> {
    async fn open(accessor: &Accessor<T, Self>, label: String) -> wasmtime::Result<Result<Resource<Store>, Error>> {
        let (store, span) = accessor.with(|mut access| {
            let state = access.get();
            (state.settings.stores.get(&label).cloned(), state.trace().key_value("open"))
        });
        let Some(store) = store else { return Ok(Err(Error::AccessDenied)) };
        let connected = store.connect().await;
        span.settle(&connected);
        match connected {
            Ok(()) => accessor.with(|mut access| Ok(Ok(access.get().table.push(store)?))),
            Err(error) => Ok(Err(error)),
        }
    }

    async fn get(
        accessor: &Accessor<T, Self>,
        store: Resource<Store>,
        key: String,
    ) -> wasmtime::Result<Result<Option<Vec<u8>>, Error>> {
        ask(accessor, &store, "get", |store| store.get(key)).await
    }

    async fn set(
        accessor: &Accessor<T, Self>,
        store: Resource<Store>,
        key: String,
        value: Vec<u8>,
    ) -> wasmtime::Result<Result<(), Error>> {
        ask(accessor, &store, "set", |store| store.set(key, value)).await
    }

    async fn delete(
        accessor: &Accessor<T, Self>,
        store: Resource<Store>,
        key: String,
    ) -> wasmtime::Result<Result<(), Error>> {
        ask(accessor, &store, "delete", |store| store.delete(key)).await
    }

    async fn exists(
        accessor: &Accessor<T, Self>,
        store: Resource<Store>,
        key: String,
    ) -> wasmtime::Result<Result<bool, Error>> {
        ask(accessor, &store, "exists", |store| store.exists(key)).await
    }

    async fn get_keys(
        accessor: &Accessor<T, Self>,
        store: Resource<Store>,
    ) -> wasmtime::Result<(StreamReader<String>, FutureReader<Result<(), Error>>)> {
        let (keys, result) = match ask(accessor, &store, "get_keys", Store::keys).await? {
            Ok(keys) => (keys, Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        accessor.with(|mut access| {
            let keys = StreamReader::new(&mut access, keys)?;
            let result = FutureReader::new(&mut access, async { wasmtime::error::Ok(result) })?;
            Ok((keys, result))
        })
    }
}

/// Asks a store for something, under a span of that name.
async fn ask<T: 'static, R, F: Future<Output = Result<R, Error>>>(
    accessor: &Accessor<T, HasSelf<State>>,
    store: &Resource<Store>,
    name: &'static str,
    question: impl FnOnce(Store) -> F,
) -> wasmtime::Result<Result<R, Error>> {
    let (store, span) = accessor.with(|mut access| {
        let state = access.get();
        wasmtime::error::Ok((state.table.get(store)?.clone(), state.trace().key_value(name)))
    })?;
    let result = question(store).await;
    span.settle(&result);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn labels_are_kept_apart_in_one_table() {
        let one = FileStore::open("one", Path::new(":memory:")).unwrap();
        let two = FileStore { label: "two".into(), ..one.clone() };
        one.clone().set("key".to_owned(), b"first".to_vec()).await.unwrap();
        one.clone().set("key".to_owned(), b"second".to_vec()).await.unwrap();
        assert_eq!(one.clone().get("key".to_owned()).await.unwrap().as_deref(), Some(&b"second"[..]));
        assert!(!two.clone().exists("key".to_owned()).await.unwrap());
        two.clone().delete("key".to_owned()).await.unwrap();
        assert_eq!(one.clone().keys().await.unwrap(), ["key"]);
        one.clone().delete("key".to_owned()).await.unwrap();
        assert_eq!(one.get("key".to_owned()).await.unwrap(), None);
    }
}
