//! What the service cannot work without: each part of it, whether it is there, and why it is not.

use std::time::Duration;

use database::{Db, SCHEMA_VERSION};
use serde::Serialize;
use types::JsonSchema;
use web::error::{Error, Result};

use crate::blob;

/// The time for which the database may be busy: whoever asks again and again does not wait for long.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the service needs, and whether it has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Readiness {
    /// The database answers.
    pub database: bool,
    /// The database has the tables that this version needs.
    pub schema: bool,
    /// The store of bytes answers.
    pub blobs: bool,
}

/// A part of what the service needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The database.
    Database,
    /// Its tables.
    Schema,
    /// The store of bytes.
    Blobs,
}

impl Readiness {
    /// Refuses with 503 and the names of what is not ready. Its causes, which may name servers, are for the log.
    pub async fn require(db: &Db) -> Result<()> {
        let (mut missing, mut causes) = (Vec::new(), Vec::new());
        let mut note = |part: Part, cause: String| {
            missing.push(part.what());
            causes.push(cause);
        };
        match db.waiting_at_most(PATIENCE).schema_version().await {
            Ok(version) if is_enough(version) => {}
            Ok(version) => {
                note(Part::Schema, format!("the schema is of version {version}, and {SCHEMA_VERSION} is needed"));
            }
            // The database answers, and belongs to a release that this one cannot work beside.
            Err(error @ database::Error::NewerSchema { .. }) => note(Part::Schema, error.to_string()),
            Err(error) => note(Part::Database, error.to_string()),
        }
        if let Err(error) = blob::require_store().await {
            let cause = error.log_cause().map_or_else(|| error.to_string(), |cause| format!("{cause:#}"));
            note(Part::Blobs, cause);
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Error::unavailable(format!("Not ready: {}.", missing.join("; ")))
                .because(anyhow::anyhow!(causes.join("; ")))),
        }
    }

    /// The same of a database that has answered, with a schema of that version.
    pub(super) async fn with_schema(schema_version: usize) -> Self {
        Self { database: true, schema: is_enough(schema_version), blobs: blob::require_store().await.is_ok() }
    }
}

/// A newer schema is one that a newer version has brought up to date while this one still runs.
fn is_enough(schema_version: usize) -> bool {
    schema_version >= SCHEMA_VERSION
}

impl Part {
    /// Its name among the figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Schema => "schema",
            Self::Blobs => "blobs",
        }
    }

    /// What is the matter, in words that tell strangers nothing.
    fn what(self) -> &'static str {
        match self {
            Self::Database => "database (it does not answer)",
            Self::Schema => "schema (the tables are not those of this version)",
            Self::Blobs => "blobs (the key-value store does not answer)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_schema_is_not_enough_and_a_newer_one_is() {
        assert!(!is_enough(SCHEMA_VERSION - 1));
        assert!(is_enough(SCHEMA_VERSION) && is_enough(SCHEMA_VERSION + 1));
    }
}
