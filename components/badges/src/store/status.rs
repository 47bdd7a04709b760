//! Signed status lists.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::IssuerId;
use shared::needs::nested;
use shared::{Db, Result, Timestamp, db};

use crate::model::credential_form::CredentialForm;
use crate::model::public::PublicIssuer;
use crate::store::keys::{KeyRow, signing_for};
use crate::store::public::ISSUER;

/// An issuer with what its status list is made of.
#[derive(Deserialize)]
pub(crate) struct ListedIssuer {
    pub(crate) issuer: Json<PublicIssuer>,
    /// The key that signs for its tenant.
    pub(crate) signing_key: Option<Json<KeyRow>>,
    /// The list as it was signed last, unless that is too long ago.
    pub(crate) kept: Option<Json<SignedList>>,
}

/// A list that was signed.
#[derive(Deserialize)]
pub(crate) struct SignedList {
    /// A hash of all that it says beside the moment of signing.
    pub(crate) state: String,
    pub(crate) credential: String,
}

/// The issuer of that entity id, with the list in that form if it was signed after that moment.
pub(crate) async fn find(
    db: &Db,
    issuer: &str,
    (list, form): (i64, CredentialForm),
    since: Timestamp,
) -> Result<Option<ListedIssuer>> {
    let key = nested::<KeyRow>(&signing_for("i.root_account_id", "?2"))?;
    let kept = nested::<SignedList>(
        "SELECT state, credential FROM badge_status_lists
         WHERE issuer_id = i.id AND list = ?3 AND form = ?4 AND signed_at > ?5",
    )?;
    let sql = format!(
        "SELECT {ISSUER} AS issuer, {key} AS signing_key, {kept} AS kept FROM badge_issuers i WHERE i.entity_id = ?1"
    );
    Ok(db.fetch(&sql, (issuer, form.algorithm, list, form.name(), since)).await?)
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
