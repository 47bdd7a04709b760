//! A database in a file or on a server, and the copy of one to the other: tables, their rows in pages, then what belongs to
//! them, and at the end the comparison.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use sha2::{Digest as _, Sha256};

use super::hrana::Server;

/// Values, bytes and rows that go into one statement at most.
const MAX_VALUES: i64 = 30_000;
const MAX_BYTES: i64 = 1024 * 1024;
const MAX_ROWS: i64 = 500;

/// The number of a row that has no other name: it is kept, because lists may go by it.
const ROWID: &str = "_rowid_";

/// All that is not the engine's own.
const SCHEMA: &str = "SELECT type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' ORDER BY rowid";

pub(super) type Row = Vec<Value>;
pub(super) type Statement = (String, Vec<Value>);

/// Where a database is.
pub(super) enum Database {
    File(Connection),
    Server(Server),
}

impl Database {
    pub(super) async fn rows(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        let rows = match self {
            Self::File(connection) => rows(connection, sql, values),
            Self::Server(server) => server.rows(sql, values).await,
        };
        rows.with_context(|| sql.to_owned())
    }

    /// Executes all statements in one transaction, or none.
    async fn write(&mut self, statements: Vec<Statement>) -> Result<()> {
        match self {
            Self::File(connection) => write(connection, statements),
            Self::Server(server) => server.write(statements).await,
        }
    }
}

fn rows(connection: &Connection, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    let width = statement.column_count();
    let rows =
        statement.query_map(params_from_iter(values), |row| (0..width).map(|column| row.get(column)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn write(connection: &mut Connection, statements: Vec<Statement>) -> Result<()> {
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    let transaction = connection.transaction()?;
    for (sql, values) in statements {
        let mut statement = transaction.prepare(&sql).with_context(|| sql.clone())?;
        // A pragma has a row, which is of no interest.
        let mut rows = statement.query(params_from_iter(values))?;
        while rows.next()?.is_some() {}
    }
    Ok(transaction.commit()?)
}

/// A table: its columns, and of these the ones that order it.
struct Table {
    name: String,
    columns: Vec<String>,
    key: Vec<String>,
}

/// The number of rows of a table, and the SHA-256 of them in their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) rows: u64,
    pub(super) sum: String,
}

/// Refuses a database that has anything in it.
pub(super) async fn require_empty(database: &mut Database) -> Result<()> {
    let schema = database.rows(SCHEMA, Vec::new()).await?;
    ensure!(schema.is_empty(), "the database to move to is not empty: it has {} tables and indexes", schema.len());
    Ok(())
}

/// Copies everything, and fails if both sides are not the same afterwards.
pub(super) async fn copy(from: &mut Database, to: &mut Database) -> Result<BTreeMap<String, Digest>> {
    let schema = from.rows(SCHEMA, Vec::new()).await?;
    let (tables, others): (Vec<_>, Vec<_>) = schema.iter().partition(|row| is_text(row.first(), "table"));
    create(to, &tables).await?;
    for table in all_tables(from).await? {
        copy_rows(&table, from, to).await.with_context(|| table.name.clone())?;
    }
    copy_sequences(from, to).await?;
    // Triggers would do once more what is done already.
    create(to, &others).await?;
    let version = version(from).await?;
    to.write(vec![(format!("PRAGMA user_version = {version}"), Vec::new())]).await?;
    compare(from, to).await
}

/// Fails if the databases differ. Answers what both have.
pub(super) async fn compare(one: &mut Database, other: &mut Database) -> Result<BTreeMap<String, Digest>> {
    let mut schemas = [one.rows(SCHEMA, Vec::new()).await?, other.rows(SCHEMA, Vec::new()).await?];
    // Tables come first on one side, and in the order of migrations on the other.
    schemas.iter_mut().for_each(|schema| schema.sort_by_key(|row| format!("{row:?}")));
    ensure!(schemas.first() == schemas.last(), "the schemas differ");
    ensure!(version(one).await? == version(other).await?, "the versions of the schemas differ");
    ensure!(sequences(one).await? == sequences(other).await?, "the sequences of ids differ");
    let broken = other.rows("PRAGMA foreign_key_check", Vec::new()).await?;
    ensure!(broken.is_empty(), "{} rows name others that are not there", broken.len());
    let mut digests = BTreeMap::new();
    for table in all_tables(one).await? {
        let (digest, far) = (digest(&table, one).await?, digest(&table, other).await?);
        ensure!(digest == far, "{} differs: {digest:?} and {far:?}", table.name);
        digests.insert(table.name, digest);
    }
    Ok(digests)
}

async fn create(to: &mut Database, schema: &[&Row]) -> Result<()> {
    let sql = |row: &&Row| match row.last() {
        Some(Value::Text(sql)) => Ok((sql.clone(), Vec::new())),
        other => bail!("a definition that is no text: {other:?}"),
    };
    to.write(schema.iter().map(sql).collect::<Result<_>>()?).await
}

async fn version(database: &mut Database) -> Result<i64> {
    number(&database.rows("PRAGMA user_version", Vec::new()).await?)
}

/// The greatest ids that were ever given out.
async fn sequences(database: &mut Database) -> Result<Vec<Row>> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'";
    if database.rows(exists, Vec::new()).await?.is_empty() {
        return Ok(Vec::new());
    }
    database.rows("SELECT name, seq FROM sqlite_sequence ORDER BY name", Vec::new()).await
}

async fn copy_sequences(from: &mut Database, to: &mut Database) -> Result<()> {
    let sequences = sequences(from).await?;
    if sequences.is_empty() {
        return Ok(());
    }
    let mut statements = vec![("DELETE FROM sqlite_sequence".to_owned(), Vec::new())];
    let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)";
    statements.extend(sequences.into_iter().map(|row| (insert.to_owned(), row)));
    to.write(statements).await
}

