//! The database of a libSQL server: all of it in one read transaction, or all of it anew in one write transaction.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use libsql::Value as FarValue;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::rows::{Row, integer, text};

/// The time for which a statement waits for others.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(10);

/// Values, bytes and rows that one statement carries at most.
const MAX_VALUES: i64 = 30_000;
const MAX_BYTES: i64 = 1024 * 1024;
const MAX_ROWS: i64 = 500;

/// The number of a row that has no other name: it is kept, because lists may go by it.
const ROWID: &str = "_rowid_";

/// All that is not the engine's own: the tables first.
const SCHEMA: &str = "SELECT type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'
    ORDER BY type <> 'table', rowid";

/// All rows of a statement. One that others' locks have kept from being executed is sent again.
pub(crate) async fn rows(connection: &libsql::Connection, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
    let values: Vec<_> = values.into_iter().map(to_far).collect();
    let began = Instant::now();
    loop {
        match answer(connection, sql, values.clone()).await {
            Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
            answer => return answer,
        }
    }
}

fn is_busy(error: &anyhow::Error) -> bool {
    let words = error.to_string();
    words.contains("SQLITE_BUSY") || words.contains("database is locked")
}

async fn answer(connection: &libsql::Connection, sql: &str, values: Vec<FarValue>) -> Result<Vec<Row>> {
    let mut answer = connection.query(sql, values).await?;
    let width = answer.column_count();
    let mut rows = Vec::new();
    while let Some(row) = answer.next().await? {
        let values = (0..width).map(|column| Ok(from_far(row.get_value(column)?)));
        rows.push(values.collect::<Result<_>>()?);
    }
    Ok(rows)
}

async fn run(connection: &libsql::Connection, sql: &str, values: Vec<Value>) -> Result<()> {
    rows(connection, sql, values).await.map(drop).with_context(|| sql.chars().take(200).collect::<String>())
}

/// Copies the database into an empty file, as it is at one moment. Where the server ends the transaction before its end,
/// nothing of it is used.
pub(crate) async fn download(connection: &libsql::Connection, file: &mut Connection) -> Result<()> {
    run(connection, "BEGIN", Vec::new()).await?;
    let copied = copy_down(connection, file).await;
    let ended = run(connection, "COMMIT", Vec::new()).await;
    copied?;
    ended.context("the server has ended the transaction, and so what was read is not of one moment")
}

async fn copy_down(connection: &libsql::Connection, file: &mut Connection) -> Result<()> {
    file.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")?;
    let local = file.transaction()?;
    let schema = rows(connection, SCHEMA, Vec::new()).await?;
    let definitions = |kind: fn(&str) -> bool| {
        let chosen = schema.iter().filter(move |row| text(row.first()).is_ok_and(kind));
        chosen.map(|row| text(row.get(2))).collect::<Result<Vec<_>>>()
    };
    for sql in definitions(|kind| kind == "table")? {
        local.execute_batch(sql)?;
    }
    for table in tables(&local)? {
        let mut after = None;
        let page_rows = page_rows(connection, &table).await?;
        loop {
            let page = rows(connection, &table.page(after.is_none(), page_rows), after.unwrap_or_default()).await?;
            let mut insert = local.prepare_cached(&table.insert(1))?;
            for row in &page {
                insert.execute(params_from_iter(row))?;
            }
            match page.last() {
                Some(last) if i64::try_from(page.len())? == page_rows => after = Some(table.key_of(last)),
                _ => break,
            }
        }
    }
    if !schema.is_empty() && has_sequences(&local)? {
        local.execute_batch("DELETE FROM sqlite_sequence")?;
        for row in rows(connection, "SELECT name, seq FROM sqlite_sequence", Vec::new()).await? {
            local.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", params_from_iter(row))?;
        }
    }
    // Triggers would do once more what is done already.
    for sql in definitions(|kind| kind != "table")? {
        local.execute_batch(sql)?;
    }
    let version = rows(connection, "PRAGMA user_version", Vec::new()).await?;
    let version = integer(version.first().and_then(|row| row.first()))?;
    local.pragma_update(None, "user_version", version)?;
    Ok(local.commit()?)
}

