//! Verification on demand: an award of ours is looked up, an imported one is asked for again where it came from.

use serde::Deserialize;
use serde_json::Value;
use shared::clock::MINUTE;
use shared::throttle::{self, Limit};
use shared::{Context, Error, Form, JsonSchema, LimitKind, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Depth, Version, Writer};
use crate::model::entity::{Envelope, decode};
use crate::model::validity::Validity;
use crate::source::{self, invalid_badge};
use crate::store;

endpoints![verify_badge];

/// Of one import: each time we ask others.
const BUDGET: Limit = Limit { most: 10, seconds: 10 * MINUTE };

#[derive(Deserialize, JsonSchema)]
pub(crate) struct VerifyForm {
    /// The entity id of an award.
    entity_id: Option<String>,
}

/// Verifies an award that is kept here.
#[endpoint(
    POST "/public/verify",
    public,
    nobody(400, "everybody may verify; it asks for the award"),
    throttled("verifications of one imported badge"),
    answers(404, "There is no such award."),
)]
pub(crate) async fn verify_badge(cx: Context, body: Form<VerifyForm>) -> Result<Reply<Envelope<Value>>> {
    let form: VerifyForm = decode(body)?;
    let missing = || Error::invalid("entity_id", "blank", "This field is required.");
    let id = form.entity_id.filter(|id| !id.is_empty()).ok_or_else(missing)?;
    let base = cx.base_url().await?;
    if let Some(own) = store::public::assertion(&cx.db, &id).await? {
        match Validity::of_award(&own, cx.now) {
            Validity::Revoked(_) => return Err(invalid_badge("ASSERTION_REVOKED", "the award was revoked")),
            Validity::Expired(_) => return Err(invalid_badge("ASSERTION_EXPIRED", "the award has expired")),
            _ => {}
        }
        let document = Writer { base: &base, version: Version::Two }.assertion(&own, Depth::Issuer);
        return Ok(Envelope::one(&cx, document));
    }
    let import = store::imports::any_import(&cx.db, &id).await?.ok_or_else(Error::not_found)?;
    throttle::require_turn(&cx, LimitKind::BadgeVerifications, &format!("badge-verify/{id}"), BUDGET).await?;
    let address = store::imports::address_of(&cx.db, import.id).await?;
    source::verify(&cx, &import.open_badge_id, &[address]).await?;
    Ok(Envelope::one(&cx, import.document()))
}
