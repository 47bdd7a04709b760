//! The plans of SQLite for each statement of the components: none of them may go through a table that grows, and each must
//! come through the client of a libSQL server, which reads it and writes it anew, with the same columns. SQLite must keep the
//! plan: to make it anew for each run costs forty times as much as to run most of them.
//!
//! The statements are those that the contract tests have made the components execute, and were recorded by the host. The
//! database is empty and was never analysed, so that the plans are those of any installation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libsql_sqlite3_parser::lexer::sql::Parser;
use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Connection, StatementStatus};
use serde::{Deserialize, Serialize};

use crate::schema;

/// Tables whose rows are few, whoever uses the service and for however long.
///
/// `badge_signing_keys` has a few for each tenant, `blob_totals` one, `password_check_slots` one for each password that is
/// being checked, `event_totals` one for each kind of what is counted, `sis_restorations` one for each import that is being
/// taken back, `sqlite_sequence` one for each table that numbers its rows for ever, and `ticks` one.
const SMALL: [&str; 8] = [
    "schema_compatibility",
    "badge_signing_keys",
    "blob_totals",
    "event_totals",
    "password_check_slots",
    "sis_restorations",
    "sqlite_sequence",
    "ticks",
];

/// Indexes that have only what is still to be done: who looks for work goes through them.
const TO_DO: [&str; 7] = [
    "content_exports_to_do",
    "content_migrations_to_do",
    "quiz_regrade_sessions_to_do",
    "quiz_regrade_submissions_to_do",
    "quiz_reports_to_do",
    "sis_imports_to_clean_up",
    "sis_imports_to_do",
];

/// Statements that go through a table nevertheless: a part of their text, the scan, and why that is right.
const ALLOWED: [(&str, &str, &str); 14] = [
    ("ORDER BY id DESC LIMIT 1", "SCAN live_events", "it ends at the first row, which is the newest"),
    ("FROM courses_to_sanitize LIMIT 1", "SCAN courses_to_sanitize", "it ends at the first row"),
    (
        "ORDER BY s.course_id LIMIT ifnull(?1, NULL)",
        "SCAN s",
        "it takes a few from the head of a list that only gets shorter",
    ),
    ("WHERE ifnull(?1, NULL) IS NULL AND state <> 'gathered') ORDER BY id DESC", "SCAN messages", UNTIL_FULL),
    ("FROM error_reports WHERE (SELECT caller.site_admin FROM caller)", "SCAN error_reports", UNTIL_FULL),
    ("FROM sis_imports WHERE ifnull(?1, NULL) IS NULL ORDER BY id DESC LIMIT 10", "SCAN sis_imports", UNTIL_FULL),
    (
        "FROM content_exports WHERE ifnull(?1, NULL) IS NULL ORDER BY id DESC LIMIT 10",
        "SCAN content_exports",
        UNTIL_FULL,
    ),
    (
        "FROM content_migrations WHERE ifnull(?1, NULL) IS NULL ORDER BY id DESC LIMIT 10",
        "SCAN content_migrations",
        UNTIL_FULL,
    ),
    ("FROM developer_keys WHERE ifnull(?1, NULL) IS NULL", "SCAN developer_keys", UNTIL_FULL),
    (
        "m INDEXED BY messages_dead JOIN",
        "SCAN m USING INDEX messages_dead",
        "it ends at the thousandth, the oldest first",
    ),
    (FIGURES, "SCAN webhook_deliveries USING COVERING INDEX webhook_deliveries_due", COUNTED),
    (FIGURES, "SCAN webhook_deliveries USING COVERING INDEX webhook_deliveries_dead", COUNTED),
    (FIGURES, "SCAN messages USING COVERING INDEX messages_due", COUNTED),
    (FIGURES, "SCAN messages USING COVERING INDEX messages_dead", COUNTED),
];
/// A word of the statement behind the figures of an installation.
const FIGURES: &str = "AS dead_deliveries";
const COUNTED: &str = "the index has only what is to be sent, or was given up, and that is counted";
const UNTIL_FULL: &str = "the site's administrators see all there are, the newest first: it ends when the page is full";

