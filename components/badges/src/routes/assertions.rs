//! Awards: that somebody earned a badge.

pub(crate) mod issuing;
pub(crate) mod revocation;
mod telling;

use chrono::Datelike;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::db::Changes;
use shared::error::Violations;
use shared::{Context, Db, Error, Form, JsonSchema, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::access::{self, AsEditor, AsStaff, ISSUER, NeededAssertion, NeededClass, NeededIssuer, READ_ISSUER};
use crate::model::assertions::Evidence;
use crate::model::entity::{Envelope, FieldRules, Moment, decode, is_url, new_id};
use crate::model::markdown::optional_narrative;
use crate::model::recipients::{Recipient, RecipientForm, RecipientView, normal};
use crate::model::role::Role;
use crate::query::{self, All, Last, Listing, NEWEST_FIRST, PartQuery, linked};
use crate::routes::issuers::{MAX_TEXT_CHARS, extensions};
use crate::store::assertions::{self, AssertionFields, AssertionRow, Kept};
use crate::store::award_lists::{self, AssertionOwner, Filter};
use crate::store::classes::{Duration, Lifetime};

/// Badges are dated by the calendar of 1583.
const FIRST_YEAR: i32 = 1583;
/// A clock that runs fast is no reason to refuse an award.
const CLOCKS_DIFFER: i64 = 60;
const MAX_EVIDENCE: usize = 100;
/// The most bytes of it, as JSON.
const MAX_EVIDENCE_BYTES: usize = 64 * 1024;

endpoints![list_issuer_assertions, list_badge_class_assertions, get_assertion, update_assertion];

#[derive(Deserialize, Clone, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssertionForm {
    #[serde(default)]
    pub(crate) recipient: Option<RecipientForm>,
    /// Not in the future; now by default.
    #[serde(default)]
    pub(crate) issued_on: Patch<Timestamp>,
    /// By default as the class says.
    #[serde(default)]
    pub(crate) expires: Patch<Timestamp>,
    #[serde(default)]
    pub(crate) narrative: Patch<String>,
    /// Each with a `url` or a `narrative`.
    #[serde(default)]
    pub(crate) evidence: Patch<Vec<Evidence>>,
    #[serde(default)]
    pub(crate) extensions: Patch<Value>,
    /// True if the recipient is told.
    #[serde(default)]
    pub(crate) notify: Option<bool>,
    /// True if the recipient may have the badge already; yes by default.
    #[serde(default)]
    pub(crate) allow_duplicate_awards: Option<bool>,
    #[serde(default)]
    pub(crate) badgeclass: Option<String>,
    #[serde(default)]
    pub(crate) badgeclass_open_badge_id: Option<String>,
    #[serde(default)]
    pub(crate) badgeclass_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assertion {
    entity_type: &'static str,
    pub(crate) entity_id: String,
    /// The address of its public document.
    open_badge_id: String,
    created_at: Option<Moment>,
    created_by: Option<String>,
    /// In a backpack, where it is asked for, the class itself.
    pub(crate) badgeclass: Value,
    badgeclass_open_badge_id: String,
    pub(crate) issuer: Value,
    issuer_open_badge_id: String,
    /// The address of the image with the award baked in.
    image: Option<String>,
    recipient: RecipientView,
    issued_on: Option<Moment>,
    narrative: Option<String>,
    evidence: Vec<Evidence>,
    revoked: bool,
    revocation_reason: Option<String>,
    pub(crate) acceptance: String,
    expires: Option<Moment>,
    extensions: Value,
    /// True while the address of an import is not confirmed.
    pending: bool,
    /// The address from which it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
}

/// The view of an award of another service.
pub(crate) struct Imported {
    pub(crate) entity_id: String,
    pub(crate) source_url: String,
    pub(crate) created_at: Moment,
    pub(crate) badge: Value,
    pub(crate) badge_url: String,
    pub(crate) issuer: Value,
    pub(crate) issuer_url: String,
    pub(crate) image: Option<String>,
    pub(crate) recipient: Recipient,
    pub(crate) issued_on: Option<Timestamp>,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) narrative: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) extensions: Value,
    pub(crate) acceptance: String,
    pub(crate) pending: bool,
}

