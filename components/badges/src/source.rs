//! Badges of other services: fetched where they say that they are, and verified there before anybody believes them.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::ACCEPT;
use serde_json::{Value, json};
use shared::outbound::{self, Limits, address};
use shared::{Context, Error, Result, Timestamp, background, config};

use crate::images::{self, Image};
use crate::model::error_format::error_body;
use crate::model::recipients::{OwnAddress, normal};

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    between_bytes: Duration::from_secs(5),
    total: Duration::from_secs(15),
    body_bytes: MAX_DOCUMENT_BYTES,
};
const IMAGE_LIMITS: Limits = Limits { body_bytes: images::MAX_IMAGE_BYTES, ..LIMITS };
const MAX_DOCUMENT_BYTES: usize = 256 * 1024;
/// So many characters of an address are said again.
const MAX_TOLD_CHARS: usize = 200;
const LINKED_DATA: &str = "application/ld+json, application/json;q=0.9";
const PICTURES: &str = "image/png, image/svg+xml";

/// A badge that was verified.
pub(crate) struct Verified {
    pub(crate) id: String,
    pub(crate) assertion: Value,
    pub(crate) badge: Value,
    pub(crate) issuer: Value,
    pub(crate) recipient_type: String,
    pub(crate) recipient_identity: String,
}

/// 400 with a name that clients know.
pub(crate) fn invalid_badge(name: &str, description: &str) -> Error {
    let entry = json!({ "name": name, "description": description });
    Error::own(StatusCode::BAD_REQUEST, error_body("bad request", serde_json::Map::new(), vec![entry]))
}

fn unverified(description: &str) -> Error {
    invalid_badge("UNABLE_TO_VERIFY", description)
}

/// An address that cannot be read. The fate of a connection is for the log alone: whoever names addresses is not told
/// what there is at them.
fn unreadable(url: &str, why: &str) -> Error {
    let told: String = url.chars().take(MAX_TOLD_CHARS).collect();
    invalid_badge("FETCH_HTTP_NODE", &format!("{told}: {why}"))
}

/// Fetches that address.
async fn send(url: &str, accept: &'static str, limits: &Limits) -> Result<http::Response<Bytes>> {
    let development = config::flag("development").await?;
    let target = address::check(url, development).map_err(|why| unreadable(url, why))?;
    let host = target.host().unwrap_or_default().to_owned();
    let request = http::Request::get(target).header(ACCEPT, accept).body(Bytes::new()).map_err(Error::internal)?;
    outbound::send(request, limits).await.map_err(|failure| {
        background::log(&json!({ "badge_import": host, "failure": failure.to_string() }));
        unreadable(url, UNFETCHED)
    })
}

const UNFETCHED: &str = "it could not be read";

/// An image, which may be at the end of one way more.
pub(crate) async fn fetch_image(url: &str) -> Result<Image> {
    let bytes = match images::from_data_uri(url) {
        Some(bytes) => bytes,
        None => fetch_through(url).await?,
    };
    Image::read(bytes).map_err(|message| invalid_badge("IMAGE_VALIDATION", &message))
}

/// We do not follow where others lead, except that images are often stored elsewhere: one step, by the same rules.
async fn fetch_through(url: &str) -> Result<Bytes> {
    let answer = send(url, PICTURES, &IMAGE_LIMITS).await?;
    let to = answer.headers().get(http::header::LOCATION).and_then(|to| to.to_str().ok());
    let answer = match (answer.status().as_u16(), to) {
        (301 | 302 | 303 | 307 | 308, Some(to)) => send(to, PICTURES, &IMAGE_LIMITS).await?,
        _ => answer,
    };
    if answer.status() == StatusCode::OK { Ok(answer.into_body()) } else { Err(unreadable(url, UNFETCHED)) }
}

