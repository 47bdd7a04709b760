//! Loading a district's data, by its administrators: as JSON of our own, as a CASE package, or as `OneRoster` CSV.
//!
//! A body is read and written in batches. What was loaded before is changed and not doubled, so that a file may be sent
//! again; records that cannot be loaded are named, and the others are.

use std::collections::BTreeMap;

use http::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use shared::auth;
use shared::csv::Table as Csv;
use shared::ids::{AccountId, Named};
use shared::{Context, Endpoint, Envelope, Error, Reply, Result, blob, post};
use uuid::Uuid;

use crate::import::case::Package;
use crate::import::oneroster;
use crate::import::{Entry, Problem, TABLES, Table};
use crate::store::import as store;

/// The most bytes of a body.
const LARGEST: usize = 64 * 1024 * 1024;
/// Records that are written together.
const BATCH: usize = 500;
/// The most problems that are told.
const MOST_PROBLEMS: usize = 100;

pub(crate) fn endpoints() -> [Endpoint; 1] {
    [post("/api/v1/accounts/:account_id/mastery_imports", create)
        .streamed(LARGEST)
        .envelope(Envelope::Lms)
        .about("Loads data of a district: JSON, a CASE package, or a OneRoster file named by the parameter file")]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AccountPath {
    account_id: Named<AccountId>,
}

/// What became of an import.
#[derive(Serialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Import {
    /// By kind of record.
    imported: BTreeMap<&'static str, Counts>,
    /// Records that could not be loaded: the first hundred.
    errors: Vec<Failed>,
    /// How many could not be loaded.
    error_count: usize,
}

#[derive(Serialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Counts {
    created: i64,
    updated: i64,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Failed {
    /// The kind of record, or the file.
    source: String,
    /// Its place in the list, from 0 on, or its line in the file.
    place: usize,
    message: String,
}

async fn create(cx: Context, at: AccountPath) -> Result<Reply<Import>> {
    let account = auth::account(&cx.db, cx.caller()?, &at.account_id).await?;
    account.must_administer()?;
    let mut loading = Loading { cx: &cx, district: account.id, import: Import::default() };
    let content_type = cx.header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    match content_type.split(';').next().unwrap_or_default().trim() {
        "application/json" => loading.document(&cx.body_stream()?.collect().await?).await?,
        "text/csv" => loading.file(file(&cx)?).await?,
        _ => return Err(Error::unsupported_media_type("send application/json, or text/csv with the parameter file")),
    }
    Ok(Reply::ok(loading.import))
}

/// The name of the `OneRoster` file, as the query has it.
fn file(cx: &Context) -> Result<&'static str> {
    let named = cx.query().split('&').find_map(|pair| pair.strip_prefix("file=")).unwrap_or_default();
    let named = named.trim_end_matches(".csv");
    let known = oneroster::FILES.into_iter().find(|file| *file == named);
    known.ok_or_else(|| Error::invalid("file", "inclusion", format!("must be one of {}", oneroster::FILES.join(", "))))
}

struct Loading<'a> {
    cx: &'a Context,
    district: AccountId,
    import: Import,
}

impl Loading<'_> {
    async fn document(&mut self, bytes: &[u8]) -> Result<()> {
        let wrong = |error: serde_json::Error| Error::bad_request(format!("the document cannot be read: {error}"));
        // The lists of our own documents stay as they are until each is read.
        let case = serde_json::from_slice::<BTreeMap<String, &RawValue>>(bytes).map_err(wrong)?;
        if case.contains_key("CFDocument") {
            let package: Package = serde_json::from_slice(bytes).map_err(wrong)?;
            self.load("subjects", "CFDocument", package.subject(), true).await?;
            return self.load("objectives", "CFItems", package.objectives(), true).await;
        }
        if let Some(unknown) = case.keys().find(|name| !TABLES.iter().any(|table| table.name == name.as_str())) {
            return Err(Error::bad_request(format!("{unknown} is no kind of record")));
        }
        for table in &TABLES {
            let Some(list) = case.get(table.name) else { continue };
            let records: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(wrong)?;
            for (batch, records) in records.chunks(BATCH).enumerate() {
                let entries = records.iter().enumerate().map(|(index, record)| {
                    let place = batch * BATCH + index;
                    let fields: Map<String, Value> = serde_json::from_str(record.get()).unwrap_or_default();
                    Entry { place, fields }
                });
                self.load(table.name, table.name, entries.collect(), true).await?;
            }
        }
        Ok(())
    }

    /// Loads a file row by row: no more than a batch of it is in memory.
    async fn file(&mut self, file: &'static str) -> Result<()> {
        let blob = format!("mastery-import/{}", Uuid::new_v4());
        let mut writer = blob::Writer::new(&blob).await?;
        let mut body = self.cx.body_stream()?;
        while let Some(chunk) = body.chunk().await? {
            writer.write(&chunk).await?;
        }
        let size = writer.finish().await?;
        let loaded = self.rows(file, &blob, size).await;
        blob::delete(&blob, size).await?;
        loaded
    }

    async fn rows(&mut self, file: &'static str, blob: &str, size: usize) -> Result<()> {
        let mut table = Csv::open(blob, size).await?.map_err(Error::bad_request)?;
        while let Some(batch) = table.batch(BATCH).await? {
            for (place, message) in batch.unreadable {
                self.failed(file, Problem { place, message });
            }
            for target in oneroster::targets(file, &batch.rows) {
                self.load(target.table, file, target.entries, target.new).await?;
            }
        }
        Ok(())
    }

    /// Loads records of a kind in batches.
    async fn load(&mut self, kind: &str, source: &str, entries: Vec<Entry>, new: bool) -> Result<()> {
        let Some(table) = TABLES.iter().find(|table| table.name == kind) else { return Ok(()) };
        for entries in entries.chunks(BATCH) {
            self.batch(table, source, entries, new).await?;
        }
        Ok(())
    }

    async fn batch(&mut self, table: &'static Table, source: &str, entries: &[Entry], new: bool) -> Result<()> {
        let mut records: BTreeMap<String, (usize, Map<String, Value>)> = BTreeMap::new();
        for entry in entries {
            match table.read(entry, new, self.cx.now) {
                // Of two with the same id the last one counts.
                Ok(record) => {
                    let id = record.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
                    records.insert(id, (entry.place, record));
                }
                Err(problem) => self.failed(source, problem),
            }
        }
        let mut records: Vec<_> = records.into_values().collect();
        records.sort_by_key(|(place, _)| *place);
        let (places, records): (Vec<_>, Vec<_>) = records.into_iter().unzip();
        let (loaded, dangling) = store::load(&self.cx.db, self.district, table, &records, new).await?;
        let counts = self.import.imported.entry(table.name).or_default();
        counts.created += loaded.created;
        counts.updated += loaded.updated;
        for one in dangling {
            let place = places.get(one.index).copied().unwrap_or_default();
            self.failed(source, Problem { place, message: format!("{} names nothing that is there", one.field) });
        }
        Ok(())
    }

    fn failed(&mut self, source: &str, problem: Problem) {
        self.import.error_count += 1;
        if self.import.errors.len() < MOST_PROBLEMS {
            self.import.errors.push(Failed {
                source: source.to_owned(),
                place: problem.place,
                message: problem.message,
            });
        }
    }
}
