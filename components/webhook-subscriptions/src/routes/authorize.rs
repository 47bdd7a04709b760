//! The exchange of a tool's signed assertion for an access token. See "Tokens of tools" in
//! `docs/contract/webhook-subscriptions.md`; RFC 7523.
//!
//! Whatever is wrong, the answer is the same: `invalid_grant`.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::{AccountPath, CoursePath, encryption, jwt, secrets};
use shared::ids::IdOrAlias;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, Timestamp, endpoint, endpoints};

use crate::access;
use crate::model::assertions::{Audience, JudgedClaims, Lifetime, whole_seconds};
use crate::store::tool_proxies as store;
use crate::store::tool_registrations::{self, Invited};

/// The grant of a tool that is about to register with LTI 2.
const REGISTRATION_GRANT: &str = "authorization_code";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const LIFETIME: Lifetime = Lifetime { longest: 60, oldest: Some(300), ahead: 5 };

endpoints![authorize_tool_for_account, authorize_tool_for_course];

#[derive(Deserialize, JsonSchema)]
struct Grant {
    /// `urn:ietf:params:oauth:grant-type:jwt-bearer`, or `authorization_code` of a tool that is about to register with
    /// LTI 2
    grant_type: String,
    /// A JSON Web Token that the tool has signed (HS256) with its shared secret: `sub` is its guid, `aud` the address of
    /// this endpoint, `exp` at most a minute ahead, with `iat` and a `jti` that it has not used before.
    assertion: String,
    /// The registration key of a tool that is about to register: then `sub` is this key, and the assertion is signed with the
    /// registration password.
    #[serde(default)]
    code: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Token {
    access_token: String,
    token_type: &'static str,
    /// Seconds, as text.
    expires_in: String,
}

#[derive(Deserialize)]
struct Assertion {
    sub: String,
    aud: Audience,
    #[serde(deserialize_with = "whole_seconds")]
    exp: i64,
    #[serde(deserialize_with = "whole_seconds")]
    iat: i64,
    jti: String,
}

impl Assertion {
    /// True if it is for that address and good at this moment.
    fn is_good(&self, address: &str, now: i64) -> bool {
        let Self { aud, exp, iat, jti, .. } = self;
        LIFETIME.allows(&JudgedClaims { aud, exp: *exp, iat: *iat, jti }, address, now)
    }
}

/// Gives a tool an access token for its signed assertion.
#[endpoint(
    POST "/api/lti/accounts/:account_id/authorize",
    public,
    nobody(400, "it gives tokens out; it asks for an assertion"),
)]
async fn authorize_tool_for_account(
    cx: Context,
    Path(at): Path<AccountPath>,
    body: Form<Grant>,
) -> Result<Reply<Token>> {
    let place = match at.account_id {
        IdOrAlias::Id(id) => Some(store::Place::Account(id)),
        IdOrAlias::Own | IdOrAlias::Other(..) => None,
    };
    authorize(&cx, place, body).await
}

/// Gives a tool an access token for its signed assertion.
#[endpoint(
    POST "/api/lti/courses/:course_id/authorize",
    public,
    nobody(400, "it gives tokens out; it asks for an assertion"),
)]
async fn authorize_tool_for_course(cx: Context, Path(at): Path<CoursePath>, body: Form<Grant>) -> Result<Reply<Token>> {
    let place = match at.course_id {
        IdOrAlias::Id(id) => Some(store::Place::Course(id)),
        IdOrAlias::Own | IdOrAlias::Other(..) => None,
    };
    authorize(&cx, place, body).await
}

