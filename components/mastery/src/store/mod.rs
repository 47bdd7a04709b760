//! The SQL of the area: what the declarations do not say.

pub(crate) mod credentials;
pub(crate) mod import;
pub(crate) mod reports;
pub(crate) mod trackers;

use serde::Deserialize;
use shared::db::{Bind, Json, Value};
use shared::ids::AccountId;
use shared::{Db, Result, Timestamp, accounts_above, db, features};

use crate::model::error_format::Code;
use crate::model::reader::{Reader, unauthorized};
use crate::query::ListQuery;
use crate::resource::{Record, Resource, Scope};

/// A credential, as far as its rights go.
#[derive(Deserialize)]
pub(crate) struct Credential {
    pub(crate) id: i64,
    pub(crate) account_id: AccountId,
    pub(crate) scopes: Json<Vec<String>>,
    pub(crate) school_ids: Option<Json<Vec<i64>>>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    /// True if its district, and those that it lies in, are there.
    district_there: bool,
    pub(crate) secret_hash: String,
}

impl Credential {
    /// 401 with its reason, where the credential is good for nothing any more.
    pub(crate) fn require_valid(&self, now: Timestamp) -> Result<()> {
        if self.revoked_at.is_some() {
            return Err(unauthorized(Code::RevokedCredential, "The credential was revoked"));
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(unauthorized(Code::ExpiredClient, "The credential is past its expiry date"));
        }
        if !self.district_there {
            return Err(unauthorized(Code::UnknownDistrict, "The district of the credential is not there any more"));
        }
        Ok(())
    }
}

/// A token, and the credential that it was given for.
#[derive(Deserialize)]
pub(crate) struct Holder {
    pub(crate) credential: Json<Credential>,
    pub(crate) scopes: Json<Vec<String>>,
    pub(crate) feature_on: bool,
    expires_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl Holder {
    pub(crate) fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

/// True if the district of the credential `c`, and those above it, are there.
const DISTRICT_THERE: &str = concat!(
    "NOT EXISTS (SELECT 1 FROM accounts a WHERE a.workflow_state = 'deleted' AND a.id IN ",
    accounts_above!("c.account_id"),
    ")"
);

pub(crate) async fn credential(db: &Db, client_id: &str) -> db::Result<Option<Credential>> {
    let sql = format!(
        "SELECT c.id, c.account_id, c.scopes, c.school_ids, c.expires_at, c.revoked_at, c.secret_hash,
                {DISTRICT_THERE} AS district_there
         FROM mastery_credentials c WHERE c.client_id = ?1"
    );
    db.fetch(&sql, (client_id,)).await
}

pub(crate) async fn holder(db: &Db, hash: &str) -> db::Result<Option<Holder>> {
    let sql = format!(
        "SELECT json_object(
                    'id', c.id, 'account_id', c.account_id, 'scopes', json(c.scopes), 'school_ids', json(c.school_ids),
                    'expires_at', c.expires_at, 'revoked_at', c.revoked_at, 'secret_hash', c.secret_hash,
                    'district_there', json(iif({DISTRICT_THERE}, 'true', 'false'))) AS credential,
                t.scopes, t.expires_at, t.revoked_at, {} AS feature_on
         FROM mastery_tokens t JOIN mastery_credentials c ON c.id = t.credential_id WHERE t.hash = ?1",
        features::is_on_sql("c.account_id", "'mastery_api'")
    );
    db.fetch(&sql, (hash,)).await
}

pub(crate) async fn insert_token(
    db: &Db,
    hash: &str,
    credential: i64,
    scopes: &[String],
    expires_at: Timestamp,
) -> db::Result<()> {
    let sql = "INSERT INTO mastery_tokens (hash, credential_id, scopes, expires_at) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, (hash, credential, Json(scopes), expires_at)).await
}

/// Some rows in JSON, and how many there are in all.
#[derive(Deserialize)]
pub(crate) struct Rows {
    pub(crate) data: String,
    pub(crate) total: i64,
}

/// A row in JSON, and its school.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) data: String,
    pub(crate) school: Option<i64>,
}

