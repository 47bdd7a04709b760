//! Awarding: one badge, or many at once. All of a batch is awarded or nothing.

use std::collections::HashSet;

use shared::error::{OrNotFound, Violations};
use shared::{Context, Created, Db, Error, Form, LimitKind, Result, Timestamp, background, endpoint, endpoints};

use crate::access::{self, AsStaff, ISSUER, NeededClass, NeededIssuer};
use crate::model::entity::{Envelope, FieldRules, decode};
use crate::model::role::Role;
use crate::routes::assertions::telling::{Letter, tell};
use crate::routes::assertions::{Assertion, AssertionForm, fields};
use crate::store;
use crate::store::assertions::AssertionFields;
use crate::store::classes::ClassRow;
use crate::store::issuers::IssuerRow;

endpoints![award_issuer_badge, award_badge];

/// An award that is to be made.
pub(crate) struct NewAssertion {
    pub(crate) fields: AssertionFields,
    pub(crate) notify: bool,
}

/// Awards a badge of the issuer.
#[endpoint(POST "/v2/issuers/:id/assertions", area_scopes(ISSUER), throttled("notices about awards"))]
async fn award_issuer_badge(
    cx: Context,
    issuer: NeededIssuer<AsStaff>,
    body: Form<AssertionForm>,
) -> Result<Created<Envelope<Assertion>>> {
    let form: AssertionForm = decode(body)?;
    let class = named(&cx, &issuer, &form).await?;
    issue_one(cx, &class, form).await
}

/// Awards a badge of the class.
#[endpoint(POST "/v2/badgeclasses/:id/assertions", area_scopes(ISSUER), throttled("notices about awards"))]
async fn award_badge(
    cx: Context,
    class: NeededClass<AsStaff>,
    body: Form<AssertionForm>,
) -> Result<Created<Envelope<Assertion>>> {
    issue_one(cx, &class, decode(body)?).await
}

async fn issue_one(cx: Context, class: &ClassRow, form: AssertionForm) -> Result<Created<Envelope<Assertion>>> {
    let mut violations = Violations::default();
    let notify = form.notify.unwrap_or(false);
    let fields = fields(&mut violations, form, class.expires.as_ref().map(|expires| &expires.0), cx.now);
    require_in_use(&mut violations, class);
    violations.require_none()?;
    let assertion = NewAssertion { fields: fields.or_not_found()?, notify };
    let made = issue(&cx, class, &[assertion]).await.map_err(|error| match error {
        IssueError::Duplicates(_) => Error::bad_request(HAS_IT),
        IssueError::Other(error) => error,
    })?;
    Ok(Created::created(Envelope::of(&cx, made)))
}

pub(crate) const HAS_IT: &str = "Previous award exists. Duplicate awards are not permitted for this recipient.";

pub(crate) fn require_in_use(violations: &mut Violations, class: &ClassRow) {
    if class.archived_at.is_some() {
        violations.refuse("badgeclass", "The badge class is archived.");
    }
}

/// Why a batch was not awarded.
pub(crate) enum IssueError {
    /// These, counted from 0, go to somebody who has the badge already.
    Duplicates(Vec<usize>),
    Other(Error),
}

