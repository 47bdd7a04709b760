//! Claim codes: who has one awards a badge to themselves, as many people as the staff of the issuer lets, and as long.

use serde::{Deserialize, Serialize};
use shared::error::{OrNotFound, Violations};
use shared::{
    Context, Created, Error, Form, JsonSchema, NoContent, Path, Query, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::access::{self, AsStaff, ISSUER, NeededClass, READ_ISSUER};
use crate::model::claim_codes::Code;
use crate::model::entity::{Envelope, FieldRules, Moment, decode, new_id};
use crate::model::role::Role;
use crate::query::{self, Listing, NEWEST_FIRST, PartQuery, linked, written};
use crate::routes::assertions::issuing::require_in_use;
use crate::store;
use crate::store::claim_codes::{ClaimCodeRow, NewClaimCode};
use crate::store::classes::ClassRow;

const MAX_NAME_CHARS: usize = 255;
const MAX_USES: i64 = 10_000;

endpoints![list_claim_codes, create_claim_code, revoke_claim_code];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClaimCodeForm {
    /// What the staff knows it by.
    name: Option<String>,
    /// How many people may use it; 1 by default.
    max_uses: Option<i64>,
    /// Until when it is good; for ever by default.
    expires_at: Option<Timestamp>,
}

#[derive(Deserialize, JsonSchema)]
struct ClaimCodePath {
    code: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClaimCode {
    entity_type: &'static str,
    entity_id: String,
    /// The code itself, in the answer that makes it and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    badgeclass: String,
    name: Option<String>,
    max_uses: i64,
    /// How many people have used it.
    uses: i64,
    expires_at: Option<Moment>,
    revoked_at: Option<Moment>,
    created_at: Moment,
    created_by: String,
}

impl ClaimCode {
    fn of(row: ClaimCodeRow) -> Self {
        Self {
            entity_type: "ClaimCode",
            entity_id: row.entity_id,
            code: None,
            badgeclass: row.class,
            name: row.name,
            max_uses: row.max_uses,
            uses: row.uses,
            expires_at: row.expires_at.map(Moment),
            revoked_at: row.revoked_at.map(Moment),
            created_at: row.created_at,
            created_by: row.created_by,
        }
    }
}

/// Lists the claim codes of a class.
#[endpoint(GET "/v2/badgeclasses/:id/claimcodes", area_scopes(READ_ISSUER))]
async fn list_claim_codes(
    cx: Context,
    class: NeededClass<AsStaff>,
    query: Query<PartQuery>,
) -> Result<Listing<ClaimCode>> {
    let part: PartQuery = query::read(&cx, &query)?;
    let (sql, values) = store::claim_codes::listed(class.id);
    let view = async |rows: Vec<ClaimCodeRow>| rows.into_iter().map(|row| written(&ClaimCode::of(row))).collect();
    linked(&cx, part.window(&cx).await?.read(&cx.db, (&sql, values), NEWEST_FIRST, view).await?)
}

/// Makes a claim code of a class.
///
/// The answer tells the code, once: only a hash of it is kept.
#[endpoint(POST "/v2/badgeclasses/:id/claimcodes", area_scopes(ISSUER))]
async fn create_claim_code(
    cx: Context,
    class: NeededClass<AsStaff>,
    body: Form<ClaimCodeForm>,
) -> Result<Created<Envelope<ClaimCode>>> {
    let form: ClaimCodeForm = decode(body)?;
    let mut violations = Violations::default();
    require_in_use(&mut violations, &class);
    let name = violations.optional_text("name", form.name.as_deref(), MAX_NAME_CHARS);
    let max_uses = form.max_uses.unwrap_or(1);
    if !(1..=MAX_USES).contains(&max_uses) {
        violations.refuse("maxUses", format!("Must be from 1 to {MAX_USES}."));
    }
    if form.expires_at.is_some_and(|end| end <= cx.now) {
        violations.refuse("expiresAt", "Must be in the future.");
    }
    violations.require_none()?;
    let (code, id, caller) = (Code::generate(), new_id(), cx.caller()?);
    let hash = code.hash();
    let new =
        NewClaimCode { entity_id: &id, code_hash: &hash, name: name.as_deref(), max_uses, expires_at: form.expires_at };
    let row = cx.db.transaction(async |db| -> Result<ClaimCodeRow> {
        let class: ClassRow = access::find(db, caller, &class.entity_id, Role::Staff).await?;
        let mut violations = Violations::default();
        require_in_use(&mut violations, &class);
        violations.require_none()?;
        if !store::claim_codes::insert(db, class.id, caller.user, &new, cx.now).await? {
            return Err(Error::bad_request("The badge class has too many claim codes."));
        }
        store::claim_codes::find(db, class.id, &id).await?.or_not_found()
    });
    let made = ClaimCode { code: Some(code.shown()), ..ClaimCode::of(row.await?) };
    Ok(Envelope::created(&cx, made))
}

/// Revokes a claim code: nobody uses it any more, and what was awarded by it stays good.
#[endpoint(DELETE "/v2/badgeclasses/:id/claimcodes/:code", area_scopes(ISSUER))]
async fn revoke_claim_code(
    cx: Context,
    class: NeededClass<AsStaff>,
    Path(at): Path<ClaimCodePath>,
) -> Result<NoContent> {
    let caller = cx.caller()?;
    let revoked = cx.db.transaction(async |db| -> Result<bool> {
        let class: ClassRow = access::find(db, caller, &class.entity_id, Role::Staff).await?;
        Ok(store::claim_codes::revoke(db, class.id, &at.code, cx.now).await?)
    });
    match revoked.await? {
        true => Ok(Reply::no_content()),
        false => Err(Error::not_found()),
    }
}
