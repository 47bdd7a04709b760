//! What a request reads: parts of the statement that finds its reader.

use serde::Deserialize;
use shared::Result;
use shared::db::{self, Bind, Json, Value};
use shared::error::OrNotFound;

use crate::model::reader::Reader;
use crate::query::ListQuery;
use crate::resource::{List, Parent, Record, Resource, Scope};

/// The school of the classroom `?1` of the reader's district: see [`Parent::sql`].
pub(crate) const SCHOOL_OF_CLASSROOM: &str =
    "SELECT school_id AS school FROM mastery_classrooms WHERE id = ?1 AND district_id = reader.district";

/// What is read for a reader: expressions in which `reader` is a row with its `district`, and with the only `schools` that it
/// reads of, as a list in JSON.
#[derive(Default)]
pub(crate) struct Reading {
    /// The [`SchoolRow`] of the record that the others belong to, as JSON.
    pub(crate) parent: Option<String>,
    /// The school of a single record.
    pub(crate) school: Option<String>,
    /// The records, as JSON.
    pub(crate) data: String,
    /// The length of the whole list.
    pub(crate) total: Option<String>,
    /// The values of `?1`, `?2`, …
    pub(crate) values: Vec<Value>,
}

/// What was found, before it was known whether the reader may see it.
pub(crate) struct Found {
    pub(crate) parent: Option<Json<SchoolRow>>,
    pub(crate) school: Option<i64>,
    pub(crate) data: Option<String>,
    pub(crate) total: Option<i64>,
}

/// The school of a record that others belong to.
#[derive(Deserialize)]
pub(crate) struct SchoolRow {
    school: Option<i64>,
}

impl Found {
    /// 404 unless the parent is there, and 403 where it is not of a school that the reader reads of.
    pub(crate) fn require_parent(&self, reader: &Reader, has_school: bool) -> Result<()> {
        let parent = self.parent.as_ref().or_not_found()?;
        if has_school { reader.require_school(parent.0.school) } else { Ok(()) }
    }
}

impl Reading {
    /// Adds a value, and names its place.
    fn bind(&mut self, value: Value) -> String {
        self.values.push(value);
        format!("?{}", self.values.len())
    }

    /// A reading of what belongs to that record, which is `?1`: of nobody's where the path names none.
    fn below(parent: Option<(Parent, i64)>) -> Self {
        let Some((parent, id)) = parent else { return Self::default() };
        Self { parent: Some(school_row(parent.sql)), values: vec![id.value()], ..Self::default() }
    }

    /// A page of a list.
    pub(crate) fn page(resource: &Resource, list: &List, parent: Option<(Parent, i64)>, query: &ListQuery) -> Self {
        let mut reading = Self::below(parent);
        let size = reading.bind(query.size.value());
        let offset = reading.bind((query.number - 1).saturating_mul(query.size).value());
        let mut condition = of(list.scope).to_owned();
        for (sql, value) in &query.filters {
            let place = reading.bind(value.clone());
            condition = format!("{condition} AND {}", sql.replace('?', &place));
        }
        let rows = RowsSql { resource, order: order(query), size, offset };
        let is_whole = list.scope == Scope::District && query.filters.is_empty();
        let (data, total) = match is_whole {
            true => (rows.whole(query), last_ordinal(resource.table)),
            false => (rows.of(&condition), rows.count(&condition)),
        };
        let Some(school) = resource.school else {
            return Self { data, total: Some(total), ..reading };
        };
        let condition = format!("{condition} AND {school} IN (SELECT value FROM json_each(reader.schools))");
        let restricted =
            |all: String, some: String| format!("CASE WHEN reader.schools IS NULL THEN {all} ELSE {some} END");
        Self {
            data: restricted(data, rows.of(&condition)),
            total: Some(restricted(total, rows.count(&condition))),
            ..reading
        }
    }

    /// A single record.
    pub(crate) fn record(resource: &Resource, record: &Record, parent: Option<(Parent, i64)>, id: i64) -> Self {
        let mut reading = Self::below(parent);
        let id = reading.bind(id.value());
        let row = format!("FROM {} r WHERE r.id = {id} AND {}", resource.table, of(record.scope));
        Self {
            data: format!("(SELECT {} {row})", resource.json(record.also)),
            school: resource.school.map(|school| format!("(SELECT {school} {row})")),
            ..reading
        }
    }
}

/// The statements of a page, in the order in which its list is.
struct RowsSql<'a> {
    resource: &'a Resource,
    order: String,
    size: String,
    offset: String,
}

impl RowsSql<'_> {
    /// The rows of a list of which nothing is left out: in the order of their numbers, a page is found at once.
    fn whole(&self, query: &ListQuery) -> String {
        if !query.sorts.is_empty() {
            return self.of(of(Scope::District));
        }
        let Self { resource, size, offset, .. } = self;
        format!(
            "(SELECT {} FROM (
                  SELECT {} AS row FROM {} r
                  WHERE r.district_id = reader.district AND r.ordinal > {offset} AND r.ordinal <= {offset} + {size}
                  ORDER BY r.ordinal))",
            db::json_list("row"),
            resource.json(&[]),
            resource.table,
        )
    }

    /// The rows of which that is true.
    fn of(&self, condition: &str) -> String {
        let Self { resource, order, size, offset } = self;
        let (table, json, rows) = (resource.table, resource.json(&[]), db::json_list("row"));
        format!(
            "(SELECT {rows} FROM (
                  SELECT {json} AS row
                  FROM (SELECT r.id AS key FROM {table} r WHERE {condition} ORDER BY {order} LIMIT {size} OFFSET {offset}) page
                  JOIN {table} r ON r.id = page.key ORDER BY {order}))"
        )
    }

    fn count(&self, condition: &str) -> String {
        format!("(SELECT count(*) FROM {} r WHERE {condition})", self.resource.table)
    }
}

/// The number of rows that a district has, where none of them needs to be counted.
fn last_ordinal(table: &str) -> String {
    format!("(SELECT ifnull(max(ordinal), 0) FROM {table} WHERE district_id = reader.district)")
}

/// The order, in which the id comes last so that it is always the same.
fn order(query: &ListQuery) -> String {
    let sorts = query.sorts.iter().map(|(column, descending)| {
        let direction = if *descending { "DESC" } else { "ASC" };
        format!("r.{column} {direction}, ")
    });
    sorts.chain(["r.id".to_owned()]).collect()
}

fn of(scope: Scope) -> &'static str {
    match scope {
        Scope::District => "r.district_id = reader.district",
        Scope::Where(sql) => sql,
    }
}

/// The [`SchoolRow`] that a statement selects, as JSON.
pub(crate) fn school_row(sql: &str) -> String {
    format!("(SELECT json_object('school', school) FROM ({sql}))")
}
