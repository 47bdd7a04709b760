//! Loading a district's data, by its administrators: as JSON of our own, as a CASE package, or as `OneRoster` CSV.
//!
//! A body goes to the blob store as it comes in, and is read from there and written in batches, so that memory does not
//! grow with it and other writers wait for no more than a batch. A record that was loaded before is changed and not
//! doubled, so that a file may be sent again; records that cannot be loaded are named, and the others are.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::csv::{Row, Table as Csv};
use shared::ids::AccountId;
use shared::needs::{NeededAccount, may};
use shared::{Context, Error, JsonSchema, LmsErrors, Query, Reply, Result, background, blob, endpoint, endpoints};
use spin_sdk::time;

use crate::import::document::{self, Contents, List, Member, Piece, Scanner, Span};
use crate::import::{Entry, Manner, Problem, TABLES, Table, case, oneroster};
use crate::store::import as store;

/// The most bytes of a body.
const MAX_BODY_BYTES: usize = 512 * 1024 * 1024;
/// Records that are written together.
const BATCH: usize = 500;
/// The most problems that are told.
const MAX_PROBLEMS: usize = 100;
/// The time for which a request may load: it has to end within the operator's limit, which is usually 60 seconds.
const TIME: Duration = Duration::from_secs(45);
/// After writing for so long, an import lets others write for a moment. They look for the lock a hundred times a second.
const TURN: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(20);

endpoints![create_mastery_import];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct FileQuery {
    /// Of CSV: which `OneRoster` file it is, with `.csv` at its end or without.
    file: Option<String>,
}

/// The outcome of an import.
#[derive(Serialize, JsonSchema)]
struct Import {
    /// False where time ran out before the end: the same body, sent again, is loaded on from there.
    complete: bool,
    /// By kind of record.
    imported: BTreeMap<&'static str, Counts>,
    /// Records that could not be loaded: the first hundred.
    errors: Vec<Failed>,
    /// The number of records that could not be loaded.
    error_count: usize,
}

#[derive(Serialize, Default, JsonSchema)]
struct Counts {
    created: i64,
    updated: i64,
}

#[derive(Serialize, JsonSchema)]
struct Failed {
    /// The kind of record, or the file.
    source: String,
    /// Its place in the list, from 0 on, or its line in the file.
    place: usize,
    message: String,
}

/// Loads data of a district: JSON, a CASE package, or a OneRoster file named by the parameter file.
#[endpoint(
    POST "/api/v1/accounts/:account_id/mastery_imports",
    streamed(MAX_BODY_BYTES),
    error_format(&LmsErrors),
    accepts(&["application/json", "text/csv"]),
    answers(415, "The body is neither JSON nor CSV."),
)]
async fn create_mastery_import(
    cx: Context,
    account: NeededAccount<may::Administer>,
    query: Query<FileQuery>,
) -> Result<Reply<Import>> {
    let began = Instant::now();
    let content_type = cx.header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let format = match content_type.split(';').next().unwrap_or_default().trim() {
        "application/json" => Format::Document,
        "text/csv" => Format::File(file(query.decode()?)?),
        _ => return Err(Error::unsupported_media_type("send application/json, or text/csv with the parameter file")),
    };
    // The tick deletes what a crash leaves behind.
    let blob = blob::new_name("file");
    let mut loading = Loading::new(&cx, account.id, began, blob.clone());
    let loaded = loading.body(format).await;
    background::log_if_failed(blob::delete(&blob, 0).await);
    loaded?;
    Ok(Reply::ok(loading.import))
}

/// The kind of a body.
#[derive(Clone, Copy)]
enum Format {
    /// JSON.
    Document,
    /// The CSV file of that name.
    File(&'static str),
}

/// The name of the `OneRoster` file, as the query has it.
fn file(query: FileQuery) -> Result<&'static str> {
    let named = query.file.unwrap_or_default();
    let named = named.trim_end_matches(".csv");
    let known = oneroster::FILES.into_iter().find(|file| *file == named);
    known.ok_or_else(|| Error::invalid("file", "inclusion", format!("must be one of {}", oneroster::FILES.join(", "))))
}

