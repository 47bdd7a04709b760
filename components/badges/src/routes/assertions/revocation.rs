//! Revoking: the award stays known, as one that is good no more, and its earner is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::Caller;
use shared::error::Violations;
use shared::ids::IssuerId;
use shared::{Context, Db, Error, Form, JsonSchema, Reply, Result, Timestamp, background, endpoint, endpoints};

use crate::access::{self, AsEditor, ISSUER, NeededAssertion};
use crate::model::entity::{Envelope, FieldRules, decode};
use crate::model::role::Role;
use crate::routes::assertions::Assertion;
use crate::routes::assertions::telling::{Letter, tell};
use crate::store;
use crate::store::assertions::{AssertionRow, RevokedAward};

const MAX_REASON_CHARS: usize = 255;
const MAX_BATCH: usize = 500;
const BODY: usize = 1024 * 1024;

endpoints![revoke_assertion, revoke_assertions];

#[derive(Deserialize, JsonSchema)]
struct RevokeForm {
    revocation_reason: Option<String>,
}

/// The outcome for one award of several.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    entity_id: Value,
    revocation_reason: Value,
    revoked: bool,
    /// Why it was not revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Revokes an award, for a reason.
#[endpoint(DELETE "/v2/assertions/:id", area_scopes(ISSUER))]
async fn revoke_assertion(
    cx: Context,
    assertion: NeededAssertion<AsEditor>,
    body: Form<RevokeForm>,
) -> Result<Reply<Envelope<Assertion>>> {
    let form: RevokeForm = decode(body)?;
    let mut violations = Violations::default();
    let reason = violations.text("revocation_reason", form.revocation_reason.as_deref(), MAX_REASON_CHARS);
    violations.require_none()?;
    let (caller, id) = (cx.caller()?, assertion.entity_id.as_str());
    let is_told = cx.db.transaction(async |db| -> Result<bool> {
        let own: AssertionRow = access::find(db, caller, id, Role::Editor).await?;
        let Some(revoked) = store::assertions::revoke(db, own.id, &reason, cx.now).await? else {
            return Err(Error::bad_request("Assertion is already revoked."));
        };
        tell_earners(&cx, db, vec![revoked]).await
    });
    if is_told.await? {
        background::run_soon();
    }
    let revoked = access::find(&cx.db, caller, id, Role::Editor).await?;
    Ok(Envelope::one(&cx, Assertion::of(&cx.base_url().await?, revoked)))
}

/// Revokes several awards.
///
/// The body is a list, which no parameters are: so it is read here.
#[endpoint(
    POST "/v2/assertions/revoke",
    raw(BODY),
    area_scopes(ISSUER),
    foreigners(400, "revokes the caller's own; it asks for a list"),
    students(400, "revokes the caller's own; it asks for a list"),
    accepts(&["application/json"]),
)]
async fn revoke_assertions(cx: Context) -> Result<Reply<Envelope<Outcome>>> {
    let rows: Value = serde_json::from_slice(&cx.bytes()).map_err(|error| Error::bad_request(error.to_string()))?;
    let Value::Array(rows) = rows else {
        return Err(Error::bad_request("Expected a list of awards."));
    };
    if rows.len() > MAX_BATCH {
        return Err(Error::bad_request(format!("Ensure there are no more than {MAX_BATCH} awards.")));
    }
    let caller = cx.caller()?;
    let outcomes = cx.db.transaction(async |db| -> Result<(Vec<Outcome>, bool)> {
        let (mut outcomes, mut revoked) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in &rows {
            let field = |name: &str| row.get(name).cloned().unwrap_or_default();
            let id = if field("entityId").is_null() { field("id") } else { field("entityId") };
            let given = field("revocationReason");
            let outcome = revoke_one(db, caller, id.as_str(), given.as_str(), cx.now).await?;
            let reason = outcome.as_ref().err().cloned();
            outcomes.push(Outcome { entity_id: id, revocation_reason: given, revoked: reason.is_none(), reason });
            revoked.extend(outcome);
        }
        let is_told = tell_earners(&cx, db, revoked).await?;
        Ok((outcomes, is_told))
    });
    let (outcomes, is_told) = outcomes.await?;
    if is_told {
        background::run_soon();
    }
    Ok(Reply::ok(Envelope::described(&cx, "revoked badges", outcomes)))
}

/// Revokes an award, or tells why not; the others do not depend on it.
async fn revoke_one(
    db: &Db,
    caller: &Caller,
    id: Option<&str>,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<Result<RevokedAward, String>> {
    let Some(id) = id else { return Ok(Err("entityId: This field is required.".to_owned())) };
    let mut violations = Violations::default();
    let reason = violations.text("revocationReason", reason, MAX_REASON_CHARS);
    if let Some(problem) = violations.into_vec().first() {
        return Ok(Err(format!("revocationReason: {}", problem.message)));
    }
    let Some(own) = access::find_if_any::<AssertionRow>(db, caller, id, Role::Editor).await? else {
        return Ok(Err("permission denied or object not found".to_owned()));
    };
    let revoked = store::assertions::revoke(db, own.id, &reason, now).await?;
    Ok(revoked.ok_or_else(|| "assertion is already revoked".to_owned()))
}

/// Tells earners that their awards are good no more, as far as there is room for mail: it must never keep a badge good.
/// True if somebody may have been told.
async fn tell_earners(cx: &Context, db: &Db, revoked: Vec<RevokedAward>) -> Result<bool> {
    let base = cx.base_url().await?;
    let mut letters: BTreeMap<IssuerId, Vec<Letter>> = BTreeMap::new();
    for award in revoked {
        if let Some(address) = award.address {
            let subject = format!("A badge of yours was revoked: {}", award.class_name);
            let body = format!(
                "Your badge “{}” was revoked: {}\n\nWhat others see of it: {base}/public/assertions/{}\n",
                award.class_name, award.reason, award.entity_id
            );
            letters.entry(award.issuer_id).or_default().push(Letter { address, subject, body });
        }
    }
    let is_told = !letters.is_empty();
    for (issuer, letters) in letters {
        let _no_room = tell(cx, db, issuer, letters).await?;
    }
    Ok(is_told)
}
