//! Credentials.

use shared::auth::secrets;
use shared::db::Json;
use shared::ids::AccountId;
use shared::pagination::Page;
use shared::{Db, Paged, Result, Timestamp, db};

use crate::model::credentials::Credential;

/// The properties of a new credential.
pub(crate) struct New {
    pub(crate) scopes: Vec<String>,
    pub(crate) school_ids: Option<Vec<i64>>,
    pub(crate) expires_at: Option<Timestamp>,
}

const COLUMNS: &str = "client_id, NULL AS client_secret, scopes, school_ids, expires_at, revoked_at, created_at";

pub(crate) async fn page(db: &Db, district: AccountId, page: &Page) -> Result<Paged<Credential>> {
    let sql = format!("SELECT {COLUMNS} FROM mastery_credentials WHERE account_id = ?1 ORDER BY id");
    page.fetch(db, &sql, (district,)).await
}

/// Makes a credential; none where the account is gone meanwhile.
pub(crate) async fn insert(
    db: &Db,
    district: AccountId,
    new: New,
    secret_hash: &str,
    now: Timestamp,
) -> db::Result<Option<Credential>> {
    let sql = format!(
        "INSERT INTO mastery_credentials
             (account_id, client_id, secret_hash, scopes, school_ids, expires_at, created_at)
         SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM accounts WHERE id = ?1 AND workflow_state = 'active' RETURNING {COLUMNS}"
    );
    let client_id = secrets::generate();
    db.fetch(&sql, (district, client_id, secret_hash, Json(new.scopes), new.school_ids.map(Json), new.expires_at, now))
        .await
}

/// Revokes the credential, and its tokens with it.
pub(crate) async fn revoke(
    db: &Db,
    district: AccountId,
    client_id: &str,
    now: Timestamp,
) -> db::Result<Option<Credential>> {
    db.transaction(async |db| {
        let sql = format!(
            "UPDATE mastery_credentials SET revoked_at = ifnull(revoked_at, ?3)
             WHERE account_id = ?1 AND client_id = ?2 RETURNING {COLUMNS}"
        );
        let revoked = db.fetch(&sql, (district, client_id, now)).await?;
        db.execute(
            "UPDATE mastery_tokens SET revoked_at = ?3
             WHERE revoked_at IS NULL AND credential_id = (
                 SELECT id FROM mastery_credentials WHERE account_id = ?1 AND client_id = ?2)",
            (district, client_id, now),
        )
        .await?;
        Ok(revoked)
    })
    .await
}
