//! `shared/database/schema.sql`: all that migrations make, as a new database is given it at once.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rusqlite::Connection;
use xtask::root;

const HEADER: &str = "\
-- What a new database is made of: what all migrations together leave, which older databases are brought to one by one.
-- `cargo xtask generate` writes it from them.
";

/// Tables with their indexes, then views, then triggers.
const DEFINITIONS: &str = "
    SELECT s.sql FROM sqlite_schema s JOIN sqlite_schema of ON of.name = s.tbl_name AND of.type IN ('table', 'view')
    WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite%'
    ORDER BY s.type = 'trigger', s.type = 'view', of.rowid, s.type = 'index', s.rowid";

/// The migrations, in their order.
pub(crate) fn migrations() -> Result<Vec<String>> {
    let files = fs::read_dir(folder().join("migrations"))?.map(|file| Ok(file?.path()));
    let mut files = files.collect::<Result<Vec<_>>>()?;
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).with_context(|| file.display().to_string())).collect()
}

/// Writes the file.
pub(crate) fn write() -> Result<()> {
    let database = Connection::open_in_memory()?;
    for migration in migrations()? {
        database.execute_batch(&format!("BEGIN; {migration} COMMIT"))?;
    }
    let mut statement = database.prepare(DEFINITIONS)?;
    let definitions = statement.query_map((), |row| row.get::<_, String>(0))?;
    let mut text = HEADER.to_owned();
    for definition in definitions {
        let definition = definition?;
        let between = if is_index(&definition) { "" } else { "\n" };
        text.extend([between, &definition, ";\n"]);
    }
    Ok(fs::write(folder().join("schema.sql"), text)?)
}

/// An index stands below its table.
fn is_index(definition: &str) -> bool {
    ["CREATE INDEX", "CREATE UNIQUE INDEX"].into_iter().any(|words| definition.starts_with(words))
}

fn folder() -> PathBuf {
    root().join("shared/database")
}
