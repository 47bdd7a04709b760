//! For development: which statements the components execute, and how often. Each is written when it is met for the first
//! time, the counts every second, so that a host that is killed leaves all that it has met behind.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;

/// The time from one writing of the counts to the next.
const EVERY: Duration = Duration::from_secs(1);

/// The statements that were met, and the file that tells them: a line of JSON for each.
pub(crate) struct Recorder {
    path: PathBuf,
    met: Mutex<Met>,
}

struct Met {
    statements: BTreeMap<(Arc<str>, String), Use>,
    file: File,
    has_changed: bool,
}

struct Use {
    parameters: usize,
    count: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    component: &'a str,
    sql: &'a str,
    /// The number of values that are bound to it.
    parameters: usize,
    /// The number of its executions.
    count: u64,
}

impl Recorder {
    /// Begins the file anew.
    pub(crate) fn start(path: &Path) -> Result<Arc<Self>> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let met = Met { statements: BTreeMap::new(), file, has_changed: false };
        let recorder = Arc::new(Self { path: path.to_owned(), met: Mutex::new(met) });
        let watched = Arc::downgrade(&recorder);
        std::thread::Builder::new().name("recorder".to_owned()).spawn(move || write_often(&watched))?;
        Ok(recorder)
    }

    /// Notes that a component executes a statement.
    pub(crate) fn note(&self, component: &Arc<str>, sql: &str, parameters: usize) {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let met = &mut *met;
        met.has_changed = true;
        let key = (component.clone(), sql.to_owned());
        let used = met.statements.entry(key).or_insert(Use { parameters, count: 0 });
        used.count = used.count.saturating_add(1);
        if used.count == 1
            && let Err(error) = write(&mut met.file, component, sql, used)
        {
            tracing::error!("cannot write {}: {error}", self.path.display());
        }
    }

    /// Writes the file anew, whole, with the counts as they are now.
    fn write_all(&self) -> Result<()> {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::take(&mut met.has_changed) {
            return Ok(());
        }
        let new = self.path.with_extension("new");
        let mut output = BufWriter::new(File::create(&new)?);
        for ((component, sql), used) in &met.statements {
            write(&mut output, component, sql, used)?;
        }
        met.file = output.into_inner()?;
        std::fs::rename(new, &self.path)?;
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Err(error) = self.write_all() {
            tracing::error!("cannot write {}: {error:#}", self.path.display());
        }
    }
}

fn write(output: &mut impl Write, component: &str, sql: &str, used: &Use) -> std::io::Result<()> {
    let line = Line { component, sql, parameters: used.parameters, count: used.count };
    let mut line = serde_json::to_vec(&line)?;
    line.push(b'\n');
    output.write_all(&line)
}

fn write_often(recorder: &Weak<Recorder>) {
    loop {
        std::thread::sleep(EVERY);
        let Some(recorder) = recorder.upgrade() else { return };
        if let Err(error) = recorder.write_all() {
            tracing::error!("cannot write {}: {error:#}", recorder.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn each_statement_is_told_once_and_counted() {
        let path = std::env::temp_dir().join(format!("recorder-{}.jsonl", std::process::id()));
        let recorder = Recorder::start(&path).unwrap();
        let (polls, files): (Arc<str>, Arc<str>) = ("polls".into(), "files".into());
        recorder.note(&polls, "SELECT ?1", 1);
        assert_eq!(lines(&path).len(), 1, "what is met is there at once");
        recorder.note(&polls, "SELECT ?1", 1);
        recorder.note(&files, "SELECT ?1", 1);
        recorder.write_all().unwrap();
        // Statements that come after the file was written anew are added to it.
        recorder.note(&files, "SELECT 'line\nbreak'", 0);
        let told = lines(&path);
        assert_eq!(told.len(), 3);
        assert_eq!(told[1]["component"], "polls");
        assert_eq!(
            (&told[1]["sql"], &told[1]["parameters"], &told[1]["count"]),
            (&"SELECT ?1".into(), &1.into(), &2.into())
        );
        drop(recorder);
        assert_eq!(lines(&path).len(), 3);
        std::fs::remove_file(&path).unwrap();
    }
}
