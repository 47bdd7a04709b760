//! An award as a credential.

use http::StatusCode;
use serde_json::{Value, json};
use shared::{Context, Error, Path, Reply, Result, endpoint, endpoints};

use crate::model::documents::{Version, Writer, set};
use crate::model::entity::{EntityPath, lasting_base};
use crate::model::error_format::error_body;
use crate::model::public::PublicAssertion;
use crate::routes::public::find_assertion;
use crate::routes::public::status::LIST;
use crate::signing::{CONTEXTS, Signature, answer, profile, status_list};

endpoints![get_assertion_credential];

/// An award as a signed credential.
#[endpoint(
    GET "/public/assertions/:id/credential",
    public,
    nobody(200, "an award whose address nobody can guess"),
)]
async fn get_assertion_credential(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply> {
    let assertion = find_assertion(&cx, &at.id).await?;
    if assertion.revoked_at.is_some() {
        let body = error_body("the award was revoked", serde_json::Map::new(), Vec::new());
        return Err(Error::own(StatusCode::GONE, body));
    }
    let base = lasting_base(&cx).await?;
    let signature = Signature::of_tenant(&cx, assertion.class.0.issuer.0.root_account_id).await?;
    Ok(answer(signature.sign(&base, &claims(&base, &assertion))))
}

/// The credential itself, with the claims that a JWT has beside it.
fn claims(base: &str, assertion: &PublicAssertion) -> Value {
    let (class, recipient) = (&assertion.class.0, &assertion.recipient.0);
    let writer = Writer { base, version: Version::Two };
    let id = writer.assertion_address(&assertion.entity_id);
    let class_id = writer.class_address(&class.entity_id);
    let issuer = profile(&writer, &class.issuer.0);
    let mut criteria = json!({});
    set(&mut criteria, "id", class.criteria_url.as_ref());
    set(&mut criteria, "narrative", class.criteria_narrative.as_ref());
    let mut image = json!({ "id": format!("{class_id}/image"), "type": "Image" });
    set(&mut image, "caption", class.image_alt_text.as_ref());
    let mut achievement = json!({
        "id": class_id,
        "type": ["Achievement"],
        "name": class.name,
        "description": class.description,
        "criteria": criteria,
        "image": image,
        "creator": issuer,
    });
    set(&mut achievement, "achievementType", class.achievement_type.as_ref());
    let tags = Some(&class.tags.0).filter(|tags| !tags.is_empty());
    set(&mut achievement, "tag", tags);
    let alignments: Vec<_> = class
        .alignments
        .0
        .iter()
        .map(|alignment| {
            let mut shown = json!(alignment);
            set(&mut shown, "type", Some(["Alignment"]));
            shown
        })
        .collect();
    set(&mut achievement, "alignment", Some(alignments).filter(|list| !list.is_empty()));
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
    set(&mut subject, "narrative", assertion.narrative.as_ref());
    let list = status_list(base, &class.issuer.0.entity_id, assertion.status_index.div_euclid(LIST));
    let mut claims = json!({
        "@context": CONTEXTS,
        "id": id,
        "type": ["VerifiableCredential", "OpenBadgeCredential"],
        "issuer": issuer,
        "validFrom": assertion.issued_on,
        "name": class.name,
        "credentialSubject": subject,
        "credentialStatus": {
            "id": format!("{list}#{}", assertion.status_index.rem_euclid(LIST)),
            "type": "BitstringStatusListEntry",
            "statusPurpose": "revocation",
            "statusListIndex": assertion.status_index.rem_euclid(LIST).to_string(),
            "statusListCredential": list,
        },
        "iss": writer.issuer_address(&class.issuer.0.entity_id),
        "jti": id,
        "nbf": assertion.issued_on.unix(),
    });
    let evidence: Vec<_> = assertion
        .evidence
        .0
        .iter()
        .map(|evidence| {
            let mut shown = json!({ "type": ["Evidence"] });
            set(&mut shown, "id", evidence.url.as_ref().filter(|url| !url.is_empty()));
            for (name, value) in [
                ("narrative", &evidence.narrative),
                ("name", &evidence.name),
                ("description", &evidence.description),
                ("genre", &evidence.genre),
                ("audience", &evidence.audience),
            ] {
                set(&mut shown, name, value.as_ref());
            }
            shown
        })
        .collect();
    set(&mut claims, "evidence", Some(evidence).filter(|list| !list.is_empty()));
    set(&mut claims, "validUntil", assertion.expires);
    set(&mut claims, "exp", assertion.expires.map(shared::Timestamp::unix));
    if !recipient.hashed && recipient.r#type != "email" && recipient.r#type != "telephone" {
        set(&mut claims, "sub", Some(&recipient.identity));
    }
    claims
}