async fn authorize(cx: &Context, place: Option<store::Place>, body: Form<Grant>) -> Result<Reply<Token>> {
    let grant = body.decode().map_err(|_incomplete| invalid_grant())?;
    let place = place.ok_or_else(invalid_grant)?;
    match grant.grant_type.as_str() {
        GRANT => {}
        REGISTRATION_GRANT => return authorize_registration(cx, place, &grant).await,
        _ => return Err(invalid_grant()),
    }
    let guid = claimed(&grant.assertion).ok_or_else(invalid_grant)?;
    let signer = store::signer(&cx.db, &guid, place, cx.now).await?.ok_or_else(invalid_grant)?;
    let secrets = std::iter::once(&signer.sealed_secret).chain(&signer.sealed_previous_secret);
    let assertion = verified(secrets, &grant.assertion).await?.ok_or_else(invalid_grant)?;
    let address = format!("{}{}", cx.lasting_base_url().await?, cx.path());
    if assertion.sub != signer.guid || !assertion.is_good(&address, cx.now.unix()) {
        return Err(invalid_grant());
    }
    let end = Timestamp::from_unix(assertion.exp).ok_or_else(invalid_grant)?;
    // Kept as a hash: a tool may choose whatever it likes.
    if !store::use_assertion(&cx.db, signer.id, &secrets::hash(&assertion.jti), end, cx.now).await? {
        return Err(invalid_grant());
    }
    token(cx, &signer.guid).await
}

/// A token with which a tool registers, and reads nothing else. It may be given several times: a registration is made once.
async fn authorize_registration(cx: &Context, place: store::Place, grant: &Grant) -> Result<Reply<Token>> {
    let key = grant.code.as_deref().ok_or_else(invalid_grant)?;
    let invited = tool_registrations::invited_by_key(&cx.db, key, cx.now).await?;
    let invited = invited.filter(|invited| invited.is_for(place)).ok_or_else(invalid_grant)?;
    let Invited { sealed_password: Some(password), .. } = invited else { return Err(invalid_grant()) };
    let assertion = verified([&password], &grant.assertion).await?.ok_or_else(invalid_grant)?;
    let address = format!("{}{}", cx.lasting_base_url().await?, cx.path());
    if assertion.sub != key || !assertion.is_good(&address, cx.now.unix()) {
        return Err(invalid_grant());
    }
    token(cx, key).await
}

async fn token(cx: &Context, subject: &str) -> Result<Reply<Token>> {
    Ok(Reply::ok(Token {
        access_token: access::token(cx, subject).await?,
        token_type: "bearer",
        expires_in: access::LIFETIME.to_string(),
    }))
}

fn invalid_grant() -> Error {
    Error::own(StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" }))
}

/// The tool that has signed the assertion, as it says. Its signature is checked with that one's secret.
fn claimed(assertion: &str) -> Option<String> {
    jwt::unverified::<Value>(assertion)?.get("sub")?.as_str().map(str::to_owned)
}

/// What the assertion says, if one of the secrets has signed it.
async fn verified(sealed_secrets: impl IntoIterator<Item = &String>, assertion: &str) -> Result<Option<Assertion>> {
    for sealed in sealed_secrets {
        let secret = encryption::open(encryption::TOOL_SECRET, sealed).await?;
        if let Some(assertion) = jwt::decode(assertion, secret.expose().as_bytes()) {
            return Ok(Some(assertion));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "https://lms.test/api/lti/accounts/1/authorize";

    fn assertion(exp: i64, iat: i64) -> Assertion {
        Assertion { sub: "guid".to_owned(), aud: Audience::One(HERE.to_owned()), exp, iat, jti: "1".to_owned() }
    }

    #[test]
    fn an_assertion_is_short_lived_and_fresh() {
        let good = |exp: i64, iat: i64| assertion(1000 + exp, 1000 + iat).is_good(HERE, 1000);
        assert!(good(60, 0) && good(1, 0) && good(60, -300) && good(65, 5));
        assert!(!good(0, 0), "it has ended");
        assert!(!good(66, 0), "it is good for too long");
        assert!(!good(60, -301), "it is too old");
        assert!(!good(60, 6), "it is of tomorrow");
    }

    #[test]
    fn an_assertion_is_for_one_address_and_has_an_id() {
        assert!(!assertion(1030, 1000).is_good("https://lms.test/api/lti/accounts/2/authorize", 1000));
        let several = Audience::Several(vec!["https://other.test".to_owned(), HERE.to_owned()]);
        assert!(Assertion { aud: several, ..assertion(1030, 1000) }.is_good(HERE, 1000));
        for jti in [String::new(), "x".repeat(513)] {
            assert!(!Assertion { jti, ..assertion(1030, 1000) }.is_good(HERE, 1000));
        }
    }
}
