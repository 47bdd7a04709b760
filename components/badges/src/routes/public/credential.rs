//! An award as a credential.

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::classes::Alignment;
use crate::model::credential_form::{Algorithm, CredentialForm, Naming};
use crate::model::documents::{Version, Writer, evidence, set};
use crate::model::entity::{EntityPath, lasting_base};
use crate::model::error_format::error_body;
use crate::model::public::{PublicAssertion, PublicClass};
use crate::model::recipients::Recipient;
use crate::query::{self, Last};
use crate::routes::public::find_assertion;
use crate::signing::{CONTEXTS, LIST, Signature, answer, profile, status_list};

endpoints![get_assertion_credential];

/// The form in which a credential is asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct CredentialQuery {
    /// The algorithm of the signature: `EdDSA`, which is the default, or `RS256`, which the JWT profile of Open Badges wants.
    #[schemars(with = "String")]
    alg: Last,
    /// How issuer and key are named: `url`, which is the default, or `did`.
    #[schemars(with = "String")]
    iss: Last,
}

impl CredentialQuery {
    pub(crate) fn form(&self) -> Result<CredentialForm> {
        let algorithm = Algorithm::named("alg", self.alg.0.as_deref())?;
        let naming = match self.iss.0.as_deref() {
            None | Some("" | "url") => Naming::Address,
            Some("did") => Naming::Did,
            Some(_) => return Err(Error::invalid("iss", "inclusion", "Must be url or did.")),
        };
        Ok(CredentialForm { algorithm, naming })
    }
}

/// An award as a signed credential.
#[endpoint(
    GET "/public/assertions/:id/credential",
    public,
    nobody(200, "an award whose address nobody can guess"),
    sends(&["application/vc+jwt"]),
    answers(410, "The badge was revoked."),
)]
async fn get_assertion_credential(
    cx: Context,
    Path(at): Path<EntityPath>,
    query: Query<CredentialQuery>,
) -> Result<Reply> {
    let assertion = find_assertion(&cx, &at.id).await?;
    if assertion.revoked_at.is_some() {
        let body = error_body("the award was revoked", serde_json::Map::new(), Vec::new());
        return Err(Error::own(StatusCode::GONE, body));
    }
    let form = query::read(&cx, &query)?.form()?;
    let (base, issuer) = (lasting_base(&cx).await?, &assertion.class.0.issuer.0);
    let signature = Signature::of_tenant(&cx, issuer.root_account_id, form.algorithm).await?;
    Ok(answer(signature.sign(&base, &issuer.entity_id, form.naming, &claims(&base, &assertion, form))?))
}

/// The credential itself, with the claims that a JWT has beside it.
fn claims(base: &str, assertion: &PublicAssertion, form: CredentialForm) -> Value {
    let class = &assertion.class.0;
    let writer = Writer { base, version: Version::Two };
    let id = writer.assertion_address(&assertion.entity_id);
    let issuer = profile(base, &class.issuer.0, form);
    let mut claims = json!({
        "@context": CONTEXTS,
        "id": id,
        "type": ["VerifiableCredential", "OpenBadgeCredential"],
        "issuer": issuer,
        "validFrom": assertion.issued_on,
        "name": class.name,
        "credentialSubject": subject(assertion, &achievement(&writer, class, &issuer)),
        "credentialStatus": status(base, assertion, form),
        "iss": form.issuer(base, &class.issuer.0.entity_id),
        "jti": id,
        "nbf": assertion.issued_on.unix(),
    });
    let evidence: Vec<_> = assertion.evidence.0.iter().map(|one| evidence(one, json!(["Evidence"]))).collect();
    set(&mut claims, "evidence", Some(evidence).filter(|list| !list.is_empty()));
    set(&mut claims, "validUntil", assertion.expires);
    set(&mut claims, "exp", assertion.expires.map(shared::Timestamp::unix));
    set(&mut claims, "sub", name(&assertion.recipient.0));
    claims
}

/// What was achieved: the class of the award.
fn achievement(writer: &Writer<'_>, class: &PublicClass, issuer: &Value) -> Value {
    let id = writer.class_address(&class.entity_id);
    let mut criteria = json!({});
    set(&mut criteria, "id", class.criteria_url.as_ref());
    set(&mut criteria, "narrative", class.criteria_narrative.as_ref());
    let mut image = json!({ "id": format!("{id}/image"), "type": "Image" });
    set(&mut image, "caption", class.image_alt_text.as_ref());
    let mut achievement = json!({
        "id": id,
        "type": ["Achievement"],
        "name": class.name,
        "description": class.description,
        "criteria": criteria,
        "image": image,
        "creator": issuer,
    });
    set(&mut achievement, "achievementType", class.achievement_type.as_ref());
    set(&mut achievement, "tag", Some(&class.tags.0).filter(|tags| !tags.is_empty()));
    let alignments: Vec<_> = class.alignments.0.iter().map(aligned).collect();
    set(&mut achievement, "alignment", Some(alignments).filter(|list| !list.is_empty()));
    achievement
}

fn aligned(alignment: &Alignment) -> Value {
    let mut shown = json!(alignment);
    set(&mut shown, "type", Some(["Alignment"]));
    shown
}

/// Who has achieved it.
fn subject(assertion: &PublicAssertion, achievement: &Value) -> Value {
    let recipient = &assertion.recipient.0;
    let kind = match recipient.r#type.as_str() {
        "email" => "emailAddress",
        "telephone" => "ext:telephone",
        _ => "identifier",
    };
    let mut identity = json!({
        "type": "IdentityObject",
        "hashed": recipient.hashed,
        "identityHash": recipient.public_identity(),
        "identityType": kind,
    });
    set(&mut identity, "salt", recipient.hashed.then_some(&recipient.salt));
    let mut subject = json!({ "type": ["AchievementSubject"], "identifier": [identity], "achievement": achievement });
    set(&mut subject, "id", name(recipient));
    set(&mut subject, "narrative", assertion.narrative.as_ref());
    subject
}

/// Who is known by an address of the web has it as the subject's name; others have none that may be told.
fn name(recipient: &Recipient) -> Option<&str> {
    let is_named = !recipient.hashed && recipient.r#type != "email" && recipient.r#type != "telephone";
    is_named.then_some(&recipient.identity)
}

/// Where it stands whether the award was revoked.
fn status(base: &str, assertion: &PublicAssertion, form: CredentialForm) -> Value {
    let (list, index) = (assertion.status_index.div_euclid(LIST), assertion.status_index.rem_euclid(LIST));
    let list = status_list(base, &assertion.class.0.issuer.0.entity_id, list, form);
    json!({
        "id": format!("{list}#{index}"),
        "type": "BitstringStatusListEntry",
        "statusPurpose": "revocation",
        "statusListIndex": index.to_string(),
        "statusListCredential": list,
    })
}
