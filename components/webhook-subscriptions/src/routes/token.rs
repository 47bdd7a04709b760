//! The token endpoint of tools that have registered with LTI 1.3: an access token for an assertion that the tool has signed
//! with its own key (RS256). RFC 7523, as the security framework of LTI has it.

use serde::{Deserialize, Serialize};
use shared::auth::secrets;
use shared::clock::{HOUR, MINUTE};
use shared::throttle::{self, Limit};
use shared::{Context, Error, Form, JsonSchema, LimitKind, OAuthErrors, Reply, Result, Timestamp, endpoint, endpoints};

use crate::access;
use crate::client_assertion::{self, Claims};
use crate::model::assertions::{JudgedClaims, Lifetime};
use crate::model::lti_1_3::CLIENT_CREDENTIALS;
use crate::store::tool_proxies;
use crate::store::tool_registrations::{self as store, KeyOwner};

pub(crate) const PATH: &str = "/api/lti/token";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// The time for which an assertion may be good.
const MAX_LIFE: i64 = HOUR;
/// The time by which the tool's clock may be ahead of ours.
const AHEAD: i64 = 60;
const LIFETIME: Lifetime = Lifetime { longest: MAX_LIFE, oldest: None, ahead: AHEAD };
/// The number of times that the keys of a tool are read.
const READS_OF_KEYS: Limit = Limit { most: 30, seconds: MINUTE };

endpoints![issue_tool_token];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ClientGrant {
    /// `client_credentials`
    grant_type: String,
    /// `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`
    client_assertion_type: String,
    /// A JSON Web Token that the tool has signed (RS256): `iss` and `sub` are its client id, `aud` is the address of this
    /// endpoint, with `iat`, `exp` within an hour, and a `jti` that it has not used before.
    client_assertion: String,
}

#[derive(Serialize, JsonSchema)]
struct ToolToken {
    access_token: String,
    token_type: &'static str,
    /// Seconds.
    expires_in: i64,
    /// The capabilities of the tool, with spaces between.
    scope: String,
}

/// Gives a tool that was approved an access token for an assertion that it has signed with its key.
#[endpoint(
    POST "/api/lti/token",
    public,
    error_format(&OAuthErrors),
    nobody(400, "it gives tokens out; it asks for the grant"),
    throttled("reads of a tool's keys"),
    answers(401, "The assertion is not signed by a tool that was approved, or is not good any more."),
)]
async fn issue_tool_token(cx: Context, body: Form<ClientGrant>) -> Result<Reply<ToolToken>> {
    let grant = body.decode()?;
    if grant.grant_type != CLIENT_CREDENTIALS {
        return Err(Error::oauth("unsupported_grant_type", "grant_type must be client_credentials"));
    }
    if grant.client_assertion_type != ASSERTION_TYPE {
        return Err(Error::oauth("invalid_request", format!("client_assertion_type must be {ASSERTION_TYPE}")));
    }
    let claims = client_assertion::unverified(&grant.client_assertion).ok_or_else(unknown)?;
    let address = format!("{}{PATH}", cx.lasting_base_url().await?);
    let end = end(&claims, &address, cx.now).ok_or_else(unknown)?;
    let owner = store::key_owner(&cx.db, &claims.sub).await?.ok_or_else(unknown)?;
    if !has_signed(&cx, &owner, &grant.client_assertion).await? {
        return Err(unknown());
    }
    // Kept as a hash: a tool may choose whatever it likes.
    if !tool_proxies::use_assertion(&cx.db, owner.id, &secrets::hash(&claims.jti), end, cx.now).await? {
        return Err(unknown());
    }
    Ok(Reply::ok(ToolToken {
        access_token: access::token(&cx, &owner.guid).await?,
        token_type: "Bearer",
        expires_in: access::LIFETIME,
        scope: owner.capabilities.0.join(" "),
    }))
}

/// True if the tool has signed the assertion. A key that is not known yet may be new: then its keys are read again.
async fn has_signed(cx: &Context, owner: &KeyOwner, assertion: &str) -> Result<bool> {
    if client_assertion::known_keys(&owner.jwks_uri).is_some_and(|keys| keys.have_signed(assertion)) {
        return Ok(true);
    }
    let reads = format!("reads of the keys of tool {}", owner.id);
    throttle::require_turn(cx, LimitKind::ToolKeys, &reads, READS_OF_KEYS).await?;
    let keys = client_assertion::read_keys(&owner.jwks_uri).await?;
    Ok(keys.is_some_and(|keys| keys.have_signed(assertion)))
}

/// The end of the assertion, if it is one of the tool that it names, for that address, and good at this moment.
fn end(claims: &Claims, address: &str, now: Timestamp) -> Option<Timestamp> {
    let Claims { iss, sub, aud, exp, iat, jti } = claims;
    let judged = JudgedClaims { aud, exp: *exp, iat: *iat, jti };
    let is_good = iss == sub && LIFETIME.allows(&judged, address, now.unix());
    Timestamp::from_unix(*exp).filter(|_| is_good)
}

/// The same words for all that may be wrong with an assertion, and for a tool that is not known.
fn unknown() -> Error {
    Error::oauth("invalid_client", "The assertion is none of a tool that was approved, or it is not good any more.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::assertions::{Audience, MAX_JTI_BYTES};

    const HERE: &str = "https://lms.test/api/lti/token";

    fn claims() -> Claims {
        let tool = || "tool".to_owned();
        Claims {
            iss: tool(),
            sub: tool(),
            aud: Audience::One(HERE.to_owned()),
            exp: 1060,
            iat: 1000,
            jti: "1".to_owned(),
        }
    }

    fn is_good(claims: &Claims) -> bool {
        end(claims, HERE, Timestamp::from_unix(1000).unwrap()).is_some()
    }

    #[test]
    fn an_assertion_is_of_its_tool_for_this_address_and_fresh() {
        assert!(is_good(&claims()));
        assert!(!is_good(&Claims { iss: "other".to_owned(), ..claims() }));
        assert!(!is_good(&Claims { aud: Audience::One("https://other.test".to_owned()), ..claims() }));
        assert!(!is_good(&Claims { exp: 1000, ..claims() }), "it has ended");
        assert!(!is_good(&Claims { exp: 1000 + MAX_LIFE + AHEAD + 1, ..claims() }), "it is good for too long");
        assert!(!is_good(&Claims { iat: 1000 + AHEAD + 1, ..claims() }), "it is of tomorrow");
        for jti in [String::new(), "x".repeat(MAX_JTI_BYTES + 1)] {
            assert!(!is_good(&Claims { jti, ..claims() }));
        }
    }
}