impl Assertion {
    pub(crate) fn of(base: &str, row: AssertionRow) -> Self {
        let open_badge_id = format!("{base}/public/assertions/{}", row.entity_id);
        let revoked = row.revoked_at.is_some();
        Self {
            entity_type: "Assertion",
            entity_id: row.entity_id,
            image: (!revoked).then(|| format!("{open_badge_id}/image")),
            open_badge_id,
            created_at: Some(row.created_at),
            created_by: Some(row.created_by),
            badgeclass_open_badge_id: format!("{base}/public/badges/{}", row.class),
            badgeclass: row.class.into(),
            issuer_open_badge_id: format!("{base}/public/issuers/{}", row.issuer),
            issuer: row.issuer.into(),
            recipient: row.recipient.0.view(),
            issued_on: Some(Moment(row.issued_on)),
            narrative: row.narrative,
            evidence: row.evidence.0,
            revoked,
            revocation_reason: row.revocation_reason,
            acceptance: row.acceptance,
            expires: row.expires.map(Moment),
            extensions: row.extensions.0,
            pending: false,
            source_url: None,
        }
    }

    pub(crate) fn of_import(row: Imported) -> Self {
        Self {
            entity_type: "Assertion",
            entity_id: row.entity_id,
            open_badge_id: row.source_url.clone(),
            created_at: Some(row.created_at),
            created_by: None,
            badgeclass: row.badge,
            badgeclass_open_badge_id: row.badge_url,
            issuer: row.issuer,
            issuer_open_badge_id: row.issuer_url,
            image: row.image,
            recipient: row.recipient.view(),
            issued_on: row.issued_on.map(Moment),
            narrative: row.narrative,
            evidence: row.evidence,
            revoked: false,
            revocation_reason: None,
            acceptance: row.acceptance,
            expires: row.expires.map(Moment),
            extensions: row.extensions,
            pending: row.pending,
            source_url: Some(row.source_url),
        }
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AssertionsQuery {
    #[serde(flatten)]
    part: PartQuery,
    /// Only awards of these identities.
    #[schemars(with = "Vec<String>")]
    recipient: All,
    /// True if awards that have ended are listed, too.
    #[schemars(with = "bool")]
    include_expired: Last,
    /// True if awards that were taken back are listed, too.
    #[schemars(with = "bool")]
    include_revoked: Last,
}

/// Lists the awards of an issuer.
#[endpoint(GET "/v2/issuers/:id/assertions", area_scopes(READ_ISSUER))]
async fn list_issuer_assertions(
    cx: Context,
    issuer: NeededIssuer<AsStaff>,
    query: Query<AssertionsQuery>,
) -> Result<Listing<Assertion>> {
    list(&cx, &AssertionOwner::Issuer(issuer.id), query::read(&cx, &query)?).await
}

/// Lists the awards of a class.
#[endpoint(GET "/v2/badgeclasses/:id/assertions", area_scopes(READ_ISSUER))]
async fn list_badge_class_assertions(
    cx: Context,
    class: NeededClass<AsStaff>,
    query: Query<AssertionsQuery>,
) -> Result<Listing<Assertion>> {
    list(&cx, &AssertionOwner::Class(class.id), query::read(&cx, &query)?).await
}

async fn list(cx: &Context, of: &AssertionOwner, query: AssertionsQuery) -> Result<Listing<Assertion>> {
    let recipients = query.recipient.0;
    // Whoever asks for an address does not say that it is one.
    let lower = recipients.iter().map(|identity| normal("email", identity)).collect::<Vec<_>>();
    let filter = Filter {
        recipients: [recipients, lower].concat(),
        expired: query.include_expired.flag("include_expired")?,
        revoked: query.include_revoked.flag("include_revoked")?,
    };
    let listed = award_lists::listed(cx.caller()?.user, &cx.base_url().await?, of, filter, cx.now);
    linked(cx, listed.part(&cx.db, &query.part.window(cx).await?, NEWEST_FIRST).await?)
}

/// Reads an award.
#[endpoint(GET "/v2/assertions/:id", area_scopes(READ_ISSUER))]
async fn get_assertion(cx: Context, assertion: NeededAssertion<AsStaff>) -> Result<Reply<Envelope<Assertion>>> {
    Ok(Envelope::one(&cx, Assertion::of(&cx.base_url().await?, assertion.into_record())))
}

/// Changes an award.
///
/// Fields that are left out stay as they are.
#[endpoint(
    PUT "/v2/assertions/:id",
    PATCH "/v2/assertions/:id" as patch_assertion,
    area_scopes(ISSUER),
)]
async fn update_assertion(
    cx: Context,
    assertion: NeededAssertion<AsEditor>,
    body: Form<AssertionForm>,
) -> Result<Reply<Envelope<Assertion>>> {
    let form: AssertionForm = decode(body)?;
    let (issued_on, expires) = (form.issued_on, form.expires);
    let (caller, own) = (cx.caller()?, assertion.into_record());
    let id = own.entity_id.clone();
    let change = async |db: &Db, own: AssertionRow| -> Result<Option<AssertionRow>> {
        let (changes, is_same) = changes(form.clone(), &own.recipient.0)?;
        let (mut violations, end) = (Violations::default(), expires.over(own.expires));
        require_order(&mut violations, issued_on.unwrap_or(own.issued_on), end, cx.now);
        violations.require_none()?;
        let kept = Kept { recipient: is_same, place: is_same && !is_earlier(end, own.expires) };
        let update = async |db: &Db| assertions::update(db, caller.user, &own, changes, kept).await;
        Ok(db.transaction_if(!kept.place, update).await?)
    };
    let changed = match change(&cx.db, own).await? {
        Some(changed) => Some(changed),
        // It is revoked, or somebody was faster: in a transaction nobody is.
        None => {
            let again = async |db: &Db| change(db, access::find(db, caller, &id, Role::Editor).await?).await;
            cx.db.transaction(again).await?
        }
    };
    let changed = changed.ok_or_else(|| Error::bad_request("Assertion is already revoked."))?;
    Ok(Envelope::one(&cx, Assertion::of(&cx.base_url().await?, changed)))
}