/// Loops whose rows are put in order for a page by a key, which begins with an index otherwise, and why they are few.
const SORTED: [(&str, &str); 6] = [
    ("SCAN shown", "the rows of one page"),
    ("SEARCH v USING PRIMARY KEY (id=?)", "the requests that the events of one page name"),
    (
        "SEARCH courses USING INDEX courses_by_any_sis_id (root_account_id=? AND sis_course_id=?)",
        "courses had one SIS id in turns",
    ),
    ("SCAN i VIRTUAL TABLE INDEX 1:", "what was wrong with one import stands in its row"),
    ("SEARCH f USING INDEX sis_import_files_by_import (sis_import_id=?)", "an import has few files"),
    ("SEARCH group_memberships USING INDEX group_memberships_once (group_id=?)", "the members of one group"),
];

/// What a later release makes, and this one looks for.
const OF_LATER_RELEASES: &str = "CREATE TABLE schema_compatibility (oldest_schema INTEGER NOT NULL) STRICT;";

/// A statement of a component, as the host has recorded it.
#[derive(Deserialize)]
struct Recorded {
    component: String,
    sql: String,
}

/// The statements of the components that have a plan, and the tables that they are about.
#[derive(Serialize)]
pub(crate) struct Queries {
    schema: String,
    /// The components that execute each.
    statements: BTreeMap<String, BTreeSet<String>>,
}

impl Queries {
    /// Those that were recorded in that folder. Those of migrations need the tables of their time, and are left out.
    pub(crate) fn read(records: &Path) -> Result<Self> {
        let mut statements = statements(records)?;
        ensure!(statements.len() > 100, "only {} statements were recorded", statements.len());
        let migrations = schema::migrations()?.concat();
        statements.retain(|sql, _| is_query(sql) && !migrations.contains(sql.trim()));
        Ok(Self { schema: format!("{migrations}{OF_LATER_RELEASES}"), statements })
    }
}

