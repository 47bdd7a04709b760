//! The state of the installation in figures, for those who run it: what waits, what was given up, and how large it has become.
//!
//! The figures are those of all processes and all tenants. None of them names anybody.

mod figures;
mod limits_hit;
mod model_failure;
mod prometheus;
mod readiness;

use std::collections::BTreeMap;

use database::Db;
use serde::Serialize;
use types::JsonSchema;
use types::clock::{self, Timestamp};
use web::after_response::unless_busy;
use web::error::Result;

use crate::blob;
use figures::Size;
pub use limits_hit::write_limits_hit;
pub use model_failure::ModelFailure;
pub use prometheus::CONTENT_TYPE;
pub use readiness::{Part, Readiness};

/// The state of the installation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    /// The moment of the figures.
    pub at: Timestamp,
    /// What the service needs, and whether it has it.
    pub ready: Readiness,
    /// The calls for background work.
    pub tick: Tick,
    /// Deliveries to webhook subscriptions.
    pub webhook_deliveries: Queue,
    /// Messages to users, but for parts of digests whose hour has not come.
    pub messages: Queue,
    /// Imports of CSV files.
    pub sis_imports: Jobs,
    /// Packages that come in.
    pub content_imports: Jobs,
    /// Packages that are made.
    pub content_exports: Jobs,
    /// The language model of AI conversations.
    pub model: ModelCalls,
    /// How often something was refused with 429 since the installation counts it, by the name of the limit. It only grows.
    pub limits_hit: BTreeMap<String, i64>,
    /// The database.
    pub database: DatabaseSize,
    /// The key-value store, as far as its bytes are those of blobs.
    pub blobs: Blobs,
}

/// The calls for background work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tick {
    /// When the last tick ended that sent what was due; null: none has.
    pub last_at: Option<Timestamp>,
    /// How many seconds ago that was.
    pub age_seconds: Option<i64>,
    /// In how many areas the jobs failed that it called for; the log says why.
    pub failed_areas: i64,
}

/// What is sent, piece by piece.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Queue {
    /// How many are to be sent, now or later, those under way among them.
    pub waiting: i64,
    /// How many of these are due and not under way.
    pub due: i64,
    /// For how many seconds the oldest of the due ones has been due; 0 where none is.
    pub oldest_due_seconds: i64,
    /// How many are under way: somebody has a lease of them.
    pub running: i64,
    /// For how many seconds the oldest lease that has ended waits for somebody to take its work up; 0 where none does. More
    /// than a few seconds tell of a process that died and of a tick that does not come.
    pub lapsed_lease_seconds: i64,
    /// How many were given up and are kept.
    pub dead: i64,
}

/// Work that takes a while.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jobs {
    /// How many wait for somebody to work on them.
    pub waiting: i64,
    /// How many are being worked on: somebody has a lease of them.
    pub running: i64,
    /// How many seconds ago the oldest was asked for that has not ended; 0 where all have.
    pub oldest_seconds: i64,
    /// For how many seconds the oldest lease that has ended waits for somebody to take its work up; 0 where none does.
    pub lapsed_lease_seconds: i64,
    /// How many have failed within the last day.
    pub failed_in_last_day: i64,
}

/// The language model of AI conversations, since the installation counts its calls. All of it only grows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelCalls {
    /// How often it was asked.
    pub calls: i64,
    /// How many of these calls have failed, by the kind of the failure: `timeout`, `unavailable`, `refused`, `malformed` and
    /// `rate_limited`, which is the limit of its provider.
    pub failures: BTreeMap<String, i64>,
}

/// The size of the database.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DatabaseSize {
    /// The version of its schema.
    pub schema_version: usize,
    /// Its bytes, without those of its write-ahead log; null where the server does not tell.
    pub bytes: Option<i64>,
    /// How many of these are free to be written to again.
    pub free_bytes: Option<i64>,
}

/// The blobs in the key-value store.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Blobs {
    /// How many there are.
    pub number: i64,
    /// Their bytes, with those that are set aside for what is being written.
    pub bytes: i64,
    /// How many bytes there may be (`storage_limit_megabytes`); null: there is no limit.
    pub limit_bytes: Option<i64>,
}

impl Status {
    /// The state at present.
    pub async fn read(db: &Db) -> Result<Self> {
        let now = clock::now();
        let schema_version = db.schema_version().await?;
        let figures = figures::read(db, now).await?;
        let Size { bytes, free_bytes } = figures::database_size(db).await?;
        let ready = Readiness::with_schema(schema_version).await;
        let size = DatabaseSize { schema_version, bytes, free_bytes };
        Ok(figures.into_status(now, ready, size, blob::limit_bytes().await?))
    }
}

/// Notes that a tick has ended which sent what was due, and in how many areas the jobs failed. Where others write for long, the
/// next tick does.
pub async fn note_tick(db: &Db, failed_areas: i64) -> Result<()> {
    const NOTE: &str = "UPDATE ticks SET ended_at = ?1, failed_areas = ?2 WHERE id = 1 AND ifnull(ended_at, '') <= ?1";
    unless_busy(db.execute(NOTE, (clock::now(), failed_areas)).await)
}