/// True if an award with the new end is over before credentials say that have the old one; none is never.
fn is_earlier(new: Option<Timestamp>, old: Option<Timestamp>) -> bool {
    new.is_some_and(|new| old.is_none_or(|old| new < old))
}

/// The changes of the form to an award of that recipient, and whether it stays the same person's.
fn changes(form: AssertionForm, own: &Recipient) -> Result<(Changes, bool)> {
    let mut violations = Violations::default();
    let recipient = form.recipient.as_ref().map(|given| own.changed(given)).transpose();
    let recipient = recipient.unwrap_or_else(|message| {
        violations.refuse("recipient", message);
        None
    });
    let narrative = match form.narrative {
        Patch::Absent => Patch::Absent,
        field => {
            let text = optional_narrative(&mut violations, "narrative", field.into_option().as_deref());
            text.map_or(Patch::Null, Patch::Value)
        }
    };
    let evidence = match form.evidence {
        Patch::Absent => Patch::Absent,
        field => Patch::Value(json!(evidence(&mut violations, field.into_option().unwrap_or_default()))),
    };
    let extensions = extensions(&mut violations, form.extensions);
    violations.require_none()?;
    // An award is never without the moment at which it was made.
    let issued_on = form.issued_on.into_option().map_or(Patch::Absent, |moment| Patch::Value(moment.to_string()));
    let changes = Changes::default()
        .set("issued_on", issued_on)
        .set("expires", form.expires.map(|moment| moment.to_string()))
        .set("narrative", narrative)
        .set("evidence", evidence)
        .set("extensions", extensions);
    Ok(with_recipient(changes, recipient, own))
}