/// The tables, by their names. The pragmas are asked for as such: a server may not have them as tables.
async fn all_tables(database: &mut Database) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for row in database.rows("PRAGMA table_list", Vec::new()).await? {
        let [_, Value::Text(name), Value::Text(kind), _, Value::Integer(without_rowid), ..] = row.as_slice() else {
            bail!("a table that is told of otherwise: {row:?}");
        };
        if kind == "table" && !name.starts_with("sqlite_") && !name.starts_with("libsql_") {
            tables.push(table(database, name, *without_rowid == 0).await?);
        }
    }
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(tables)
}

async fn table(database: &mut Database, name: &str, has_rowid: bool) -> Result<Table> {
    let (mut columns, mut key) = (Vec::new(), Vec::new());
    for row in database.rows(&format!("PRAGMA table_xinfo({})", quoted(name)), Vec::new()).await? {
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
    let key: Vec<_> = key.into_iter().map(|(_, column, _)| column).collect();
    Ok(match has_rowid && !is_rowid {
        true => {
            columns.insert(0, ROWID.to_owned());
            Table { name: name.to_owned(), columns, key: vec![ROWID.to_owned()] }
        }
        false => Table { name: name.to_owned(), columns, key },
    })
}

impl Table {
    /// The rows of a page, and the rows after it, in the order of the key.
    fn page(&self, is_first: bool, rows: i64) -> String {
        let key = self.key.join(", ");
        let marks = vec!["?"; self.key.len()].join(", ");
        let after = if is_first { String::new() } else { format!("WHERE ({key}) > ({marks})") };
        let (columns, name) = (self.columns.join(", "), quoted(&self.name));
        format!("SELECT {columns} FROM {name} {after} ORDER BY {key} LIMIT {rows}")
    }

    /// The number of rows of a page, none of whose bytes are too many.
    async fn page_rows(&self, database: &mut Database) -> Result<i64> {
        let bytes = self.columns.iter().map(|column| format!("ifnull(length(CAST({column} AS BLOB)), 0)"));
        let bytes = bytes.collect::<Vec<_>>().join(" + ");
        let sql = format!("SELECT ifnull(max({bytes}), 0) FROM {}", quoted(&self.name));
        let longest = number(&database.rows(&sql, Vec::new()).await?)?.max(1);
        let columns = i64::try_from(self.columns.len())?.max(1);
        Ok((MAX_BYTES / longest).min(MAX_VALUES / columns).clamp(1, MAX_ROWS))
    }

    /// The values of the key in a row.
    fn key_of(&self, row: &Row) -> Vec<Value> {
        let values = self.key.iter().filter_map(|key| {
            let place = self.columns.iter().position(|column| column == key)?;
            row.get(place).cloned()
        });
        values.collect()
    }

    fn insert(&self, rows: Vec<Row>) -> Statement {
        let marks = format!("({})", vec!["?"; self.columns.len()].join(", "));
        let (columns, all) = (self.columns.join(", "), vec![marks; rows.len()].join(", "));
        let sql = format!("INSERT INTO {} ({columns}) VALUES {all}", quoted(&self.name));
        (sql, rows.into_iter().flatten().collect())
    }
}

/// The pages of a table, one after another.
struct Pages<'a> {
    table: &'a Table,
    rows: i64,
    after: Option<Vec<Value>>,
    is_over: bool,
}

impl<'a> Pages<'a> {
    async fn of(table: &'a Table, database: &mut Database) -> Result<Self> {
        let rows = table.page_rows(database).await?;
        Ok(Self { table, rows, after: None, is_over: false })
    }

    async fn next(&mut self, database: &mut Database) -> Result<Vec<Row>> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let sql = self.table.page(self.after.is_none(), self.rows);
        let rows = database.rows(&sql, self.after.take().unwrap_or_default()).await?;
        self.is_over = i64::try_from(rows.len())? < self.rows;
        self.after = rows.last().map(|row| self.table.key_of(row));
        Ok(rows)
    }
}

async fn copy_rows(table: &Table, from: &mut Database, to: &mut Database) -> Result<()> {
    let mut pages = Pages::of(table, from).await?;
    loop {
        let rows = pages.next(from).await?;
        if rows.is_empty() {
            return Ok(());
        }
        to.write(vec![table.insert(rows)]).await?;
    }
}

