//! Loading records: what is there is changed, what is new is added, all of a batch in one transaction.

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::db::Json;
use shared::ids::AccountId;
use shared::{Db, db};

use crate::import::{Column, Kind, Table};

/// What became of a batch.
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
const IN_DISTRICT: &str = "?1 IN (
        WITH RECURSIVE above (id) AS (
            SELECT account_id FROM courses WHERE id = z.course_id
            UNION ALL
            SELECT parent.parent_account_id FROM accounts parent JOIN above ON parent.id = above.id
            WHERE parent.parent_account_id IS NOT NULL
        )
        SELECT id FROM above
    )";

/// Loads the records, each with its own `id`. Those that refer to what is not there are left out, and named.
///
/// `?1` is the district, `?2` the records.
pub(crate) async fn load(
    db: &Db,
    district: AccountId,
    table: &Table,
    records: &[Map<String, Value>],
    new: bool,
) -> db::Result<(Loaded, Vec<Dangling>)> {
    let records = Json(records);
    db.transaction(async |db| {
        let dangling = dangling(db, district, table, &records).await?;
        db.execute(&update(table), (district, records.clone())).await?;
        let updated = changes(db).await?;
        let mut loaded = Loaded { created: 0, updated };
        if new {
            db.execute(&insert(table), (district, records.clone())).await?;
            loaded.created = changes(db).await?;
        }
        Ok((loaded, dangling))
    })
    .await
}

async fn changes(db: &Db) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Row {
        count: i64,
    }
    Ok(db.fetch_one::<Row>("SELECT changes() AS count", ()).await?.count)
}

async fn dangling(
    db: &Db,
    district: AccountId,
    table: &Table,
    records: &Json<&[Map<String, Value>]>,
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
    db.fetch_all(&sql, (district, records.clone())).await
}

fn references(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| matches!(column.kind, Kind::Reference(_) | Kind::Own(_)))
}

/// True of a record `j` whose references all lead somewhere.
fn is_whole(table: &Table) -> String {
    let whole = references(table).map(|column| {
        let (name, found) = (column.name, column.value());
        format!(" AND (j.value ->> '{name}' IS NULL OR {found} IS NOT NULL)")
    });
    whole.collect()
}

/// Changes what differs. A field that a record does not have stays as it is.
fn update(table: &Table) -> String {
    let new = |column: &Column| {
        let (name, value) = (column.name, column.value());
        format!("iif(json_type(j.value, '$.{name}') IS NULL, t.{name}, ifnull({value}, {}))", column.default)
    };
    let sets = table.columns.iter().map(|column| format!("{} = {}, ", column.name, new(column)));
    let differs: Vec<_> =
        table.columns.iter().map(|column| format!("t.{} IS NOT {}", column.name, new(column))).collect();
    format!(
        "UPDATE {} AS t SET {}updated_at = j.value ->> 'updated_at' FROM json_each(?2) j
         WHERE t.district_id = ?1 AND t.source_id = j.value ->> 'id'{} AND ({})",
        table.table,
        sets.collect::<String>(),
        is_whole(table),
        differs.join(" OR "),
    )
}

/// Adds what is not there, each with the next number of the district.
fn insert(table: &Table) -> String {
    let names: String = table.columns.iter().map(|column| format!(", {}", column.name)).collect();
    let values = table.columns.iter().map(|column| format!(", ifnull({}, {})", column.value(), column.default));
    let name = table.table;
    format!(
        "INSERT INTO {name} (district_id, source_id, ordinal, created_at, updated_at{names})
         SELECT ?1, j.value ->> 'id',
                (SELECT ifnull(max(ordinal), 0) FROM {name} WHERE district_id = ?1) + row_number() OVER (ORDER BY j.key),
                j.value ->> 'created_at', j.value ->> 'updated_at'{}
         FROM json_each(?2) j
         WHERE NOT EXISTS (SELECT 1 FROM {name} t WHERE t.district_id = ?1 AND t.source_id = j.value ->> 'id'){}
         ORDER BY j.key",
        values.collect::<String>(),
        is_whole(table),
    )
}

impl Column {
    /// The SQL of its value in a record `j`.
    fn value(&self) -> String {
        let given = format!("(j.value ->> '{}')", self.name);
        match self.kind {
            Kind::Text | Kind::Integer | Kind::Number | Kind::Boolean => given,
            Kind::Reference(table) => {
                format!("(SELECT f.id FROM {table} f WHERE f.district_id = ?1 AND f.source_id = {given})")
            }
            Kind::Own(sql) => format!("({} AND {IN_DISTRICT})", sql.replace("{id}", &given)),
        }
    }
}
