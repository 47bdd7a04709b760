//! Loading records: what is there is changed, what is new is added, all of a batch in one transaction.
//!
//! A batch is compared before the transaction, which holds up nobody: only what differs is written, and where nothing
//! does, nobody is asked for the lock. Each record is looked up by its index; `LEFT JOIN` sees to it that it is the
//! records that are gone through, and not the district. Loaded records are never deleted, so what was found stays.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::db::Json;
use shared::ids::AccountId;
use shared::{Db, accounts_above, clock, db};

use crate::import::{Column, Kind, Manner, Table};

/// The outcome of a batch.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(crate) struct Loaded {
    pub(crate) created: i64,
    pub(crate) updated: i64,
}

/// A reference to a record that is not there: which record of the batch has it, and in which field.
#[derive(Debug, Deserialize)]
pub(crate) struct Dangling {
    pub(crate) index: usize,
    pub(crate) field: String,
}

/// True of a quiz `z` of a course in the district, or in an account below it.
const IN_DISTRICT: &str = concat!("?1 IN ", accounts_above!("(SELECT account_id FROM courses WHERE id = z.course_id)"));

/// A record of the batch that differs from what is stored.
#[derive(Deserialize)]
struct Differing {
    index: usize,
    /// The row that it changes; none where it is new.
    row: Option<i64>,
}

/// Loads the records, each with its own `id`. Those that refer to what is not there are left out, and named.
///
/// `?1` is the district, `?2` the records.
pub(crate) async fn load(
    db: &Db,
    district: AccountId,
    table: &Table,
    records: &[Map<String, Value>],
    manner: Manner,
) -> db::Result<(Loaded, Vec<Dangling>)> {
    let dangling = dangling(db, district, table, records).await?;
    let left_out: BTreeSet<_> = dangling.iter().map(|one| one.index).collect();
    let found = compared(db, district, table, records, manner.once).await?;
    let (mut changed, mut added) = (Vec::new(), Vec::new());
    for (_, record) in found.into_iter().filter(|(index, _)| !left_out.contains(index)) {
        match record.contains_key(ROW) {
            true => changed.push(record),
            false if manner.new => added.push(record),
            false => {}
        }
    }
    if changed.is_empty() && added.is_empty() {
        return Ok((Loaded::default(), dangling));
    }
    let loaded = db.transaction(async |db| write(db, district, table, manner.once, changed, added).await).await?;
    Ok((loaded, dangling))
}

/// The member of a record that differs from what is stored: the row that it changes.
const ROW: &str = "row";

/// The records that are new or differ from what is stored, with their places; the latter with their [`ROW`].
async fn compared(
    db: &Db,
    district: AccountId,
    table: &Table,
    records: &[Map<String, Value>],
    once: &[&str],
) -> db::Result<Vec<(usize, Map<String, Value>)>> {
    let found: Vec<Differing> = db.fetch_all(&differing(table, once), (district, Json(records))).await?;
    let found = found.into_iter().filter_map(|one| {
        let mut record = records.get(one.index)?.clone();
        if let Some(row) = one.row {
            record.insert(ROW.to_owned(), json!(row));
        }
        Some((one.index, record))
    });
    Ok(found.collect())
}

/// Writes what was found to differ, in a transaction. Its moment is that of the writing, and not of the request: an import takes
/// its time, and who asks for what has changed since has read others meanwhile.
async fn write(
    db: &Db,
    district: AccountId,
    table: &Table,
    once: &[&str],
    changed: Vec<Map<String, Value>>,
    added: Vec<Map<String, Value>>,
) -> db::Result<Loaded> {
    let now = clock::now().with_milliseconds();
    let update = async |changed: Vec<Map<String, Value>>| match changed.is_empty() {
        true => Ok(0),
        false => written(db, &update(table, once), (district, Json(changed), now.as_str())).await,
    };
    let mut loaded = Loaded { created: 0, updated: update(changed).await? };
    if !added.is_empty() {
        loaded.created = written(db, &insert(table), (district, Json(&added), now.as_str())).await?;
    }
    if usize::try_from(loaded.created).is_ok_and(|created| created < added.len()) {
        // Another import was faster with some of them: who comes last is heard all the same.
        let made = compared(db, district, table, &added, once).await?;
        loaded.updated += update(made.into_iter().map(|(_, record)| record).collect()).await?;
    }
    Ok(loaded)
}

/// Executes a statement, and tells how many rows it has written.
async fn written(db: &Db, sql: &str, binds: impl db::Binds) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Row {
        count: i64,
    }
    db.execute(sql, binds).await?;
    Ok(db.fetch_one::<Row>("SELECT changes() AS count", ()).await?.count)
}

async fn dangling(
    db: &Db,
    district: AccountId,
    table: &Table,
    records: &[Map<String, Value>],
) -> db::Result<Vec<Dangling>> {
    let references = references(table).map(|column| {
        let (name, found) = (column.name, column.value());
        format!(
            "SELECT j.key AS \"index\", '{name}' AS field FROM json_each(?2) j
             WHERE j.value ->> '{name}' IS NOT NULL AND {found} IS NULL"
        )
    });
    let sql = references.collect::<Vec<_>>().join(" UNION ALL ");
    if sql.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT \"index\", field FROM ({sql}) WHERE ?1 IS ?1 ORDER BY \"index\"");
    db.fetch_all(&sql, (district, Json(records))).await
}

fn references(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| matches!(column.kind, Kind::Reference(_) | Kind::Own(_) | Kind::District))
}

