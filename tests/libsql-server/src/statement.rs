//! One statement: what it is answered, and the server's words for what went wrong.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use libsql_hrana::proto::{self, Col, DescribeCol, DescribeParam, DescribeResult, Row, Stmt, StmtResult, Value};
use rusqlite::ffi::{ErrorCode, SQLITE_BUSY};
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Error as SqlError, Statement};

use crate::streams::{Stream, Streams, lock};
use crate::write_lock::Turn;

/// How long to leave the lock to others between two tries.
const PAUSE: Duration = Duration::from_millis(5);
/// The extended code for a transaction that has read what others have changed since: waiting does not help.
const BUSY_SNAPSHOT: i32 = 517;

/// What SQLite says of a lock that others have.
const LOCKED: &str = "database is locked";

/// Pragmas that are executed with or without a value.
const PRAGMAS: [&str; 25] = [
    "collation_list",
    "compile_options",
    "data_version",
    "database_list",
    "defer_foreign_keys",
    "encoding",
    "foreign_key_check",
    "foreign_key_list",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "legacy_file_format",
    "module_list",
    "page_count",
    "pragma_list",
    "quick_check",
    "stats",
    "table_info",
    "table_list",
    "table_xinfo",
    "user_version",
];
/// Pragmas that may be asked for, and not be set.
const READABLE_PRAGMAS: [&str; 8] = [
    "application_id",
    "auto_vacuum",
    "busy_timeout",
    "cache_size",
    "journal_mode",
    "page_size",
    "synchronous",
    "wal_autocheckpoint",
];

/// Executes a statement; one that meets other writers waits for them.
pub(crate) fn execute(streams: &Streams, stream: &Arc<Stream>, statement: &Stmt) -> Result<StmtResult, proto::Error> {
    if stream.take_timed_out() {
        return Err(error("Transaction timed out", "TRANSACTION_TIMEOUT"));
    }
    let sql = text(stream, statement.sql.as_deref(), statement.sql_id)?;
    require_supported(&sql)?;
    streams.counts.statements.fetch_add(1, Ordering::Relaxed);
    let connection = lock(&stream.connection);
    let began = Instant::now();
    let writers = &streams.write_lock;
    let mut turn = (writers.has_queue() && begins_to_write(&connection, &sql)).then(|| writers.queue_up());
    let answer = loop {
        let answer = turn.as_ref().is_none_or(Turn::is_first).then(|| run(&connection, &sql, statement));
        let is_held = answer.as_ref().is_none_or(|answer| answer.as_ref().is_err_and(is_held_by_others));
        match answer {
            Some(answer) if !is_held || began.elapsed() >= streams.options.lock_timeout => break answer,
            None if began.elapsed() >= streams.options.lock_timeout => {
                break Err(SqlError::SqliteFailure(rusqlite::ffi::Error::new(SQLITE_BUSY), Some(LOCKED.to_owned())));
            }
            _ => {
                turn.get_or_insert_with(|| writers.queue_up());
                writers.take_from_others(stream, streams.options.transaction_timeout);
                std::thread::sleep(PAUSE);
            }
        }
    };
    drop(turn);
    writers.note(stream, &connection);
    answer.map_err(told)
}

/// Tells of a statement without executing it.
pub(crate) fn describe(
    stream: &Stream,
    sql: Option<&str>,
    sql_id: Option<i32>,
) -> Result<DescribeResult, proto::Error> {
    let sql = text(stream, sql, sql_id)?;
    let connection = lock(&stream.connection);
    let statement = connection.prepare_cached(&sql).map_err(told)?;
    let params = (1..=statement.parameter_count())
        .map(|number| DescribeParam { name: statement.parameter_name(number).map(str::to_owned) });
    let cols = statement.column_names();
    Ok(DescribeResult {
        params: params.collect(),
        cols: cols.map(|name| DescribeCol { name: name.to_owned(), decltype: None }).collect(),
        is_explain: statement.is_explain() != 0,
        is_readonly: statement.readonly(),
    })
}

/// Executes several statements in one text.
pub(crate) fn sequence(
    streams: &Streams,
    stream: &Arc<Stream>,
    sql: Option<&str>,
    sql_id: Option<i32>,
) -> Result<(), proto::Error> {
    let sql = text(stream, sql, sql_id)?;
    let connection = lock(&stream.connection);
    let ended = connection.execute_batch(&sql);
    streams.write_lock.note(stream, &connection);
    ended.map_err(told)
}

/// The text itself, or the one that was stored under that number.
fn text(stream: &Stream, sql: Option<&str>, sql_id: Option<i32>) -> Result<String, proto::Error> {
    let stored = || lock(&stream.stored).get(&sql_id?).cloned();
    let sql = sql.map(str::to_owned).or_else(stored);
    sql.ok_or_else(|| error("SQL string does not contain any statement", "SQL_NO_STATEMENT"))
}