/// Checks the plan of each.
pub(crate) fn check(queries: &Queries) -> Result<()> {
    let database = Database::new(&queries.schema)?;
    let (mut wrong, mut lost, mut unkept, mut sorted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (sql, components) in &queries.statements {
        let components = components.iter().cloned().collect::<Vec<_>>().join(", ");
        for scan in database.scans(sql)? {
            if !ALLOWED.iter().any(|(part, allowed, _)| sql.contains(part) && scan == *allowed) {
                wrong.push(format!("{scan} ({components}):\n{sql}\n"));
            }
        }
        if let Some(why) = database.is_lost_on_the_way(sql)? {
            lost.push(format!("{why} ({components}):\n{sql}\n"));
        }
        if database.is_planned_anew(sql)? {
            unkept.push(format!("({components}):\n{sql}\n"));
        }
        for rows in database.sorted_pages(sql)? {
            if !SORTED.iter().any(|(allowed, _)| rows == *allowed) {
                sorted.push(format!("{rows} ({components}):\n{sql}\n"));
            }
        }
    }
    eprintln!("{} statements", queries.statements.len());
    ensure!(
        lost.is_empty(),
        "{} statements that a libSQL server would not get, or not as they are:\n\n{}",
        lost.len(),
        lost.join("\n")
    );
    ensure!(unkept.is_empty(), "{} statements are planned anew by each run:\n\n{}", unkept.len(), unkept.join("\n"));
    ensure!(sorted.is_empty(), "{} lists that are put in order for each page:\n\n{}", sorted.len(), sorted.join("\n"));
    ensure!(wrong.is_empty(), "{} scans of tables that grow:\n\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// The text of each statement, and the components that execute it.
fn statements(records: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut statements = BTreeMap::<String, BTreeSet<String>>::new();
    for file in std::fs::read_dir(records)? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        // A host that was killed may have left half a line.
        for line in std::fs::read_to_string(&path)?.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let Recorded { component, sql } =
                serde_json::from_str(line).with_context(|| format!("in {}", path.display()))?;
            statements.entry(sql).or_default().insert(component);
        }
    }
    Ok(statements)
}

/// True for a statement with a plan: transactions, pragmas and definitions have none.
fn is_query(sql: &str) -> bool {
    let word = sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(word.as_str(), "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE" | "REPLACE")
}

/// The words of a plan for a row that is looked up in a unique index by all columns.
const UNIQUE_LOOKUPS: &str = "
    SELECT i.name || ' (' || group_concat(ifnull(c.name, '<expr>') || '=?', ' AND ' ORDER BY c.seqno) || ')'
    FROM sqlite_schema s, pragma_index_list(s.name) i, pragma_index_info(i.name) c
    WHERE s.type = 'table' AND i.\"unique\" GROUP BY i.name";

/// The steps of SQLite's machine after which a run is cut short.
const MAX_STEPS: std::ffi::c_int = 100_000;

/// An empty database with all tables.
struct Database {
    connection: Connection,
    tables: BTreeSet<String>,
    /// As a plan tells it: `users_by_name (school=? AND name=?)`.
    unique: BTreeSet<String>,
    /// The work of triggers belongs to the plans of the statements that set them off.
    triggers: String,
}

impl Database {
    fn new(schema: &str) -> Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(schema)?;
        // References to a row are looked for only where a row goes or its number changes, but stand in every plan.
        connection.execute_batch("PRAGMA foreign_keys = OFF")?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true)?;
        let texts = |sql: &str| -> Result<Vec<String>> {
            let mut statement = connection.prepare(sql)?;
            let texts = statement.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(texts)
        };
        let tables = texts("SELECT name FROM sqlite_schema WHERE type = 'table'")?.into_iter().collect();
        let triggers = texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")?.join("\n");
        let unique = texts(UNIQUE_LOOKUPS)?.into_iter().collect();
        connection.progress_handler(MAX_STEPS, Some(|| true))?;
        Ok(Self { connection, tables, unique, triggers })
    }

    /// The lines of its plan that say that it goes through a table that grows, or for each of many rows through a list.
    fn scans(&self, sql: &str) -> Result<BTreeSet<String>> {
        let plan = self.plan(sql).with_context(|| format!("no plan of {sql}"))?;
        let inner = plan.iter().enumerate().filter(|(index, line)| {
            let before = plan.iter().take(*index).filter(|other| other.parent == line.parent);
            is_list_of_request(sql, &line.detail) && before.into_iter().any(|other| self.has_many_rows(&other.detail))
        });
        let inner: BTreeSet<_> = inner.map(|(_, line)| line.detail.clone()).collect();
        // A part of a statement may be called as a table is within it: then it is the part that is gone through.
        let parts: BTreeSet<_> = plan.iter().filter_map(|line| part(&line.detail)).collect();
        let of_part = |line: &&String| line.split_whitespace().nth(1).is_some_and(|name| parts.contains(name));
        let lines = plan.iter().map(|line| &line.detail).filter(|line| !of_part(line));
        Ok(lines.filter(|line| self.is_bad(sql, line)).cloned().chain(inner).collect())
    }

    /// The rows that are all put in order before a prefetched page by a key is taken from them.
    fn sorted_pages(&self, sql: &str) -> Result<Vec<String>> {
        if !is_prefetched_page_by_key(sql) {
            return Ok(Vec::new());
        }
        let plan = self.plan(sql)?;
        let sorts = plan
            .iter()
            .enumerate()
            .filter(|(_, line)| line.detail.starts_with("USE TEMP B-TREE FOR") && line.detail.ends_with("ORDER BY"));
        let rows = sorts.filter_map(|(index, sort)| {
            let mut before = plan.iter().take(index).rev().filter(|line| line.parent == sort.parent);
            before.find(|line| self.has_many_rows(&line.detail)).map(|line| line.detail.clone())
        });
        Ok(rows.collect())
    }

    /// Why the client of a libSQL server, which reads a statement and sends it as it would write it, does not send this
    /// one, or another one. Words of SQL that SQLite takes as names, too, it writes in capitals.
    fn is_lost_on_the_way(&self, sql: &str) -> Result<Option<String>> {
        let written = match Parser::new(sql.as_bytes()).next() {
            Ok(Some(command)) => command.to_string(),
            Ok(None) => return Ok(Some("no statement".to_owned())),
            Err(error) => return Ok(Some(error.to_string())),
        };
        let before = self.columns(sql).with_context(|| format!("no columns of {sql}"))?;
        // A column without a name of its own is read by its place.
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        Ok(match self.columns(&written) {
            Ok(after) => {
                let mut renamed =
                    before.iter().zip(&after).filter(|(before, after)| is_name(before) && before != after);
                renamed.next().map(|(before, after)| format!("its column {before} comes back as {after}"))
            }
            Err(error) => Some(format!("{error}, when it is written as {written}")),
        })
    }

    /// The names that the statement gives its columns.
    fn columns(&self, sql: &str) -> rusqlite::Result<Vec<String>> {
        Ok(self.connection.prepare(sql)?.column_names().map(str::to_owned).collect())
    }

    /// Whether SQLite makes the plan anew when other values are bound. The run itself is cut short.
    fn is_planned_anew(&self, sql: &str) -> rusqlite::Result<bool> {
        let mut statement = self.connection.prepare(sql)?;
        for value in 1..=3 {
            for parameter in 1..=statement.parameter_count() {
                statement.raw_bind_parameter(parameter, value)?;
            }
            let _refused = statement.raw_query().next();
            statement.clear_bindings();
        }
        Ok(statement.get_status(StatementStatus::RePrepare) > 0)
    }

    fn plan(&self, sql: &str) -> rusqlite::Result<Vec<Line>> {
        let mut statement = self.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut rows = statement.raw_query();
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            // A step of a trigger or of a foreign key may have no words.
            let detail = row.get::<_, Option<String>>("detail")?.unwrap_or_default();
            lines.push(Line { parent: row.get("parent")?, detail });
        }
        Ok(lines)
    }

    fn is_bad(&self, sql: &str, line: &str) -> bool {
        // To make an index for one statement SQLite goes through the whole table.
        let made = line.strip_prefix("SEARCH ").filter(|what| what.contains(" USING AUTOMATIC "));
        let Some(what) = line.strip_prefix("SCAN ").or(made) else { return false };
        // A list in JSON is as long as the request made it; a constant has one row.
        if what.contains("VIRTUAL TABLE") || what.contains("CONSTANT ROW") {
            return false;
        }
        if what.split_once(" INDEX ").is_some_and(|(_, index)| TO_DO.contains(&index)) {
            return false;
        }
        let name = what.split_whitespace().next().unwrap_or_default();
        let named = |text| names(text, name, &self.tables);
        let tables = if self.tables.contains(name) { vec![name.to_owned()] } else { named(sql) };
        // A name that the statement does not have is one of a trigger that it sets off.
        let is_own = sql.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let tables = if tables.is_empty() && !is_own { named(&self.triggers) } else { tables };
        // A name of no table is that of a part of the statement, of which its own lines tell.
        tables.iter().any(|table| !SMALL.contains(&table.as_str()))
    }

    /// True for a loop that may have more than a row.
    fn has_many_rows(&self, line: &str) -> bool {
        if line.starts_with("SCAN ") {
            return true;
        }
        line.starts_with("SEARCH ") && !line.contains("INTEGER PRIMARY KEY (rowid=?)") && !self.is_unique(line)
    }

    /// True for a line that looks a row up by all columns of a unique index.
    fn is_unique(&self, line: &str) -> bool {
        let lookup = line.split_once(" INDEX ").and_then(|(_, lookup)| lookup.split_inclusive(')').next());
        lookup.is_some_and(|lookup| self.unique.contains(lookup))
    }
}

