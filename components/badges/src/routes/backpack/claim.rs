//! Claiming: who knows a code of a class awards its badge to one of their verified addresses.

use serde::Deserialize;
use shared::clock::MINUTE;
use shared::needs;
use shared::throttle::{self, Limit};
use shared::{Context, Created, Db, Error, Form, JsonSchema, LimitKind, Result, Timestamp, endpoint, endpoints};

use crate::access::BACKPACK;
use crate::model::claim_codes::Code;
use crate::model::entity::{Envelope, decode, new_id};
use crate::model::recipients::Recipient;
use crate::query::ExpandQuery;
use crate::routes::assertions::issuing::HAS_IT;
use crate::routes::assertions::{Assertion, end_of_award};
use crate::routes::backpack::assertions::find;
use crate::store;
use crate::store::assertions::AssertionFields;
use crate::store::backpack::{BackpackEntry, KeptRow};
use crate::store::claim_codes::KnownCode;

/// How often somebody may be wrong about a code.
const WRONG_CODES: Limit = Limit { most: 10, seconds: 15 * MINUTE };

endpoints![claim_badge];

#[derive(Deserialize, JsonSchema)]
struct ClaimForm {
    /// As it was told; case, blanks and hyphens do not matter.
    code: Option<String>,
    /// The verified address of the caller to which the badge goes; the first of them by default.
    email: Option<String>,
}

/// Awards the badge of a claim code to the caller.
#[endpoint(
    POST "/v2/backpack/claim",
    area_scopes(BACKPACK),
    foreigners(400, "it asks for a code"),
    students(400, "it asks for a code"),
    throttled("wrong codes of one user"),
)]
async fn claim_badge(cx: Context, body: Form<ClaimForm>) -> Result<Created<Envelope<Assertion>>> {
    let form: ClaimForm = decode(body)?;
    let code = form.code.as_deref().filter(|code| !code.is_empty());
    let code = code.ok_or_else(|| Error::invalid("code", "blank", "This field is required."))?;
    // What cannot be a code is no guess.
    let code = Code::typed(code).ok_or_else(wrong)?;
    let user = cx.caller()?.user;
    let addresses = store::backpack::addresses(&cx.db, user).await?;
    let address = chosen(&addresses, form.email.as_deref())?;
    let known = guess(&cx, &code).await?;
    let fields = fields(&known, address, cx.now);
    let award = cx.db.transaction(async |db| claim(&cx, db, &code, &addresses, &fields).await).await?;
    let view = find(&cx, &award).await?.view(&cx.base_url().await?, &ExpandQuery::default());
    Ok(Envelope::created(&cx, view))
}

fn wrong() -> Error {
    Error::invalid("code", "invalid", "This is no claim code.")
}

/// The address that the form names, or the first.
fn chosen<'a>(addresses: &'a [String], email: Option<&str>) -> Result<&'a str> {
    let email = email.map(str::trim).filter(|email| !email.is_empty());
    let address = match email {
        Some(email) => addresses.iter().find(|address| address.eq_ignore_ascii_case(email)),
        None => addresses.first(),
    };
    let message = "A badge is claimed for one of your verified addresses.";
    address.map(String::as_str).ok_or_else(|| Error::invalid("email", "invalid", message))
}

/// The code, if there is one like it. A try counts before it is looked up, so that many at once are no more than one after
/// the other; a right one is taken back.
async fn guess(cx: &Context, code: &Code) -> Result<KnownCode> {
    let caller = cx.caller()?;
    let key = format!("badge-claim/{}", caller.user);
    throttle::require_turn(cx, LimitKind::BadgeClaims, &key, WRONG_CODES).await?;
    let known = store::claim_codes::find_by_hash(&cx.db, caller.root_account, &code.hash()).await?.ok_or_else(wrong)?;
    throttle::give_back(&cx.db, &key).await?;
    Ok(known)
}

fn fields(code: &KnownCode, address: &str, now: Timestamp) -> AssertionFields {
    let recipient = Recipient::of_email(address);
    AssertionFields {
        entity_id: new_id(),
        recipient_type: recipient.r#type,
        recipient_identity: recipient.identity,
        recipient_hashed: recipient.hashed,
        salt: recipient.salt,
        issued_on: now,
        expires: code.lifetime.as_ref().and_then(|lifetime| end_of_award(now, &lifetime.0)),
        narrative: None,
        evidence: Vec::new(),
        extensions: serde_json::json!({}),
        duplicate: false,
    }
}

/// Awards the badge, in a transaction: of several who use the last turn of a code at the same time one gets it, and nobody
/// gets it twice. Who turned it down gets that award back, which takes no turn. The entity id of the award.
async fn claim(cx: &Context, db: &Db, code: &Code, addresses: &[String], fields: &AssertionFields) -> Result<String> {
    let refuse = |message: &str| Err(Error::invalid("code", "invalid", message));
    let caller = cx.caller()?;
    let user = caller.user;
    let code = store::claim_codes::find_by_hash(db, caller.root_account, &code.hash()).await?.ok_or_else(wrong)?;
    if code.is_archived || code.expires_at.is_some_and(|end| end <= cx.now) {
        return refuse("The claim code has expired.");
    }
    let chosen = fields.recipient_identity.as_str();
    let held = store::claim_codes::held(db, code.class_id, addresses, chosen, cx.now).await?;
    if let Some(held) = held.as_ref().filter(|held| held.is_turned_down) {
        store::backpack::accept_again(db, held.id).await?;
        return Ok(held.entity_id.clone());
    }
    if held.is_some() || store::claim_codes::is_claimed(db, code.id, user).await? {
        return Err(Error::bad_request(HAS_IT));
    }
    if !store::claim_codes::take_use(db, code.id).await? {
        return refuse("The claim code is used up.");
    }
    let awards = std::slice::from_ref(fields);
    store::assertions::insert(db, code.issuer_id, code.class_id, code.created_by, awards).await?;
    store::claim_codes::note_claim(db, code.id, user, &fields.entity_id, cx.now).await?;
    let kept: KeptRow = needs::find(db, caller, store::backpack::lookup(&fields.entity_id)?).await?;
    let Some(BackpackEntry::Own(own, _)) = kept.entry() else { return Err(Error::not_found()) };
    // Whoever claims a badge wants it.
    store::backpack::accept(db, own.id, (user, caller.root_account)).await?;
    Ok(own.entity_id)
}
