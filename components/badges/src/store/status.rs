//! Signed status lists.

use serde::Deserialize;
use shared::ids::IssuerId;
use shared::{Db, Timestamp, db};

use crate::model::credential_form::CredentialForm;

/// The list as it was signed when it said the same, unless that is too long ago.
pub(crate) async fn find(
    db: &Db,
    issuer: IssuerId,
    (list, form): (i64, CredentialForm),
    state: &str,
    since: Timestamp,
) -> db::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Row {
        credential: String,
    }
    let row: Option<Row> = db
        .fetch(
            "SELECT credential FROM badge_status_lists
             WHERE issuer_id = ?1 AND list = ?2 AND form = ?3 AND state = ?4 AND signed_at > ?5",
            (issuer, list, form.name(), state, since),
        )
        .await?;
    Ok(row.map(|row| row.credential))
}

pub(crate) async fn put(
    db: &Db,
    issuer: IssuerId,
    (list, form): (i64, CredentialForm),
    state: &str,
    credential: &str,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "INSERT INTO badge_status_lists (issuer_id, list, form, state, credential, signed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (issuer_id, list, form)
         DO UPDATE SET state = excluded.state, credential = excluded.credential, signed_at = excluded.signed_at",
        (issuer, list, form.name(), state, credential, now),
    )
    .await
}