/// True for the statement that finds a caller with a page of a list whose order a key gives: one by number ends its own order before.
fn is_prefetched_page_by_key(sql: &str) -> bool {
    let by_key = |(order, rest): (&str, &str)| {
        !order.contains(['(', ')']) && rest.split_once(')').is_some_and(|(_, rest)| rest.starts_with(" OFFSET "))
    };
    sql.ends_with(" AS prefetched FROM caller")
        && sql.split("ORDER BY ").skip(1).filter_map(|rest| rest.split_once(" LIMIT ifnull(")).any(by_key)
}

/// A line of a plan. Loops with the same parent stand one within the other, the outermost first.
struct Line {
    parent: i64,
    detail: String,
}

/// The name of a part of a statement whose rows are made before they are gone through.
fn part(line: &str) -> Option<&str> {
    line.strip_prefix("CO-ROUTINE ").or_else(|| line.strip_prefix("MATERIALIZE "))
}

/// True for a line that goes through a list bound to the statement, and not one of the row before.
fn is_list_of_request(sql: &str, line: &str) -> bool {
    let name = line.strip_prefix("SCAN ").filter(|rest| rest.contains("VIRTUAL TABLE"));
    let Some(name) = name.and_then(|rest| rest.split_whitespace().next()) else { return false };
    sql.split("json_each(ifnull(?").skip(1).any(|rest| {
        let named = rest.splitn(3, ')').nth(2).unwrap_or_default();
        let named = named.trim_start().strip_prefix("AS ").unwrap_or(named).trim_start();
        let end = named.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(named.len());
        let alias = named.get(..end).unwrap_or_default();
        // Where no name follows, the next word of the statement does.
        let is_unnamed = alias.chars().all(|c| c.is_ascii_uppercase());
        name == if is_unnamed { "json_each" } else { alias }
    })
}