fn require_supported(sql: &str) -> Result<(), proto::Error> {
    let sql = sql.trim_start().to_ascii_lowercase();
    let is_supported = match sql.strip_prefix("pragma") {
        Some(pragma) => {
            let (name, value) = pragma.split_once(['=', '(']).map_or((pragma, ""), |(name, value)| (name, value));
            let name = name.trim().trim_end_matches(';');
            PRAGMAS.contains(&name) || (value.is_empty() && READABLE_PRAGMAS.contains(&name))
        }
        None => !sql.starts_with("vacuum"),
    };
    if is_supported {
        return Ok(());
    }
    Err(error("SQL string could not be parsed: unsupported statement", "SQL_PARSE_ERROR"))
}

fn run(connection: &Connection, sql: &str, wanted: &Stmt) -> rusqlite::Result<StmtResult> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, wanted)?;
    let names = statement.column_names();
    let cols: Vec<_> = names.map(|name| Col { name: Some(name.to_owned()), decltype: None }).collect();
    let changes_nothing = statement.readonly();
    let mut rows = Vec::new();
    let mut cursor = statement.raw_query();
    while let Some(row) = cursor.next()? {
        let values = (0..cols.len()).map(|column| row.get_ref(column).map(to_hrana));
        rows.push(Row { values: values.collect::<Result<_, _>>()? });
    }
    drop(cursor);
    if wanted.want_rows == Some(false) {
        rows.clear();
    }
    Ok(StmtResult {
        cols,
        rows,
        affected_row_count: if changes_nothing { 0 } else { connection.changes() },
        last_insert_rowid: Some(connection.last_insert_rowid()),
        replication_index: None,
        rows_read: 0,
        rows_written: 0,
        query_duration_ms: 0.0,
    })
}

/// Whether the statement takes the write lock, which its stream does not have.
fn begins_to_write(connection: &Connection, sql: &str) -> bool {
    connection.is_autocommit() && connection.prepare_cached(sql).is_ok_and(|statement| !statement.readonly())
}

fn bind(statement: &mut Statement<'_>, wanted: &Stmt) -> rusqlite::Result<()> {
    for (value, number) in wanted.args.iter().zip(1..) {
        statement.raw_bind_parameter(number, to_sql(value))?;
    }
    for argument in &wanted.named_args {
        let names = [":", "@", "$"].map(|mark| format!("{mark}{}", argument.name));
        let index =
            std::iter::once(&argument.name).chain(&names).find_map(|name| statement.parameter_index(name).ok()?);
        let index = index.ok_or_else(|| rusqlite::Error::InvalidParameterName(argument.name.clone()))?;
        statement.raw_bind_parameter(index, to_sql(&argument.value))?;
    }
    Ok(())
}

fn to_sql(value: &Value) -> SqlValue {
    match value {
        Value::None | Value::Null => SqlValue::Null,
        Value::Integer { value } => SqlValue::Integer(*value),
        Value::Float { value } => SqlValue::Real(*value),
        Value::Text { value } => SqlValue::Text(value.to_string()),
        Value::Blob { value } => SqlValue::Blob(value.to_vec()),
    }
}

fn to_hrana(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer { value },
        ValueRef::Real(value) => Value::Float { value },
        ValueRef::Text(text) => Value::Text { value: String::from_utf8_lossy(text).into() },
        ValueRef::Blob(bytes) => Value::Blob { value: Bytes::copy_from_slice(bytes) },
    }
}

fn is_held_by_others(error: &rusqlite::Error) -> bool {
    let busy = [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked];
    error.sqlite_error().is_some_and(|error| busy.contains(&error.code) && error.extended_code != BUSY_SNAPSHOT)
}

pub(crate) fn error(message: &str, code: &str) -> proto::Error {
    proto::Error { message: message.to_owned(), code: code.to_owned() }
}

/// The words and the code by which the server tells an error of SQLite.
fn told(error: rusqlite::Error) -> proto::Error {
    let (message, code) = match error {
        SqlError::SqliteFailure(error, message) => {
            let message = message.unwrap_or_else(|| error.to_string());
            (format!("SQLite error: {message}"), code_of(error.code))
        }
        SqlError::SqlInputError { msg, offset, .. } => {
            (format!("SQL input error: {msg} (at offset {offset})"), "SQL_INPUT_ERROR")
        }
        SqlError::MultipleStatement => {
            ("SQL string contains more than one statement".to_owned(), "SQL_MANY_STATEMENTS")
        }
        SqlError::InvalidParameterCount(..) | SqlError::InvalidParameterName(_) => {
            (format!("Arguments do not match SQL parameters: {error}"), "ARGS_INVALID")
        }
        error => (format!("SQLite error: {error}"), "SQLITE_UNKNOWN"),
    };
    proto::Error { message, code: code.to_owned() }
}

fn code_of(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ConstraintViolation => "SQLITE_CONSTRAINT",
        ErrorCode::DatabaseBusy => "SQLITE_BUSY",
        ErrorCode::DatabaseLocked => "SQLITE_LOCKED",
        ErrorCode::DiskFull => "SQLITE_FULL",
        ErrorCode::OperationInterrupted => "SQLITE_INTERRUPT",
        ErrorCode::ReadOnly => "SQLITE_READONLY",
        ErrorCode::SchemaChanged => "SQLITE_SCHEMA",
        ErrorCode::SystemIoFailure => "SQLITE_IOERR",
        ErrorCode::TooBig => "SQLITE_TOOBIG",
        _ => "SQLITE_UNKNOWN",
    }
}