async fn digest(table: &Table, database: &mut Database) -> Result<Digest> {
    let mut pages = Pages::of(table, database).await?;
    let (mut count, mut hash) = (0, Sha256::new());
    loop {
        let rows = pages.next(database).await?;
        if rows.is_empty() {
            return Ok(Digest { rows: count, sum: hex(&hash.finalize()) });
        }
        for value in rows.iter().flatten() {
            add(&mut hash, value);
        }
        count += u64::try_from(rows.len())?;
    }
}

/// A value with its type and length: no two rows look alike that are not.
fn add(hash: &mut Sha256, value: &Value) {
    let (kind, bytes) = match value {
        Value::Null => (b'n', Vec::new()),
        Value::Integer(number) => (b'i', number.to_be_bytes().to_vec()),
        Value::Real(number) => (b'r', number.to_bits().to_be_bytes().to_vec()),
        Value::Text(text) => (b't', text.as_bytes().to_vec()),
        Value::Blob(bytes) => (b'b', bytes.clone()),
    };
    hash.update([kind]);
    hash.update(bytes.len().to_be_bytes());
    hash.update(bytes);
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _never_fails = write!(hex, "{byte:02x}");
        hex
    })
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn is_text(value: Option<&Value>, text: &str) -> bool {
    matches!(value, Some(Value::Text(found)) if found == text)
}

fn number(rows: &[Row]) -> Result<i64> {
    match rows.first().and_then(|row| row.first()) {
        Some(Value::Integer(number)) => Ok(*number),
        other => bail!("no number: {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Database {
        Database::File(Connection::open_in_memory().unwrap())
    }

    fn with(sql: &str) -> Database {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(sql).unwrap();
        Database::File(connection)
    }

    const SAMPLE: &str = "
        CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER REFERENCES a (id), x, \"odd \"\"name\") STRICT;
        CREATE TABLE b (name TEXT PRIMARY KEY, bytes BLOB);
        CREATE TABLE c (one TEXT, two INTEGER, PRIMARY KEY (two, one)) WITHOUT ROWID;
        CREATE INDEX by_x ON a (x);
        CREATE TRIGGER no_more AFTER INSERT ON b BEGIN SELECT raise(ABORT, 'no more'); END;
        PRAGMA user_version = 25;";

    fn sample() -> Database {
        let sample = SAMPLE.replace("x, \"odd \"\"name\") STRICT", "x, \"odd \"\"name\")");
        let (schema, trigger) = sample.split_once("        CREATE TRIGGER").unwrap();
        with(&format!(
            "{schema}
             INSERT INTO a VALUES (1, 3, 0.1, NULL), (3, NULL, '0.1', x'00ff'), (9, 1, 1e300, char(0) || 'a');
             DELETE FROM a WHERE id = 9;
             INSERT INTO b (rowid, name, bytes) VALUES (7, 'z', zeroblob(2000000)), (8, 'a', x'01');
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
             INSERT INTO c SELECT 'x' || i, i % 7 FROM n;
             CREATE TRIGGER{trigger}"
        ))
    }

    #[tokio::test]
    async fn a_copy_has_every_row_and_nothing_that_triggers_would_add() {
        let (mut from, mut to) = (sample(), empty());
        require_empty(&mut to).await.unwrap();
        let digests = copy(&mut from, &mut to).await.unwrap();
        let rows: Vec<_> = digests.values().map(|digest| digest.rows).collect();
        assert_eq!(rows, [2, 2, 1234]);
        let sequence = to.rows("SELECT seq FROM sqlite_sequence WHERE name = 'a'", Vec::new()).await.unwrap();
        assert_eq!(number(&sequence).unwrap(), 9);
        let rowid = to.rows("SELECT rowid FROM b WHERE name = 'z'", Vec::new()).await.unwrap();
        assert_eq!(number(&rowid).unwrap(), 7);
        let refused = require_empty(&mut to).await.unwrap_err();
        assert!(refused.to_string().contains("not empty"), "{refused}");
    }

    #[tokio::test]
    async fn a_difference_is_found() {
        for change in [
            "UPDATE a SET x = 0.1 + 1e-17 + 1e-16 WHERE id = 1",
            "UPDATE a SET x = CAST(x AS BLOB) WHERE id = 3",
            "DELETE FROM c WHERE two = 6 AND one = 'x6'",
            "UPDATE sqlite_sequence SET seq = 10",
            "DROP TRIGGER no_more",
            "PRAGMA user_version = 26",
            "UPDATE b SET rowid = 99 WHERE name = 'a'",
        ] {
            let (mut from, mut to) = (sample(), empty());
            copy(&mut from, &mut to).await.unwrap();
            to.write(vec![(change.to_owned(), Vec::new())]).await.unwrap();
            assert!(compare(&mut from, &mut to).await.is_err(), "{change}");
        }
    }
}