/// The tables that are called by that name somewhere in the text: `users u`, `users AS u`.
fn names(text: &str, alias: &str, tables: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let called = words.windows(3).filter_map(|words| match words {
        [table, name, _] if *name == alias => Some(*table),
        [table, word, name] if *name == alias && word.eq_ignore_ascii_case("as") => Some(*table),
        _ => None,
    });
    let last = words.last_chunk().and_then(|[table, name]| (*name == alias).then_some(*table));
    called.chain(last).filter(|table| tables.contains(*table)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "
        CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, school TEXT, number TEXT);
        CREATE INDEX users_by_name ON users (name);
        CREATE UNIQUE INDEX users_by_number ON users (school, number);
        CREATE TABLE log (id INTEGER PRIMARY KEY, user_id INTEGER);
        CREATE TRIGGER forget AFTER DELETE ON users BEGIN
            DELETE FROM log WHERE user_id = old.id;
        END;
    ";

    fn scans(sql: &str) -> usize {
        Database::new(SCHEMA).unwrap().scans(sql).unwrap().len()
    }

    #[test]
    fn scans_of_tables_are_found_under_any_name() {
        for sql in [
            "SELECT * FROM users",
            "SELECT u.* FROM users u WHERE email = ?1",
            "SELECT count(*) FROM users AS person",
            "SELECT name FROM users ORDER BY name",
            "SELECT 1 FROM json_each(?1) j JOIN users u ON u.email = j.value",
            "UPDATE users SET name = ?1 WHERE email = ?2",
            "WITH some AS (SELECT * FROM users WHERE email = 'a') SELECT * FROM some",
            "SELECT * FROM log l JOIN users u ON u.email = l.user_id WHERE l.id > 5",
        ] {
            assert_ne!(scans(sql), 0, "{sql}");
        }
    }

    #[test]
    fn a_list_of_the_request_must_not_be_gone_through_for_each_row() {
        let update =
            "UPDATE users AS u SET email = j.value ->> 'email' FROM json_each(ifnull(?2, NULL)) j WHERE u.name = ?1";
        assert_eq!(scans(&format!("{update} AND u.email = j.value ->> 'old'")), 1);
        assert_eq!(scans(&format!("{update} AND u.id = j.value ->> 'id'").replace("u.name", "+u.name")), 0);
        assert_eq!(scans("SELECT j.value FROM users u, json_each(u.email) j WHERE u.name = ?1"), 0);
        let unnamed =
            "SELECT 1 FROM users u CROSS JOIN json_each(ifnull(?2, NULL)) WHERE u.email <> value AND u.school = ?1";
        assert_eq!(scans(unnamed), 1);
        let listed =
            "SELECT 1 FROM users u CROSS JOIN json_each(ifnull(?2, NULL)) j WHERE u.email <> j.value AND u.school = ?1";
        assert_eq!((scans(listed), scans(&format!("{listed} AND u.number = ?3"))), (1, 0));
    }

    #[test]
    fn a_page_by_a_key_must_not_be_taken_from_what_is_put_in_order_for_it() {
        let database = Database::new(SCHEMA).unwrap();
        let sorted = |list: &str, window: &str| {
            let sql = format!(
                "WITH caller AS MATERIALIZED (SELECT ?1 AS needed)
                 SELECT caller.*, (SELECT group_concat(id) FROM (SELECT * FROM ({list}) {window})) AS prefetched FROM caller"
            );
            database.sorted_pages(&sql).unwrap()
        };
        let (named, window) =
            ("FROM users u WHERE u.name = caller.needed", "ORDER BY id LIMIT ifnull(?2, NULL) OFFSET ifnull(?3, NULL)");
        assert_eq!(sorted(&format!("SELECT u.id {named}"), window), Vec::<String>::new());
        let behind_others = named.replace("FROM", "FROM (SELECT iif(caller.needed, 1, 2) AS level) reader CROSS JOIN");
        let rows = sorted(&format!("SELECT u.id, level {behind_others}"), window);
        assert_eq!(rows, ["SEARCH u USING COVERING INDEX users_by_name (name=?)"]);
        let numbered = "LIMIT ifnull(?2, NULL) OFFSET ifnull(?3, NULL)";
        assert!(sorted(&format!("SELECT u.id {named} ORDER BY u.email"), numbered).is_empty());
    }

    #[test]
    fn statements_come_through_the_client_of_a_far_server() {
        let database = Database::new(SCHEMA).unwrap();
        let is_lost = |sql| database.is_lost_on_the_way(sql).unwrap();
        assert!(is_lost("SELECT max(id) AS last, min(id) FIRST FROM users").unwrap().contains("LAST"));
        assert!(is_lost("SELECT group_concat(name, ', ' ORDER BY id) AS names FROM users").unwrap().contains("ORDER"));
        for sql in [
            "SELECT max(id) AS last_id, name AS firsts FROM users",
            "SELECT json_object('last', email) AS record FROM users WHERE name = ?1",
            "DELETE FROM users WHERE id = 1 RETURNING id",
            "SELECT row_number() OVER (PARTITION BY school ORDER BY id) AS place FROM users",
        ] {
            assert_eq!(is_lost(sql), None, "{sql}");
        }
    }

    #[test]
    fn what_a_trigger_goes_through_counts_too() {
        assert_eq!(scans("DELETE FROM users WHERE id = ?1"), 1);
    }

    #[test]
    fn lookups_and_lists_of_the_request_are_no_scans() {
        for sql in [
            "SELECT * FROM users WHERE name = ?1",
            "SELECT * FROM json_each(?1) j JOIN users u ON u.id = j.value",
            "SELECT * FROM (VALUES (1), (2)) v",
            "INSERT INTO users (name) SELECT value FROM json_each(?1)",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i FROM n",
            "SELECT count(*) FROM (SELECT DISTINCT email FROM users WHERE name = ?1) found",
        ] {
            assert_eq!(scans(sql), 0, "{sql}");
        }
    }
}
