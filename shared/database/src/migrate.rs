//! The schema, brought up to date by whichever component runs first.

use std::time::Duration;

use spin_sdk::time;

use super::connection::{Connection, PATIENCE};
use super::error::{Error, Result};

/// The migrations in their order. A released one is never changed; `PRAGMA user_version` counts those applied.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_directory.sql"),
    include_str!("../migrations/0002_tokens.sql"),
    include_str!("../migrations/0003_coursework.sql"),
    include_str!("../migrations/0004_course_events.sql"),
    include_str!("../migrations/0005_shared_services.sql"),
    include_str!("../migrations/0006_sis_imports.sql"),
    include_str!("../migrations/0007_polls.sql"),
    include_str!("../migrations/0008_messages.sql"),
    include_str!("../migrations/0009_content.sql"),
    include_str!("../migrations/0010_webhooks.sql"),
    include_str!("../migrations/0011_ai_conversations.sql"),
    include_str!("../migrations/0012_error_reports.sql"),
    include_str!("../migrations/0013_mastery.sql"),
    include_str!("../migrations/0014_badges.sql"),
    include_str!("../migrations/0015_log_ins.sql"),
    include_str!("../migrations/0016_badge_safety.sql"),
    include_str!("../migrations/0017_coursework_limits.sql"),
    include_str!("../migrations/0018_content_limits.sql"),
    include_str!("../migrations/0019_blobs.sql"),
    include_str!("../migrations/0020_plans.sql"),
    include_str!("../migrations/0021_error_reports_and_webhooks.sql"),
    include_str!("../migrations/0022_course_texts.sql"),
    include_str!("../migrations/0023_lookups.sql"),
    include_str!("../migrations/0024_root_folders.sql"),
    include_str!("../migrations/0025_notices.sql"),
    include_str!("../migrations/0026_authors_of_course_events.sql"),
    include_str!("../migrations/0027_badge_claims_and_keys.sql"),
    include_str!("../migrations/0028_feedback_and_notices.sql"),
    include_str!("../migrations/0029_kept_events_and_tool_registrations.sql"),
    include_str!("../migrations/0030_sis_terms_and_differences.sql"),
    include_str!("../migrations/0031_bank_shares.sql"),
];

const TRIES: u32 = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// Applies what is missing, all of it in one transaction.
pub(super) async fn run(connection: &Connection) -> Result<()> {
    if version(connection).await? >= MIGRATIONS.len() {
        return Ok(());
    }
    use_write_ahead_log(connection).await?;
    let applied = apply(connection).await;
    if applied.is_err() {
        connection.roll_back().await;
    }
    applied
}

async fn apply(connection: &Connection) -> Result<()> {
    connection.run_within(PATIENCE, "BEGIN IMMEDIATE", &[]).await?;
    // Another component may have been faster.
    let applied = version(connection).await?;
    for statement in MIGRATIONS.iter().skip(applied).flat_map(|migration| statements(migration)) {
        connection.run(&statement, &[]).await?;
    }
    connection.run(&format!("PRAGMA user_version = {}", MIGRATIONS.len().max(applied)), &[]).await?;
    connection.run("COMMIT", &[]).await.map(drop)
}

/// The file keeps the mode once it is set. SQLite does not wait for others here, as it does everywhere else. A far server
/// keeps its log as it likes, and has no such pragma.
async fn use_write_ahead_log(connection: &Connection) -> Result<()> {
    for _ in 0..TRIES {
        match connection.run("PRAGMA journal_mode = WAL", &[]).await {
            Err(Error::Busy) => time::sleep(PAUSE).await,
            Ok(_) | Err(Error::Unsupported) => return Ok(()),
            Err(error) => return Err(error),
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
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_one_statement() {
        let sql = "-- why\nCREATE TABLE a (\n    b INT\n);\n\nCREATE TRIGGER c BEGIN\n    DELETE FROM a;\nEND;\n";
        assert_eq!(statements(sql).len(), 2);
    }

    #[test]
    fn every_migration_is_in_the_list() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        let files: Vec<_> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert!(files == MIGRATIONS, "the list has other migrations than the folder, or in another order");
    }

    #[test]
    fn every_migration_ends_with_a_whole_statement() {
        for migration in MIGRATIONS {
            assert!(migration.trim_end().ends_with(';'));
            assert!(!statements(migration).is_empty());
            for statement in statements(migration) {
                let last = statement.lines().last().unwrap();
                assert!(!last.starts_with(char::is_whitespace), "its end is indented: {statement}");
                // Only a trigger has statements in it: its lines with `;` are indented, and others' never.
                let is_trigger = statement.trim_start().starts_with("CREATE TRIGGER");
                assert!(is_trigger || statement.matches(";\n").count() == 1, "{statement}");
            }
        }
    }
}