/// The document at that address; one that is gone is read too, as far as it is there, because it may say why.
async fn fetch_document(url: &str) -> Result<(StatusCode, Value)> {
    let answer = send(url, LINKED_DATA, &LIMITS).await?;
    let status = answer.status();
    if !matches!(status, StatusCode::OK | StatusCode::GONE) {
        return Err(unreadable(url, UNFETCHED));
    }
    let document: Option<Value> = serde_json::from_slice(answer.body()).ok().filter(Value::is_object);
    match document {
        Some(document) => Ok((status, document)),
        None if status == StatusCode::GONE => Ok((status, json!({}))),
        None => Err(unverified("the address holds no JSON object")),
    }
}

/// A document that is named, or that stands in its place and is looked up where it says that it is.
async fn resolve(value: Option<&Value>, what: &str) -> Result<Value> {
    let id = match value {
        Some(Value::String(id)) => Some(id.as_str()),
        Some(Value::Object(document)) => document.get("id").and_then(Value::as_str),
        _ => None,
    };
    let id = id.ok_or_else(|| unverified(&format!("the {what} is not named")))?;
    let (status, document) = fetch_document(id).await?;
    match status == StatusCode::OK && text(&document, "id") == Some(id) {
        true => Ok(document),
        false => Err(unverified(&format!("the {what} is gone, or says that it is another"))),
    }
}

fn text<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document.get(name).and_then(Value::as_str)
}

fn require_members(document: &Value, what: &str, names: &[&str]) -> Result<()> {
    let is_there =
        |name: &&&str| document.get(**name).is_some_and(|value| !value.is_null() && value.as_str() != Some(""));
    match names.iter().find(|name| !is_there(name)) {
        None => Ok(()),
        Some(name) => Err(unverified(&format!("the {what} has no {name}"))),
    }
}

fn is_of_type(document: &Value, names: &[&str]) -> bool {
    match document.get("type") {
        Some(Value::String(kind)) => names.contains(&kind.as_str()),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(|kind| names.contains(&kind)),
        _ => false,
    }
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<String> {
    let uri: http::Uri = url.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?.as_str().to_ascii_lowercase()))
}

/// The badge at that address, which is hosted there and was awarded to one of these addresses.
pub(crate) async fn verify(cx: &Context, id: &str, addresses: &[OwnAddress]) -> Result<Verified> {
    let (status, assertion) = fetch_document(id).await?;
    if status == StatusCode::GONE || assertion.get("revoked").is_some_and(says_so) {
        return Err(invalid_badge("ASSERTION_REVOKED", "the award was revoked"));
    }
    if text(&assertion, "id") != Some(id) {
        return Err(unverified("the award at this address says that it is another"));
    }
    require_members(&assertion, "award", &["recipient", "badge", "issuedOn"])?;
    let verification = assertion.get("verification").or_else(|| assertion.get("verify"));
    if !verification.is_some_and(|verification| is_of_type(verification, &["HostedBadge", "hosted"])) {
        return Err(unverified("the award is not verified by where it is hosted"));
    }
    if !is_of_type(&assertion, &["Assertion"]) {
        return Err(unverified("this is no award"));
    }
    in_time(&assertion, cx.now)?;
    let badge = resolve(assertion.get("badge"), "badge").await?;
    require_members(&badge, "badge", &["name", "description", "criteria", "image", "issuer"])?;
    let issuer = resolve(badge.get("issuer"), "issuer").await?;
    require_members(&issuer, "issuer", &["name", "url", "email"])?;
    if !is_of_type(&badge, &["BadgeClass"]) || !is_of_type(&issuer, &["Issuer", "Profile"]) {
        return Err(unverified("the badge or the issuer is none"));
    }
    let issuer_id = text(&issuer, "id").unwrap_or_default();
    let badge_id = text(&badge, "id").unwrap_or_default();
    if origin(id).is_none() || origin(id) != origin(issuer_id) || origin(badge_id) != origin(issuer_id) {
        return Err(unverified("the award, the badge and the issuer are not hosted at the same place"));
    }
    let (recipient_type, recipient_identity) = recipient(&assertion, addresses)?;
    Ok(Verified { id: id.to_owned(), assertion, badge, issuer, recipient_type, recipient_identity })
}