/// The changes with the recipient, and whether that is the same person. Who stays the same keeps the salt, so that what was
/// published before still fits.
fn with_recipient(changes: Changes, recipient: Option<Recipient>, own: &Recipient) -> (Changes, bool) {
    let Some(new) = recipient else { return (changes, true) };
    let changes = changes.set("recipient_hashed", Patch::Value(new.hashed));
    if (&new.r#type, &new.identity) == (&own.r#type, &own.identity) {
        return (changes, true);
    }
    let changes = changes
        .set("recipient_type", Patch::Value(new.r#type))
        .set("recipient_identity", Patch::Value(new.identity))
        .set("salt", Patch::Value(new.salt));
    (changes, false)
}

/// The fields of a new award, unless something is wrong with them.
pub(crate) fn fields(
    violations: &mut Violations,
    form: AssertionForm,
    lifetime: Option<&Lifetime>,
    now: Timestamp,
) -> Option<AssertionFields> {
    let recipient = match &form.recipient {
        None => Err("This field is required.".to_owned()),
        Some(given) => Recipient::of(given),
    };
    let recipient = recipient.map_err(|message| violations.refuse("recipient", message)).ok();
    let issued_on = form.issued_on.unwrap_or(now);
    let expires = match form.expires {
        Patch::Absent => lifetime.and_then(|lifetime| end_of_award(issued_on, lifetime)),
        given => given.into_option(),
    };
    let narrative = optional_narrative(violations, "narrative", form.narrative.into_option().as_deref());
    let extensions = extensions(violations, form.extensions).into_option().unwrap_or_else(|| json!({}));
    let evidence = evidence(violations, form.evidence.into_option().unwrap_or_default());
    require_order(violations, issued_on, expires, now);
    let recipient = recipient?;
    Some(AssertionFields {
        entity_id: new_id(),
        recipient_type: recipient.r#type,
        recipient_identity: recipient.identity,
        recipient_hashed: recipient.hashed,
        salt: recipient.salt,
        issued_on,
        expires,
        narrative,
        evidence,
        extensions,
        duplicate: form.allow_duplicate_awards.unwrap_or(true),
    })
}

fn require_order(violations: &mut Violations, issued_on: Timestamp, expires: Option<Timestamp>, now: Timestamp) {
    if issued_on > now.plus_seconds(CLOCKS_DIFFER) {
        violations.refuse("issuedOn", "Must not be in the future.");
    }
    if issued_on.to_utc().year() < FIRST_YEAR {
        violations.refuse("issuedOn", "Must not be before the year 1583.");
    }
    if expires.is_some_and(|expires| expires <= issued_on) {
        violations.refuse("expires", "Must be after issuedOn.");
    }
}

/// The evidence: plain texts, and narratives as they were sent.
fn evidence(violations: &mut Violations, evidence: Vec<Evidence>) -> Vec<Evidence> {
    if evidence.len() > MAX_EVIDENCE {
        violations.refuse("evidence", format!("Ensure this field has no more than {MAX_EVIDENCE} elements."));
        return Vec::new();
    }
    violations.require_size("evidence", &evidence, MAX_EVIDENCE_BYTES);
    let narratives: Vec<_> =
        evidence.iter().map(|one| optional_narrative(violations, "evidence", one.narrative.as_deref())).collect();
    let mut plain = |text: Option<String>| violations.optional_text("evidence", text.as_deref(), MAX_TEXT_CHARS);
    let evidence = evidence.into_iter().zip(narratives).map(|(evidence, narrative)| Evidence {
        url: evidence.url.map(|url| url.trim().to_owned()).filter(|url| !url.is_empty()),
        narrative,
        name: plain(evidence.name),
        description: plain(evidence.description),
        genre: plain(evidence.genre),
        audience: plain(evidence.audience),
    });
    let evidence: Vec<_> = evidence.collect();
    for evidence in &evidence {
        if evidence.url.is_none() && evidence.narrative.is_none() {
            violations.refuse("evidence", "Either url or narrative is required.");
        } else if evidence.url.as_deref().is_some_and(|url| !is_url(url)) {
            violations.refuse("evidence", "Enter a valid URL.");
        }
    }
    evidence
}

/// When an award ends that was made then. A class may have been made when more than a hundred years were taken.
pub(crate) fn end_of_award(from: Timestamp, lifetime: &Lifetime) -> Option<Timestamp> {
    let amount = u32::try_from(lifetime.amount.min(lifetime.duration.in_a_hundred_years())).ok()?;
    let start = from.to_utc();
    let end = match lifetime.duration {
        Duration::Days => start.checked_add_days(chrono::Days::new(amount.into())),
        Duration::Weeks => start.checked_add_days(chrono::Days::new(u64::from(amount) * 7)),
        Duration::Months => start.checked_add_months(chrono::Months::new(amount)),
        Duration::Years => start.checked_add_months(chrono::Months::new(amount.checked_mul(12)?)),
    };
    Timestamp::from_unix(end?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_ends_when_its_class_says() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let end = |amount, duration| end_of_award(at("2024-01-31T10:00:00Z"), &Lifetime { amount, duration }).unwrap();
        assert_eq!(end(1, Duration::Days), at("2024-02-01T10:00:00Z"));
        assert_eq!(end(2, Duration::Weeks), at("2024-02-14T10:00:00Z"));
        assert_eq!(end(1, Duration::Months), at("2024-02-29T10:00:00Z"));
        assert_eq!(end(2, Duration::Years), at("2026-01-31T10:00:00Z"));
        assert_eq!(end(7974, Duration::Years), at("2124-01-31T10:00:00Z"));
        assert_eq!(end(36_500, Duration::Months), at("2124-01-31T10:00:00Z"));
    }
}
