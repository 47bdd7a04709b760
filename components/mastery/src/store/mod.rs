//! The SQL of the area: what the declarations do not say.

pub(crate) mod credentials;
pub(crate) mod import;
pub(crate) mod readings;
pub(crate) mod reports;
pub(crate) mod trackers;

use serde::Deserialize;
use shared::db::{Binds, Json};
use shared::ids::AccountId;
use shared::{Db, Result, Timestamp, accounts_above, db, features, throttle};

use crate::model::error_format::Code;
use crate::model::reader::{BUDGET, BUDGET_KEY, unauthorized};
use crate::store::readings::{Found, Reading, SchoolRow};

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

/// A token, the credential that it was given for, and what was read for its holder.
#[derive(Deserialize)]
pub(crate) struct Holder {
    pub(crate) credential: Json<Credential>,
    pub(crate) scopes: Json<Vec<String>>,
    pub(crate) feature_on: bool,
    expires_at: Timestamp,
    revoked_at: Option<Timestamp>,
    /// True if the holder may read, and had some of the budget left: nothing is read for others.
    pub(crate) may_read: bool,
    parent: Option<Json<SchoolRow>>,
    school: Option<i64>,
    data: Option<String>,
    total: Option<i64>,
}

impl Holder {
    pub(crate) fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }

    pub(crate) fn into_found(self) -> Found {
        let Self { parent, school, data, total, .. } = self;
        Found { parent, school, data, total }
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

/// The holder of a token, and what was read for one with that scope. The budget is looked at first, so that those who have used
/// it up make nobody read.
pub(crate) async fn holder(
    db: &Db,
    hash: &str,
    scope: &str,
    reading: Option<&Reading>,
    now: Timestamp,
) -> db::Result<Option<Holder>> {
    let mut values = (hash, scope, now, now.to_utc().timestamp_millis(), BUDGET.most).values();
    let column = |expression: Option<&String>| match expression {
        Some(sql) => format!("CASE WHEN reader.may_read THEN {} END", db::renumbered(sql, 5)),
        None => "NULL".to_owned(),
    };
    let parent = column(reading.and_then(|reading| reading.parent.as_ref()));
    let school = column(reading.and_then(|reading| reading.school.as_ref()));
    let data = column(reading.map(|reading| &reading.data));
    let total = column(reading.and_then(|reading| reading.total.as_ref()));
    values.extend(reading.iter().flat_map(|reading| reading.values.iter().cloned()));
    let sql = format!(
        "WITH holder AS MATERIALIZED (
             SELECT c.account_id AS district, c.school_ids AS schools, json_object(
                        'id', c.id, 'account_id', c.account_id, 'scopes', json(c.scopes), 'school_ids', json(c.school_ids),
                        'expires_at', c.expires_at, 'revoked_at', c.revoked_at, 'secret_hash', c.secret_hash,
                        'district_there', json(iif({DISTRICT_THERE}, 'true', 'false'))) AS credential,
                    t.scopes, t.expires_at, t.revoked_at, {} AS feature_on
             FROM mastery_tokens t JOIN mastery_credentials c ON c.id = t.credential_id WHERE t.hash = ?1
         ),
         reader AS MATERIALIZED (
             SELECT *, revoked_at IS NULL AND expires_at > ?3 AND feature_on AND credential ->> 'district_there'
                 AND credential ->> 'revoked_at' IS NULL AND ifnull(credential ->> 'expires_at' > ?3, 1)
                 AND EXISTS (SELECT 1 FROM json_each(holder.scopes) WHERE value = ?2) AND {} < ?5 AS may_read
             FROM holder
         )
         SELECT reader.*, {parent} AS parent, {school} AS school, {data} AS data, {total} AS total FROM reader",
        features::is_on_sql("c.account_id", "'mastery_api'"),
        throttle::taken_sql(&format!("'{BUDGET_KEY}' || holder.district"), "?4"),
    );
    db.fetch(&sql, values).await
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