/// True if a member says that something is so, in whatever form: only what plainly says no does not.
fn says_so(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !["", "false", "no", "0"].contains(&text.trim().to_ascii_lowercase().as_str()),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

fn in_time(assertion: &Value, now: Timestamp) -> Result<()> {
    let moment = |name: &str| match assertion.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_str().and_then(Timestamp::parse) {
            Some(moment) => Ok(Some(moment)),
            None => Err(unverified(&format!("{name} is no time"))),
        },
    };
    if moment("issuedOn")?.is_some_and(|issued| issued > now.plus_seconds(60)) {
        return Err(unverified("the award is dated in the future"));
    }
    if moment("expires")?.is_some_and(|end| end <= now) {
        return Err(invalid_badge("ASSERTION_EXPIRED", "the award has expired"));
    }
    Ok(())
}

/// Which of the addresses the award went to, as it is compared. Services hash them as they were spelled, or in lower case.
fn recipient(assertion: &Value, addresses: &[OwnAddress]) -> Result<(String, String)> {
    let recipient = assertion.get("recipient").unwrap_or(&Value::Null);
    let (kind, identity) =
        (text(recipient, "type").unwrap_or("email"), text(recipient, "identity").unwrap_or_default());
    let salt = text(recipient, "salt").unwrap_or_default();
    let is_hashed = recipient.get("hashed") == Some(&Value::Bool(true));
    let fits = |own: &&OwnAddress| match is_hashed {
        true => own.has_hash(identity, salt),
        false => normal(kind, identity) == own.address,
    };
    let own = addresses.iter().find(fits).filter(|_| kind == "email");
    let own = own.ok_or_else(|| invalid_badge("RECIPIENT_MISMATCH", "the award went to none of your addresses"))?;
    Ok((kind.to_owned(), own.address.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::recipients::hashed;

    #[test]
    fn an_assertion_goes_to_one_of_the_addresses() {
        let address = "ada@school.test".to_owned();
        let own = [OwnAddress { address, spelling: "Ada@School.test".to_owned(), verified: true }];
        let to = |recipient: Value| super::recipient(&json!({ "recipient": recipient }), &own).is_ok();
        assert!(to(json!({ "type": "email", "hashed": false, "identity": "Ada@school.test" })));
        let hash = hashed("ada@school.test", "salt");
        assert!(to(json!({ "type": "email", "hashed": true, "salt": "salt", "identity": hash })));
        assert!(!to(json!({ "type": "email", "hashed": true, "salt": "other", "identity": hash })));
        let spelled = hashed("Ada@School.test", "salt");
        assert!(to(json!({ "type": "email", "hashed": true, "salt": "salt", "identity": spelled })));
        let shouted = hashed("ADA@SCHOOL.TEST", "salt");
        assert!(!to(json!({ "type": "email", "hashed": true, "salt": "salt", "identity": shouted })));
        let older = "md5$26d57bebe18e78a3d3e4e6c2ddfe5376";
        assert!(to(json!({ "type": "email", "hashed": true, "salt": "salt", "identity": older })));
        assert!(!to(json!({ "type": "email", "hashed": true, "salt": "other", "identity": older })));
        assert!(!to(json!({ "type": "url", "hashed": false, "identity": "ada@school.test" })));
        assert!(!to(json!({})));
    }

    #[test]
    fn an_assertion_is_revoked_unless_it_plainly_is_not() {
        for revoked in
            [json!(true), json!("true"), json!("True "), json!("yes"), json!(1), json!({}), json!([]), json!("x")]
        {
            assert!(says_so(&revoked), "{revoked}");
        }
        for good in [json!(false), json!(null), json!("false"), json!(" FALSE"), json!(""), json!(0), json!("no")] {
            assert!(!says_so(&good), "{good}");
        }
    }

    #[test]
    fn an_origin_has_scheme_host_and_port() {
        assert_eq!(origin("https://A.test/x").as_deref(), Some("https://a.test"));
        assert_ne!(origin("https://a.test:8443/x"), origin("https://a.test/x"));
        assert_eq!(origin("urn:uuid:1"), None);
    }
}
