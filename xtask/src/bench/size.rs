//! Databases of a size that institutions have. They are written behind the back of the application, which would take a day for as
//! much, with the schema that the application makes, and kept under `target/bench` for the next time.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use xtask::app::{App, Launch, Runtime};
use xtask::folder::DataFolder;
use xtask::sandbox::Sandbox;
use xtask::target;

use crate::schema;

/// The inserts; `{users}` and the like stand for numbers.
const INSERTS: &str = include_str!("size.sql");
const DATABASE: &str = "sqlite_db.db";

/// The size of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// 1,000 users, courses, submissions and events each.
    Thousand,
    /// 2,000 users, 100 courses, 20,000 submissions and events each.
    Small,
    /// 100,000 users, 5,000 courses, 1,000,000 submissions and events each.
    Real,
}

/// The students of a course that has any.
const STUDENTS: u32 = 200;

struct Counts {
    users: u32,
    courses: u32,
    submissions: u32,
    events: u32,
}

impl Size {
    fn counts(self) -> Counts {
        match self {
            Self::Thousand => Counts { users: 1_000, courses: 1_000, submissions: 1_000, events: 1_000 },
            Self::Small => Counts { users: 2_000, courses: 100, submissions: 20_000, events: 20_000 },
            Self::Real => Counts { users: 100_000, courses: 5_000, submissions: 1_000_000, events: 1_000_000 },
        }
    }

    /// The inserts of this size.
    fn sql(self) -> String {
        let Counts { users, courses, submissions, events } = self.counts();
        let numbers = [
            ("{users}", users),
            ("{courses}", courses),
            ("{classes}", submissions / STUDENTS),
            ("{submissions}", submissions),
            ("{events}", events),
        ];
        numbers.iter().fold(INSERTS.to_owned(), |sql, (name, number)| sql.replace(name, &number.to_string()))
    }
}

/// A folder with a copy of a database of that size, and variables with these settings among them.
pub(super) async fn sandbox(runtime: Runtime, size: Size, settings: &[(&str, &str)]) -> Result<Sandbox> {
    let kept = kept(runtime, size).await?;
    let sandbox = Sandbox::new_in(TempDir::new_in(bench_folder()?)?, runtime, settings)?;
    let copy = sandbox.folder.path().join(DATABASE);
    fs::copy(&kept, &copy).with_context(|| format!("cannot copy {}", kept.display()))?;
    Ok(sandbox)
}

fn bench_folder() -> Result<PathBuf> {
    let folder = target().join("bench");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The database of that size, which is built where there is none of this schema.
async fn kept(runtime: Runtime, size: Size) -> Result<PathBuf> {
    let file = bench_folder()?.join(format!("{}-{}.db", format!("{size:?}").to_lowercase(), fingerprint(size)?));
    if file.is_file() {
        return Ok(file);
    }
    eprintln!("Building the database of size {size:?}; it is kept as {}", file.display());
    let start = Instant::now();
    let temporary = TempDir::new_in(bench_folder()?)?;
    let folder = DataFolder::open(temporary.path())?;
    let variables = folder.variables()?;
    let app = App::start(&Launch::quiet(runtime, &folder, &variables)).await?;
    // The first call makes the schema, the account and its administrator.
    xtask::client::Client::admin(&app.base_url, &variables).await?;
    app.stop().await?;
    fill(&folder, size)?;
    fs::rename(folder.path().join(DATABASE), &file)?;
    eprintln!("  done after {:.1} s", start.elapsed().as_secs_f64());
    Ok(file)
}

/// Without statistics, which no installation has.
const END: &str = "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)";

fn fill(folder: &DataFolder, size: Size) -> Result<()> {
    let connection = rusqlite::Connection::open(folder.path().join(DATABASE))?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE")?;
    connection.execute_batch(&size.sql())?;
    connection.execute_batch(END)?;
    Ok(())
}

/// The schema and the inserts, as a short text: other migrations or inserts have another.
fn fingerprint(size: Size) -> Result<String> {
    let mut hash = Sha256::new();
    hash.update(schema::migrations()?.concat());
    hash.update(size.sql());
    hash.update(END);
    Ok(hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_has_inserts_and_a_name_of_its_own() {
        let sizes = [Size::Thousand, Size::Small, Size::Real];
        let mut names: Vec<_> = sizes.iter().map(|size| fingerprint(*size).unwrap()).collect();
        names.dedup();
        assert_eq!(names.len(), 3);
        assert!(sizes.iter().all(|size| !size.sql().contains('{')));
    }
}