struct Loading<'a> {
    cx: &'a Context,
    district: AccountId,
    /// The body in the blob store.
    blob: String,
    began: Instant,
    /// The time for which it has been writing since it let others write.
    writing: Duration,
    import: Import,
}

impl<'a> Loading<'a> {
    fn new(cx: &'a Context, district: AccountId, began: Instant, blob: String) -> Self {
        let import = Import { complete: true, imported: BTreeMap::new(), errors: Vec::new(), error_count: 0 };
        Self { cx, district, blob, began, writing: Duration::ZERO, import }
    }

    async fn body(&mut self, format: Format) -> Result<()> {
        match format {
            Format::Document => {
                let mut scanner = Scanner::default();
                self.store(|chunk| scanner.read(chunk).map_err(unreadable)).await?;
                self.document(&scanner.finish().map_err(unreadable)?).await
            }
            Format::File(file) => {
                let size = self.store(|_| Ok(())).await?;
                self.rows(file, size).await
            }
        }
    }

    /// Stores the body, whose chunks are looked at on their way, and tells its size.
    async fn store(&self, mut look: impl FnMut(&Bytes) -> Result<()>) -> Result<usize> {
        let mut writer = blob::Writer::new(&self.blob).await?;
        let mut body = self.cx.body_stream()?;
        while let Some(chunk) = body.chunk().await? {
            look(&chunk)?;
            writer.write(&chunk).await?;
        }
        writer.finish().await
    }

    async fn document(&mut self, contents: &Contents) -> Result<()> {
        let members = &contents.members;
        if let Some(document) = members.get("CFDocument") {
            let items = members.get("CFItems").map(|items| list("CFItems", items)).transpose()?;
            return self.case(document, items.unwrap_or(&List::default())).await;
        }
        if let Some(unknown) = members.keys().find(|name| !TABLES.iter().any(|table| table.name == name.as_str())) {
            return Err(Error::bad_request(format!("{unknown} is no kind of record")));
        }
        // All of it is looked at before any of it is loaded.
        let mut lists = Vec::new();
        for table in &TABLES {
            if let Some(member) = members.get(table.name) {
                lists.push((table, list(table.name, member)?));
            }
        }
        for (table, list) in lists {
            for piece in &list.pieces {
                let read = |place, text: &str| Ok(Entry { place, fields: fields(place, text)? });
                let entries = self.piece(table.name, piece, read).await?;
                self.load(table, table.name, &entries, Manner::WHOLE).await?;
            }
        }
        Ok(())
    }

    async fn case(&mut self, document: &Member, items: &List) -> Result<()> {
        let Member::Object(span) = document else { return Err(Error::bad_request("CFDocument must be an object")) };
        let document: case::Document = serde_json::from_slice(&self.read(*span).await?).map_err(unreadable)?;
        self.load(kind("subjects")?, "CFDocument", &[document.subject()], Manner::WHOLE).await?;
        for piece in &items.pieces {
            let read = |place, text: &str| match serde_json::from_str::<case::Item>(text) {
                Ok(item) => Ok(item.objective(place, &document)),
                Err(error) => Err(Problem { place, message: format!("cannot be read: {error}") }),
            };
            let entries = self.piece("CFItems", piece, read).await?;
            self.load(kind("objectives")?, "CFItems", &entries, Manner::WHOLE).await?;
        }
        Ok(())
    }

