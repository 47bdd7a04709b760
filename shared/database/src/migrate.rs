//! The schema, brought up to date by whichever component runs first.

use std::time::Duration;

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use spin_sdk::time;

use super::connection::{Connection, PATIENCE};
use super::error::{Error, Result};

/// The migrations in their order, a list of texts in JSON that `build.rs` has compressed: a component seldom needs them. A
/// released one is never changed; `PRAGMA user_version` counts those applied.
static MIGRATIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/migrations.json.gz"));
/// What all of them together make of an empty file, a text of statements: it takes an eighth of their time.
static NEW_DATABASE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/new_database.json.gz"));
pub(super) const MIGRATION_COUNT: usize = include!(concat!(env!("OUT_DIR"), "/migration_count"));

#[cfg(test)]
/// The version of a database that has them all.
pub(super) const LATEST: i64 = include!(concat!(env!("OUT_DIR"), "/migration_count"));

const TRIES: u32 = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// Applies what is missing, each migration in a transaction of its own: a far server takes a transaction away that lasts for
/// seconds while others wait, and at the first start each of several processes waits for the others. A file is near, and
/// is made at once where it is new.
pub(super) async fn run(connection: &Connection) -> Result<()> {
    let found = version(connection).await?;
    match found {
        schema if schema > MIGRATION_COUNT => return require_compatible(connection, schema).await,
        MIGRATION_COUNT => return Ok(()),
        _ => {}
    }
    let is_file = use_write_ahead_log(connection).await?;
    if found == 0 && is_file {
        let new: String = unpacked(NEW_DATABASE)?;
        apply(connection, &new, 0, MIGRATION_COUNT).await?;
    }
    let migrations: Vec<String> = unpacked(MIGRATIONS)?;
    loop {
        let number = version(connection).await?;
        let Some(migration) = migrations.get(number) else { return Ok(()) };
        apply(connection, migration, number, number + 1).await?;
    }
}

/// Fails if the database belongs to a later release with which this one cannot share it. During an update the earlier release
/// goes on beside the later one, whose migrations only add. One that takes something away makes the table, or changes its row:
/// the smallest version of the schema whose releases can still use the database.
async fn require_compatible(connection: &Connection, schema: usize) -> Result<()> {
    let has_table = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_compatibility'";
    if connection.run_within(PATIENCE, has_table, &[]).await?.is_empty() {
        return Ok(());
    }
    let oldest = "SELECT oldest_schema FROM schema_compatibility";
    let oldest = connection.run_within(PATIENCE, oldest, &[]).await?.first_integer(0);
    let oldest = oldest.and_then(|oldest| usize::try_from(oldest).ok()).unwrap_or(schema);
    if oldest <= MIGRATION_COUNT {
        return Ok(());
    }
    Err(Error::NewerSchema { schema, release: MIGRATION_COUNT })
}

/// Brings the database from one version to another in a transaction, or leaves it as it is.
async fn apply(connection: &Connection, sql: &str, from: usize, to: usize) -> Result<()> {
    let applied = try_apply(connection, sql, from, to).await;
    if applied.is_err() {
        connection.roll_back().await;
    }
    applied
}

async fn try_apply(connection: &Connection, sql: &str, from: usize, to: usize) -> Result<()> {
    connection.run_within(PATIENCE, "BEGIN IMMEDIATE", &[]).await?;
    // Another component may have been faster.
    if version(connection).await? == from {
        for statement in statements(sql) {
            connection.run_in_transaction(&statement, &[]).await?;
        }
        connection.run_in_transaction(&format!("PRAGMA user_version = {to}"), &[]).await?;
    }
    connection.run_in_transaction("COMMIT", &[]).await.map(drop)
}

/// What `build.rs` has compressed.
fn unpacked<T: DeserializeOwned>(compressed: &[u8]) -> Result<T> {
    serde_json::from_reader(GzDecoder::new(compressed))
        .map_err(|error| Error::Other(format!("the schema of the database: {error}")))
}

/// The file keeps the mode once it is set. SQLite does not wait for others here, as it does everywhere else. A far server
/// keeps its log as it likes, and has no such pragma: then it is false.
async fn use_write_ahead_log(connection: &Connection) -> Result<bool> {
    for _ in 0..TRIES {
        match connection.run("PRAGMA journal_mode = WAL", &[]).await {
            Err(Error::Busy) => time::sleep(PAUSE).await,
            Err(Error::Unsupported) => return Ok(false),
            answer => return answer.map(|_| true),
        }
    }
    Err(Error::Busy)
}

async fn version(connection: &Connection) -> Result<usize> {
    // After a crash the first who come recover the log, one of them alone: the others wait, though they only read.
    let version = connection.run_within(PATIENCE, "PRAGMA user_version", &[]).await?.first_integer(0);
    version.and_then(|version| version.try_into().ok()).ok_or_else(|| Error::Other("no schema version".to_owned()))
}

/// The statements of a migration: each ends with the `;` of a line that is not indented.
fn statements(migration: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    for line in migration.lines().filter(|line| !line.starts_with("--") && !line.is_empty()) {
        statement.push_str(line);
        statement.push('\n');
        if line.ends_with(';') && !line.starts_with(char::is_whitespace) {
            statements.push(std::mem::take(&mut statement));
        }
    }
    // An end that is indented by mistake shall not be lost.
    statements.extend(Some(statement).filter(|rest| !rest.is_empty()));
    statements
}

#[cfg(test)]
fn migrations() -> Vec<String> {
    unpacked(MIGRATIONS).unwrap()
}

#[cfg(test)]
fn new_database() -> String {
    unpacked(NEW_DATABASE).unwrap()
}

#[cfg(test)]
mod earlier_schemas;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_one_statement() {
        let sql = "-- why\nCREATE TABLE a (\n    b INT\n);\n\nCREATE TRIGGER c BEGIN\n    DELETE FROM a;\nEND;\n";
        assert_eq!(statements(sql).len(), 2);
    }

    #[test]
    fn every_migration_is_there() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap().count();
        assert_eq!((files, files), (MIGRATION_COUNT, migrations().len()));
    }

    #[test]
    fn every_migration_ends_with_a_whole_statement() {
        for migration in migrations().into_iter().chain([new_database()]) {
            assert!(migration.trim_end().ends_with(';'));
            assert!(!statements(&migration).is_empty());
            for statement in statements(&migration) {
                let last = statement.lines().last().unwrap();
                assert!(!last.starts_with(char::is_whitespace), "its end is indented: {statement}");
                // Only a trigger has statements in it: its lines with `;` are indented, and others' never.
                let is_trigger = statement.trim_start().starts_with("CREATE TRIGGER");
                assert!(is_trigger || statement.matches(";\n").count() == 1, "{statement}");
            }
        }
    }
}