/// The school of a record that others belong to.
#[derive(Deserialize)]
pub(crate) struct SchoolRow {
    pub(crate) school: Option<i64>,
}

pub(crate) async fn parent(db: &Db, sql: &str, district: AccountId, id: i64) -> db::Result<Option<SchoolRow>> {
    db.fetch(sql, (district, id)).await
}

/// A page of a list. `?1` is the district, `?2` the parent, `?3` the schools, `?4` and `?5` the page; filters follow.
pub(crate) async fn rows(
    db: &Db,
    resource: &Resource,
    scope: Scope,
    reader: &Reader,
    parent: Option<i64>,
    query: &ListQuery,
) -> db::Result<Rows> {
    let offset = (query.number - 1).saturating_mul(query.size);
    let mut values = vec![
        reader.district.value(),
        parent.value(),
        reader.schools.clone().value(),
        query.size.value(),
        offset.value(),
    ];
    let (table, json) = (resource.table, resource.json(&[]));
    let restricted = reader.schools.is_some() && resource.school.is_some();
    let is_whole = scope == Scope::District && query.filters.is_empty() && !restricted;
    if is_whole && query.sorts.is_empty() {
        let sql = format!(
            "SELECT (SELECT json_group_array(json(row)) FROM (
                         SELECT {json} AS row FROM {table} r
                         WHERE r.district_id = ?1 AND r.ordinal > ?5 AND r.ordinal <= ?5 + ?4 ORDER BY r.ordinal)) AS data,
                    {} AS total
             WHERE ifnull(?2, 0) = ifnull(?2, 0) AND ?3 IS ?3",
            last_ordinal(table)
        );
        return db.fetch_one(&sql, values).await;
    }
    let mut condition = of(scope).to_owned();
    if let Some(school) = resource.school.filter(|_| restricted) {
        condition = format!("{condition} AND {school} IN (SELECT value FROM json_each(?3))");
    }
    for (sql, value) in &query.filters {
        values.push(value.clone());
        condition = format!("{condition} AND {}", sql.replace('?', &format!("?{}", values.len())));
    }
    // A list of which nothing is left out need not be counted.
    let total =
        if is_whole { last_ordinal(table) } else { format!("(SELECT count(*) FROM {table} r WHERE {condition})") };
    let order = order(query);
    let sql = format!(
        "SELECT (SELECT json_group_array(json(row)) FROM (
                     SELECT {json} AS row
                     FROM (SELECT r.id AS key FROM {table} r WHERE {condition} ORDER BY {order} LIMIT ?4 OFFSET ?5) page
                     JOIN {table} r ON r.id = page.key ORDER BY {order})) AS data,
                {total} AS total
         WHERE ?1 IS ?1 AND ?2 IS ?2 AND ?3 IS ?3"
    );
    db.fetch_one(&sql, values).await
}

/// The number of rows that a district has.
fn last_ordinal(table: &str) -> String {
    format!("(SELECT ifnull(max(ordinal), 0) FROM {table} WHERE district_id = ?1)")
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
        Scope::District => "r.district_id = ?1",
        Scope::Where(sql) => sql,
    }
}

/// A single row.
pub(crate) async fn row(
    db: &Db,
    resource: &Resource,
    record: &Record,
    reader: &Reader,
    parent: Option<i64>,
    id: i64,
) -> db::Result<Option<Row>> {
    let sql = format!(
        "SELECT {} AS data, {} AS school FROM {} r WHERE r.id = ?3 AND {} AND ?1 IS ?1 AND ?2 IS ?2",
        resource.json(record.also),
        resource.school.unwrap_or("NULL"),
        resource.table,
        of(record.scope),
    );
    let values: Vec<Value> = vec![reader.district.value(), parent.value(), id.value()];
    db.fetch(&sql, values).await
}