/// Puts the contents of the file in the place of all that the server has, in one transaction.
pub(crate) async fn upload(file: &Connection, connection: &libsql::Connection) -> Result<()> {
    // It belongs to the connection and not to the transaction; rows come in the order of the tables' names.
    run(connection, "PRAGMA foreign_keys = OFF", Vec::new()).await?;
    run(connection, "BEGIN IMMEDIATE", Vec::new()).await?;
    let copied = copy_up(file, connection).await;
    if copied.is_err() {
        // The server does it by itself where this does not arrive.
        let _rolled_back = run(connection, "ROLLBACK", Vec::new()).await;
        return copied;
    }
    run(connection, "COMMIT", Vec::new()).await
}

async fn copy_up(file: &Connection, connection: &libsql::Connection) -> Result<()> {
    for row in rows(connection, SCHEMA, Vec::new()).await? {
        let (kind, name) = (text(row.first())?, text(row.get(1))?);
        // Indexes and triggers go with their tables.
        if matches!(kind, "table" | "view") {
            run(connection, &format!("DROP {kind} {}", quoted(name)), Vec::new()).await?;
        }
    }
    let schema = definitions(file)?;
    for (_, sql) in schema.iter().filter(|(kind, _)| kind == "table") {
        run(connection, sql, Vec::new()).await?;
    }
    for table in tables(file)? {
        upload_rows(file, connection, &table).await.with_context(|| table.name.clone())?;
    }
    if has_sequences(file)? {
        run(connection, "DELETE FROM sqlite_sequence", Vec::new()).await?;
        for row in local_rows(file, "SELECT name, seq FROM sqlite_sequence", &[])? {
            run(connection, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", row).await?;
        }
    }
    for (_, sql) in schema.iter().filter(|(kind, _)| kind != "table") {
        run(connection, sql, Vec::new()).await?;
    }
    let version: i64 = file.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    run(connection, &format!("PRAGMA user_version = {version}"), Vec::new()).await?;
    let broken = rows(connection, "PRAGMA foreign_key_check", Vec::new()).await?;
    ensure!(broken.is_empty(), "{} rows name others that are not there", broken.len());
    Ok(())
}

async fn upload_rows(file: &Connection, connection: &libsql::Connection, table: &Table) -> Result<()> {
    let longest = file.query_row(&table.longest(), (), |row| row.get(0))?;
    let page_rows = table.page_rows(longest)?;
    let mut after: Option<Vec<Value>> = None;
    loop {
        let page = local_rows(file, &table.page(after.is_none(), page_rows), &after.unwrap_or_default())?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(table.key_of(last));
        let (insert, values) = (table.insert(page.len()), page.into_iter().flatten().collect());
        run(connection, &insert, values).await?;
    }
}

fn definitions(file: &Connection) -> Result<Vec<(String, String)>> {
    let rows = local_rows(file, SCHEMA, &[])?;
    rows.iter().map(|row| Ok((text(row.first())?.to_owned(), text(row.get(2))?.to_owned()))).collect()
}

fn local_rows(file: &Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
    let mut statement = file.prepare_cached(sql)?;
    let width = statement.column_count();
    let rows =
        statement.query_map(params_from_iter(values), |row| (0..width).map(|column| row.get(column)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn has_sequences(file: &Connection) -> Result<bool> {
    Ok(file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")?.exists(())?)
}

/// A table: its columns, and of these the ones that order it.
struct Table {
    name: String,
    columns: Vec<String>,
    key: Vec<String>,
}

/// The tables of a file, by their names.
fn tables(file: &Connection) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for row in local_rows(file, "PRAGMA table_list", &[])? {
        let [_, Value::Text(name), Value::Text(kind), _, Value::Integer(without_rowid), ..] = row.as_slice() else {
            bail!("a table that is told of otherwise: {row:?}");
        };
        if kind == "table" && !name.starts_with("sqlite_") && !name.starts_with("libsql_") {
            tables.push(table(file, name, *without_rowid == 0)?);
        }
    }
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(tables)
}

fn table(file: &Connection, name: &str, has_rowid: bool) -> Result<Table> {
    let (mut columns, mut key) = (Vec::new(), Vec::new());
    for row in local_rows(file, &format!("PRAGMA table_xinfo({})", quoted(name)), &[])? {
        let [_, Value::Text(column), Value::Text(kind), _, _, Value::Integer(place), Value::Integer(hidden)] =
            row.as_slice()
        else {
            bail!("a column that is told of otherwise: {row:?}");
        };
        if *hidden == 0 {
            columns.push(quoted(column));
        }
        if *place > 0 {
            key.push((*place, quoted(column), kind.eq_ignore_ascii_case("integer")));
        }
    }
    key.sort();
    let is_rowid = matches!(key.as_slice(), [(_, _, true)]);
    let key = key.into_iter().map(|(_, column, _)| column).collect();
    if !has_rowid || is_rowid {
        return Ok(Table { name: name.to_owned(), columns, key });
    }
    columns.insert(0, ROWID.to_owned());
    Ok(Table { name: name.to_owned(), columns, key: vec![ROWID.to_owned()] })
}

impl Table {
    /// So many rows in the order of the key: the first ones, or those after a key.
    fn page(&self, is_first: bool, rows: i64) -> String {
        let key = self.key.join(", ");
        let marks = vec!["?"; self.key.len()].join(", ");
        let after = if is_first { String::new() } else { format!("WHERE ({key}) > ({marks})") };
        let (columns, name) = (self.columns.join(", "), quoted(&self.name));
        format!("SELECT {columns} FROM {name} {after} ORDER BY {key} LIMIT {rows}")
    }

    /// The bytes of the longest row.
    fn longest(&self) -> String {
        let bytes = self.columns.iter().map(|column| format!("ifnull(length(CAST({column} AS BLOB)), 0)"));
        let bytes = bytes.collect::<Vec<_>>().join(" + ");
        format!("SELECT ifnull(max({bytes}), 0) FROM {}", quoted(&self.name))
    }

    /// The number of rows of a page whose longest row has so many bytes.
    fn page_rows(&self, longest: i64) -> Result<i64> {
        let columns = i64::try_from(self.columns.len())?.max(1);
        Ok((MAX_BYTES / longest.max(1)).min(MAX_VALUES / columns).clamp(1, MAX_ROWS))
    }

    /// The values of the key in a row.
    fn key_of(&self, row: &Row) -> Vec<Value> {
        let place = |key: &String| self.columns.iter().position(|column| column == key);
        self.key.iter().filter_map(|key| row.get(place(key)?).cloned()).collect()
    }

    fn insert(&self, rows: usize) -> String {
        let marks = format!("({})", vec!["?"; self.columns.len()].join(", "));
        let (columns, all) = (self.columns.join(", "), vec![marks; rows].join(", "));
        format!("INSERT INTO {} ({columns}) VALUES {all}", quoted(&self.name))
    }
}

async fn page_rows(connection: &libsql::Connection, table: &Table) -> Result<i64> {
    let longest = rows(connection, &table.longest(), Vec::new()).await?;
    table.page_rows(integer(longest.first().and_then(|row| row.first()))?)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn to_far(value: Value) -> FarValue {
    match value {
        Value::Null => FarValue::Null,
        Value::Integer(number) => FarValue::Integer(number),
        Value::Real(number) => FarValue::Real(number),
        Value::Text(text) => FarValue::Text(text),
        Value::Blob(bytes) => FarValue::Blob(bytes),
    }
}

fn from_far(value: FarValue) -> Value {
    match value {
        FarValue::Null => Value::Null,
        FarValue::Integer(number) => Value::Integer(number),
        FarValue::Real(number) => Value::Real(number),
        FarValue::Text(text) => Value::Text(text),
        FarValue::Blob(bytes) => Value::Blob(bytes),
    }
}
