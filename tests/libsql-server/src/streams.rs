//! Streams: connections to the database that are known to clients by a baton, which changes with each call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::{Connection, InterruptHandle};
use uuid::Uuid;

use crate::write_lock::WriteLock;
use crate::{Counts, Options};

/// How long a stream that has expired is known as such; then its baton is like any other word.
const EXPIRED_FOR: Duration = Duration::from_secs(30);
/// How often idle streams are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// All streams of a server.
pub(crate) struct Streams {
    pub(crate) options: Options,
    pub(crate) counts: Arc<Counts>,
    pub(crate) write_lock: WriteLock,
    database: PathBuf,
    /// By their batons.
    waiting: Mutex<HashMap<String, Waiting>>,
}

/// A stream between two calls.
enum Waiting {
    Open { stream: Arc<Stream>, since: Instant },
    Expired { since: Instant },
}

/// A connection to the database.
pub(crate) struct Stream {
    pub(crate) connection: Mutex<Connection>,
    pub(crate) interrupt: InterruptHandle,
    /// Whether its transaction was taken away, which it has not been told yet.
    pub(crate) timed_out: AtomicBool,
    /// Statements that were stored for later calls.
    pub(crate) stored: Mutex<HashMap<i32, String>>,
}

/// Why a call is answered with an error as a whole.
#[derive(Debug)]
pub(crate) enum Refusal {
    Expired,
    BadRequest(String),
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Expired => "The stream has expired due to inactivity",
            Self::BadRequest(why) | Self::Failed(why) => why,
        })
    }
}

impl Streams {
    /// The database is in WAL mode, as a libSQL server keeps it.
    pub(crate) fn open(database: &Path, options: Options) -> rusqlite::Result<Self> {
        Connection::open(database)?.execute_batch("PRAGMA journal_mode = WAL")?;
        Ok(Self {
            options,
            counts: Arc::default(),
            write_lock: WriteLock::default(),
            database: database.to_owned(),
            waiting: Mutex::default(),
        })
    }

    /// The stream of that baton, which nobody else can use until it is released; a new one without a baton.
    pub(crate) fn acquire(&self, baton: Option<&str>) -> Result<Arc<Stream>, Refusal> {
        let Some(baton) = baton else { return self.connect().map_err(|error| Refusal::Failed(error.to_string())) };
        let mut waiting = lock(&self.waiting);
        match waiting.remove(baton) {
            Some(Waiting::Open { stream, .. }) => Ok(stream),
            Some(expired) => {
                waiting.insert(baton.to_owned(), expired);
                Err(Refusal::Expired)
            }
            None => Err(Refusal::BadRequest("Received an invalid baton".to_owned())),
        }
    }

    /// Keeps the stream for the next call, and answers its new baton.
    pub(crate) fn release(&self, stream: Arc<Stream>) -> String {
        let baton = Uuid::new_v4().to_string();
        lock(&self.waiting).insert(baton.clone(), Waiting::Open { stream, since: Instant::now() });
        baton
    }

    /// Ends the stream; what it had open is rolled back.
    pub(crate) fn close(&self, stream: &Arc<Stream>) {
        self.write_lock.forget(stream);
    }

    fn connect(&self) -> rusqlite::Result<Arc<Stream>> {
        let connection = Connection::open(&self.database)?;
        // It reads no deeper statement than the SQLite of a libSQL server does.
        connection.set_limit(Limit::SQLITE_LIMIT_PARSER_DEPTH, 100)?;
        // Whoever meets other writers looks for one that has had its time first.
        connection.busy_timeout(Duration::ZERO)?;
        connection.set_prepared_statement_cache_capacity(64);
        let interrupt = connection.get_interrupt_handle();
        let timed_out = AtomicBool::new(false);
        Ok(Arc::new(Stream { connection: Mutex::new(connection), interrupt, timed_out, stored: Mutex::default() }))
    }

    fn expire_idle(&self) {
        let mut closed = Vec::new();
        lock(&self.waiting).retain(|_, waiting| match waiting {
            Waiting::Open { stream, since } if since.elapsed() >= self.options.idle_timeout => {
                closed.push(stream.clone());
                *waiting = Waiting::Expired { since: Instant::now() };
                true
            }
            Waiting::Open { .. } => true,
            Waiting::Expired { since } => since.elapsed() < EXPIRED_FOR,
        });
        closed.iter().for_each(|stream| self.close(stream));
    }
}

impl Stream {
    /// Whether its transaction was taken away. It is told once.
    pub(crate) fn take_timed_out(&self) -> bool {
        self.timed_out.swap(false, Ordering::Relaxed)
    }
}

/// Closes streams that nobody uses, for as long as there is a server.
pub(crate) async fn expire(streams: Weak<Streams>) {
    while let Some(streams) = streams.upgrade() {
        streams.expire_idle();
        drop(streams);
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