impl<E: Into<Error>> From<E> for IssueError {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

pub(crate) async fn issue(
    cx: &Context,
    class: &ClassRow,
    assertions: &[NewAssertion],
) -> Result<Vec<Assertion>, IssueError> {
    let (caller, base) = (cx.caller()?, cx.base_url().await?);
    let fields: Vec<_> = assertions.iter().map(|assertion| assertion.fields.clone()).collect();
    cx.db
        .transaction(async |db| {
            let class: ClassRow = access::find(db, caller, &class.entity_id, Role::Staff).await?;
            let mut violations = Violations::default();
            require_in_use(&mut violations, &class);
            violations.require_none()?;
            let places = duplicates(db, &class, &fields, cx.now).await?;
            if !places.is_empty() {
                return Err(IssueError::Duplicates(places));
            }
            store::assertions::insert(db, class.issuer_id, class.id, caller.user, &fields).await?;
            // Nothing is awarded in silence: whoever may send no more awards without telling.
            let turn = tell(cx, db, class.issuer_id, letters(&class, assertions, &base)).await?;
            turn.require(LimitKind::BadgeNotices)?;
            Ok(())
        })
        .await?;
    if assertions.iter().any(|assertion| assertion.notify) {
        background::run_soon();
    }
    let ids: Vec<_> = fields.into_iter().map(|fields| fields.entity_id).collect();
    let mut made = store::assertions::these(&cx.db, caller.user, &ids).await?;
    made.sort_by_key(|row| row.id);
    Ok(made.into_iter().map(|row| Assertion::of(&base, row)).collect())
}

/// Which of the awards, counted from 0, go to somebody who has the badge already, or gets it by one before, though nobody
/// should have it twice.
async fn duplicates(db: &Db, class: &ClassRow, assertions: &[AssertionFields], now: Timestamp) -> Result<Vec<usize>> {
    if assertions.iter().all(|assertion| assertion.duplicate) {
        return Ok(Vec::new());
    }
    let recipients: Vec<_> = assertions
        .iter()
        .map(|assertion| (assertion.recipient_type.as_str(), assertion.recipient_identity.as_str()))
        .collect();
    let holders = store::assertions::holders(db, class.id, &recipients, now).await?;
    let (holders, mut seen): (HashSet<usize>, _) = (holders.into_iter().collect(), HashSet::new());
    let twice = recipients.into_iter().zip(assertions).enumerate().filter_map(|(place, (recipient, assertion))| {
        let is_first = seen.insert(recipient);
        (!assertion.duplicate && (!is_first || holders.contains(&place))).then_some(place)
    });
    Ok(twice.collect())
}

/// What is told of the awards whose issuer wants that.
fn letters(class: &ClassRow, assertions: &[NewAssertion], base: &str) -> Vec<Letter> {
    let told = assertions.iter().filter(|assertion| assertion.notify).map(|assertion| &assertion.fields);
    let told = told.filter(|fields| fields.recipient_type == "email").map(|fields| Letter {
        address: fields.recipient_identity.clone(),
        subject: format!("You were awarded a badge: {}", class.name),
        body: format!(
            "You were awarded the badge “{}”.\n\nSee it, keep it and share it: {base}/public/assertions/{}\n",
            class.name, fields.entity_id
        ),
    });
    told.collect()
}

/// The class that the body names, in one way.
async fn named(cx: &Context, issuer: &IssuerRow, form: &AssertionForm) -> Result<ClassRow> {
    let invalid_class = |message: &str| Error::invalid("badgeclass", "invalid", message);
    let caller = cx.caller()?;
    let find = async |id: &str| access::find_if_any(&cx.db, caller, id, Role::Staff).await;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let names = (given(&form.badgeclass), given(&form.badgeclass_open_badge_id), given(&form.badgeclass_name));
    let class = match names {
        (Some(id), None, None) => find(&id).await?,
        (None, Some(address), None) => {
            let prefix = format!("{}/public/badges/", cx.base_url().await?);
            match address.strip_prefix(&prefix) {
                Some(id) => find(id).await?,
                None => None,
            }
        }
        (None, None, Some(name)) => store::classes::named(&cx.db, caller.user, issuer.id, name.trim()).await?,
        (None, None, None) => return Err(invalid_class("This field is required.")),
        _ => {
            let message = "Only one of badgeclass, badgeclassOpenBadgeId and badgeclassName may be given.";
            return Err(Error::bad_request(message));
        }
    };
    class
        .filter(|class: &ClassRow| class.issuer_id == issuer.id)
        .ok_or_else(|| invalid_class("Could not find the badge class of this issuer."))
}
