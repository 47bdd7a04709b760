//! A stand-in for a libSQL server: it speaks Hrana 3 over HTTP, keeps its data in a SQLite file, and is as strict as the
//! real one where that matters to a client. Streams expire when nobody uses them, a transaction that was abandoned lives on
//! until then, a write transaction that lasts for too long is taken away when others wait to write, some pragmas are
//! refused, and errors come in the server's words.
//!
//! It is for tests and for a first try: it has no replicas, no namespaces and no backups.

mod cursor;
mod http;
mod pipeline;
mod statement;
mod streams;
#[cfg(test)]
mod tests;
mod write_lock;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::net::TcpListener;

use streams::Streams;

/// How the server treats its clients. The defaults are those of the real one.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a stream may lie idle before it expires. What it had open is rolled back then, and not before.
    pub idle_timeout: Duration,
    /// How long a write transaction is safe from others who wait to write.
    pub transaction_timeout: Duration,
    /// How long a statement waits for other writers.
    pub lock_timeout: Duration,
    /// How much longer each call takes, as if the server were that far away.
    pub delay: Duration,
    /// The tokens of which calls must show one; without any they need none.
    pub tokens: Tokens,
}

/// Tokens, which may be changed while a server runs.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Arc<RwLock<Vec<String>>>);

impl Tokens {
    /// From now on these are good, and no others.
    pub fn set(&self, tokens: &[&str]) {
        let tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    /// Whether a call may be answered that shows this in its header.
    pub(crate) fn allow(&self, shown: Option<&[u8]>) -> bool {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let token = shown.and_then(|shown| shown.strip_prefix(b"Bearer "));
        tokens.is_empty() || tokens.iter().any(|good| token == Some(good.as_bytes()))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            idle_timeout: Duration::from_secs(10),
            transaction_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(10),
            delay: Duration::ZERO,
            tokens: Tokens::default(),
        }
    }
}

/// The work of a server since it started.
#[derive(Debug, Default)]
pub struct Counts {
    calls: AtomicU64,
    statements: AtomicU64,
}

impl Counts {
    /// The number of calls over the network.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The number of statements that were executed.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }
}

/// A server that runs, for as long as the tokio runtime does that it was started in.
pub struct Server {
    /// Its address, without a slash at the end.
    pub url: String,
    /// What it does.
    pub counts: Arc<Counts>,
}

impl Server {
    /// Serves the SQLite file, which is made if it is not there, at that address; port 0 picks a free one.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or if the address is taken.
    pub async fn start(database: &Path, listen: &str, options: Options) -> Result<Self> {
        let streams = Arc::new(Streams::open(database, options)?);
        let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let counts = streams.counts.clone();
        tokio::spawn(streams::expire(Arc::downgrade(&streams)));
        tokio::spawn(http::serve(listener, streams));
        Ok(Self { url, counts })
    }
}
