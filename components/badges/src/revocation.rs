//! Revoking: the award stays known, as one that is good no more.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::{Body, Context, Endpoint, Error, Reply, Result, delete, post};

use crate::access::{ISSUER, Role};
use crate::assertions::{Assertion, find};
use crate::entity::{Answer, EntityPath, decode};
use crate::store;

const LONGEST_REASON: usize = 255;
const LARGEST_BATCH: usize = 500;
const BODY: usize = 1024 * 1024;

pub(crate) fn endpoints() -> [Endpoint; 2] {
    [
        delete("/v2/assertions/:id", revoke).area_scopes(ISSUER).about("Revokes an award, for a reason"),
        post("/v2/assertions/revoke", revoke_all).raw(BODY).area_scopes(ISSUER).about("Revokes several awards"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct RevokeForm {
    revocation_reason: Option<String>,
}

/// What became of one award of several.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Outcome {
    entity_id: Value,
    revocation_reason: Value,
    revoked: bool,
    /// Why it was not revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

async fn revoke(cx: Context, at: EntityPath, body: Body<RevokeForm>) -> Result<Reply<Answer<Assertion>>> {
    let own = find(&cx, &at.id, Role::Editor).await?;
    let form: RevokeForm = decode(body)?;
    let refused = |message: String| Error::invalid("revocation_reason", "invalid", message);
    let reason = reason(form.revocation_reason.as_deref().unwrap_or_default()).map_err(refused)?;
    if !store::assertions::revoke(&cx.db, own.id, &reason, cx.now).await? {
        return Err(Error::bad_request("Assertion is already revoked."));
    }
    let revoked = find(&cx, &at.id, Role::Editor).await?;
    Ok(Answer::one(&cx, Assertion::of(&cx.base_url().await?, revoked)))
}

fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("This field is required.".to_owned());
    }
    match text.chars().count() > LONGEST_REASON {
        true => Err(format!("Ensure this field has no more than {LONGEST_REASON} characters.")),
        false => Ok(text.to_owned()),
    }
}

/// The body is a list, which no parameters are: so it is read here.
async fn revoke_all(cx: Context) -> Result<Reply<Answer<Outcome>>> {
    let rows: Value = serde_json::from_slice(&cx.bytes()).map_err(|error| Error::bad_request(error.to_string()))?;
    let Value::Array(rows) = rows else {
        return Err(Error::bad_request("Expected a list of awards."));
    };
    if rows.len() > LARGEST_BATCH {
        return Err(Error::bad_request(format!("Ensure there are no more than {LARGEST_BATCH} awards.")));
    }
    let mut outcomes = Vec::with_capacity(rows.len());
    for row in rows {
        let text = |name: &str| row.get(name).cloned().unwrap_or_default();
        let id = if text("entityId").is_null() { text("id") } else { text("entityId") };
        let given = text("revocationReason");
        let reason = revoke_one(&cx, id.as_str(), given.as_str()).await?.err();
        outcomes.push(Outcome { entity_id: id, revocation_reason: given, revoked: reason.is_none(), reason });
    }
    Ok(Reply::ok(Answer::described(&cx, "revoked badges", outcomes)))
}

/// Revokes an award, or tells why not; the others do not depend on it.
async fn revoke_one(cx: &Context, id: Option<&str>, given: Option<&str>) -> Result<Result<(), String>> {
    let Some(id) = id else { return Ok(Err("entityId: This field is required.".to_owned())) };
    let reason = match reason(given.unwrap_or_default()) {
        Ok(reason) => reason,
        Err(message) => return Ok(Err(format!("revocationReason: {message}"))),
    };
    let own = store::assertions::find(&cx.db, cx.caller()?.user, id).await?;
    let Some(own) = own.filter(|own| own.role >= Some(Role::Editor)) else {
        return Ok(Err("permission denied or object not found".to_owned()));
    };
    match store::assertions::revoke(&cx.db, own.id, &reason, cx.now).await? {
        true => Ok(Ok(())),
        false => Ok(Err("assertion is already revoked".to_owned())),
    }
}