    /// The records of a piece; those that cannot be read are noted.
    async fn piece(
        &mut self,
        source: &str,
        piece: &Piece,
        read: impl Fn(usize, &str) -> Result<Entry, Problem>,
    ) -> Result<Vec<Entry>> {
        if self.is_late() {
            return Ok(Vec::new());
        }
        let bytes = self.read(piece.span).await?;
        let read = document::records(&bytes, |index, text| read(piece.first.saturating_add(index), text));
        let mut entries = Vec::new();
        for record in read.map_err(unreadable)? {
            match record {
                Ok(entry) => entries.push(entry),
                Err(problem) => self.failed(source, problem),
            }
        }
        Ok(entries)
    }

    async fn read(&self, span: Span) -> Result<Bytes> {
        blob::read(&self.blob, span.start, span.length()).await
    }

    /// Loads a file row by row: no more than a batch of it is in memory.
    async fn rows(&mut self, file: &'static str, size: usize) -> Result<()> {
        let mut table = Csv::open(&self.blob, size).await?.map_err(Error::bad_request)?;
        oneroster::require_columns(file, table.columns()).map_err(Error::bad_request)?;
        let mut primaries = oneroster::Primaries::default();
        while let Some(batch) = table.batch(BATCH).await? {
            if self.is_late() {
                break;
            }
            for (place, message) in batch.unreadable {
                self.failed(file, Problem { place, message });
            }
            let rows = primaries.leading(file, self.accepted(file, batch.rows));
            for target in oneroster::told(file, table.columns(), oneroster::targets(file, &rows)) {
                self.load(kind(target.table)?, file, &target.entries, target.manner).await?;
            }
        }
        Ok(())
    }

    /// The rows without those of which nothing is loaded, which are noted.
    fn accepted(&mut self, file: &str, mut rows: Vec<Row>) -> Vec<Row> {
        rows.retain(|row| {
            let refusal = oneroster::refusal(file, row);
            if let Some(message) = refusal {
                self.failed(file, Problem { place: row.line, message: message.to_owned() });
            }
            refusal.is_none()
        });
        rows
    }

    /// True if time has run out, which the answer then tells.
    fn is_late(&mut self) -> bool {
        self.import.complete &= self.began.elapsed() < TIME;
        !self.import.complete
    }

    /// Loads records of a kind in batches.
    async fn load(&mut self, table: &'static Table, source: &str, entries: &[Entry], manner: Manner) -> Result<()> {
        for entries in entries.chunks(BATCH) {
            self.batch(table, source, entries, manner).await?;
            if self.writing >= TURN {
                self.writing = Duration::ZERO;
                time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    async fn batch(&mut self, table: &'static Table, source: &str, entries: &[Entry], manner: Manner) -> Result<()> {
        let mut records: BTreeMap<String, (usize, Map<String, Value>)> = BTreeMap::new();
        for entry in entries {
            match table.read(entry, manner.new) {
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
        let began = Instant::now();
        let (loaded, dangling) = store::load(&self.cx.db, self.district, table, &records, manner).await?;
        if loaded.created + loaded.updated > 0 {
            self.writing += began.elapsed();
        }
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
        if self.import.errors.len() < MAX_PROBLEMS {
            self.import.errors.push(Failed {
                source: source.to_owned(),
                place: problem.place,
                message: problem.message,
            });
        }
    }
}

fn unreadable(error: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("the document cannot be read: {error}"))
}

/// A list of records.
fn list<'a>(name: &str, member: &'a Member) -> Result<&'a List> {
    match member {
        Member::List(List { stray: Some(place), .. }) => {
            Err(Error::bad_request(format!("{name}[{place}] is no object")))
        }
        Member::List(list) => Ok(list),
        Member::Object(_) | Member::Scalar => Err(Error::bad_request(format!("{name} must be a list"))),
    }
}

fn kind(name: &str) -> Result<&'static Table> {
    let found = TABLES.iter().find(|table| table.name == name);
    found.ok_or_else(|| Error::bad_request(format!("{name} is no kind of record")))
}

fn fields(place: usize, text: &str) -> Result<Map<String, Value>, Problem> {
    serde_json::from_str(text).map_err(|error| Problem { place, message: format!("cannot be read: {error}") })
}