/// The value that a column has after a record `j` has changed its row `t`. A field that the record does not have stays.
fn changed(column: &Column) -> String {
    let (name, value) = (column.name, column.value());
    format!("iif(json_type(j.value, '$.{name}') IS NULL, t.{name}, ifnull({value}, {}))", column.default)
}

/// The columns that a record which is there may get another value of.
fn changeable<'t>(table: &'t Table, once: &'t [&str]) -> impl Iterator<Item = &'t Column> {
    table.columns.iter().filter(|column| !once.contains(&column.name))
}

/// The records that are new, or change something.
fn differing(table: &Table, once: &[&str]) -> String {
    let differs = changeable(table, once).map(|column| format!(" OR t.{} IS NOT {}", column.name, changed(column)));
    format!(
        "SELECT j.key AS \"index\", t.id AS row FROM json_each(?2) j
         LEFT JOIN {} t ON t.district_id = ?1 AND t.source_id = j.value ->> 'id'
         WHERE t.id IS NULL{} ORDER BY j.key",
        table.table,
        differs.collect::<String>(),
    )
}

/// Changes the rows that the records name; `?3` is the moment. The unary `+` keeps the index of the district out, by which SQLite would go
/// through all of it and hold each row against each record.
fn update(table: &Table, once: &[&str]) -> String {
    let sets = changeable(table, once).map(|column| format!("{} = {}, ", column.name, changed(column)));
    format!(
        "UPDATE {} AS t SET {}updated_at = ifnull(j.value ->> 'updated_at', ?3) FROM json_each(?2) j
         WHERE t.id = j.value ->> 'row' AND +t.district_id = ?1",
        table.table,
        sets.collect::<String>(),
    )
}

/// Adds what is not there, each with the next number of the district; `?3` is the moment.
fn insert(table: &Table) -> String {
    let names: String = table.columns.iter().map(|column| format!(", {}", column.name)).collect();
    let values = table.columns.iter().map(|column| format!(", ifnull({}, {})", column.value(), column.default));
    let name = table.table;
    // Another import may have been faster.
    format!(
        "INSERT INTO {name} (district_id, source_id, ordinal, created_at, updated_at{names})
         SELECT ?1, j.value ->> 'id',
                (SELECT ifnull(max(ordinal), 0) FROM {name} WHERE district_id = ?1) + row_number() OVER (ORDER BY j.key),
                ifnull(j.value ->> 'created_at', ?3), ifnull(j.value ->> 'updated_at', ?3){}
         FROM json_each(?2) j
         WHERE NOT EXISTS (SELECT 1 FROM {name} t WHERE t.district_id = ?1 AND t.source_id = j.value ->> 'id')
         ORDER BY j.key",
        values.collect::<String>(),
    )
}

impl Column {
    /// The SQL of its value in a record `j`.
    fn value(&self) -> String {
        let given = format!("(j.value ->> '{}')", self.name);
        match self.kind {
            Kind::Text | Kind::Integer | Kind::Points | Kind::Boolean => given,
            Kind::Reference(table) => {
                format!("(SELECT f.id FROM {table} f WHERE f.district_id = ?1 AND f.source_id = {given})")
            }
            Kind::Own(sql) => format!("({} AND {IN_DISTRICT})", sql.replace("{id}", &given)),
            Kind::District => format!(
                "(SELECT a.id FROM accounts a
                  WHERE a.id = {given} AND a.id <> ?1 AND a.workflow_state = 'active'
                    AND a.root_account_id = (SELECT o.root_account_id FROM accounts o WHERE o.id = ?1))"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::import::TABLES;

    /// An empty database with all tables.
    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/database/migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            connection.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
        }
        connection
    }

    fn plan(connection: &Connection, sql: &str) -> Vec<String> {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let (mut rows, mut lines) = (statement.raw_query(), Vec::new());
        while let Some(row) = rows.next().unwrap() {
            lines.push(row.get("detail").unwrap());
        }
        lines
    }

    #[test]
    fn each_record_is_looked_up_and_the_district_is_never_gone_through() {
        let connection = database();
        for table in &TABLES {
            for sql in [differing(table, &[]), update(table, &[]), insert(table)] {
                let plan = plan(&connection, &sql);
                // By the district alone its greatest number is looked up, with which the index ends.
                let whole = format!("SEARCH {} ", table.table);
                let loops: Vec<_> = plan.iter().filter(|line| !line.starts_with(&whole)).collect();
                assert!(!loops.iter().any(|line| line.contains("(district_id=?)")), "{sql}\n{plan:#?}");
                let first = loops.iter().find(|line| line.starts_with("SCAN ") || line.starts_with("SEARCH ")).unwrap();
                assert!(first.starts_with("SCAN j VIRTUAL TABLE"), "{sql}\n{plan:#?}");
                let scans = loops.iter().filter(|line| line.starts_with("SCAN ") && !line.contains("VIRTUAL TABLE"));
                // Parts of the statement itself: the numbered records, and the accounts above a course.
                let scans = scans.filter(|line| !line.starts_with("SCAN (subquery-") && line.as_str() != "SCAN above");
                // Rows that refer to the table are gone through only while a reference is broken that is judged at the end.
                let scans = scans
                    .filter(|line| line.contains(&format!("SCAN {} ", table.table)) || line.ends_with(table.table));
                assert_eq!(scans.count(), 0, "{sql}\n{plan:#?}");
            }
        }
    }
}
