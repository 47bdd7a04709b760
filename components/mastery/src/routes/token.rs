//! Tokens for a district's credential: the client-credentials grant. See RFC 6749, 4.4.

use http::header::CACHE_CONTROL;
use serde::{Deserialize, Serialize};
use shared::auth::{self, Basic, secrets};
use shared::clock::{HOUR, MINUTE};
use shared::throttle::{self, Limit};
use shared::{Context, Error, Form, JsonSchema, LimitKind, Reply, Result, endpoint, endpoints};

use crate::access::PREFIX;
use crate::model::error_format::Code;
use crate::model::reader::unauthorized;
use crate::store;

const LIFETIME: i64 = 2 * HOUR;
/// Of a client from one address.
const BUDGET: Limit = Limit { most: 15, seconds: 5 * MINUTE };

endpoints![issue_mastery_token];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TokenForm {
    /// `client_credentials`.
    grant_type: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    /// Some of the credential's scopes, with spaces between them; all of them by default.
    scope: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Token {
    access_token: String,
    token_type: &'static str,
    /// In seconds.
    expires_in: i64,
    scope: String,
    /// In seconds since 1970 began.
    created_at: i64,
}

/// Gives an access token for the credential of a district.
#[endpoint(
    POST "/api/v2/token",
    public,
    nobody(422, "it gives tokens out; it asks for the client"),
    throttled("tokens for one client"),
    answers(401, "There is no such credential, the secret is not its own, or it is not good any more."),
)]
async fn issue_mastery_token(cx: Context, body: Form<TokenForm>) -> Result<Reply<Token>> {
    // Addresses stand in many a log.
    if cx.query_text("client_secret").is_some() {
        return Err(Error::bad_request("Credentials belong into the body."));
    }
    let form = body.decode()?;
    let (client, other) = client(&cx, &form)?;
    // As a hash, because nobody has looked yet how long the id is.
    let key = format!("mastery-token/{}/{}", secrets::hash(&client.id), cx.client_network());
    throttle::require_turn(&cx, LimitKind::MasteryTokens, &key, BUDGET).await?;
    match form.grant_type.as_deref() {
        Some("client_credentials") => {}
        Some(_) => return Err(Error::bad_request("grant_type must be client_credentials")),
        None => return Err(Error::bad_request("grant_type is required")),
    }
    let mut credential = credential(&cx, &client).await?;
    if let (None, Some(other)) = (&credential, &other) {
        credential = self::credential(&cx, other).await?;
    }
    let credential = credential.ok_or_else(|| unauthorized(Code::InvalidToken, "Bad client credentials"))?;
    credential.require_valid(cx.now)?;
    let scopes = scopes(&credential.scopes.0, form.scope.as_deref())?;
    let access_token = format!("{PREFIX}{}", secrets::generate());
    let end = cx.now.plus_seconds(LIFETIME);
    store::insert_token(&cx.db, &secrets::hash(&access_token), credential.id, &scopes, end).await?;
    let token = Token {
        access_token,
        token_type: "Bearer",
        expires_in: LIFETIME,
        scope: scopes.join(" "),
        created_at: cx.now.unix(),
    };
    Ok(Reply::ok(token).header(CACHE_CONTROL, "no-store"))
}

/// The credential with that id and secret.
async fn credential(cx: &Context, client: &Basic) -> Result<Option<store::Credential>> {
    let credential = store::credential(&cx.db, &client.id).await?;
    Ok(credential.filter(|credential| secrets::same(&secrets::hash(&client.secret), &credential.secret_hash)))
}

/// The client's id and secret, in the two readings that Basic authentication has; or else from the body.
fn client(cx: &Context, form: &TokenForm) -> Result<(Basic, Option<Basic>)> {
    let required = |name: &str, value: Option<String>| {
        value.filter(|value| !value.is_empty()).ok_or_else(|| Error::bad_request(format!("{name} is required")))
    };
    let (id, secret, other) = match auth::basic(cx) {
        Some((basic, other)) => (Some(basic.id), Some(basic.secret), other),
        None => (form.client_id.clone(), form.client_secret.clone(), None),
    };
    Ok((Basic { id: required("client_id", id)?, secret: required("client_secret", secret)? }, other))
}

/// The scopes of the token: those asked for, if the credential has them.
fn scopes(own: &[String], asked: Option<&str>) -> Result<Vec<String>> {
    let Some(asked) = asked.filter(|asked| !asked.trim().is_empty()) else {
        return Ok(own.to_vec());
    };
    let asked = asked.split_whitespace().map(|scope| {
        let found = own.iter().find(|own| *own == scope).cloned();
        found.ok_or_else(|| Error::bad_request(format!("scope {scope} is not one of the credential")))
    });
    asked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_no_scope_that_its_credential_has_not() {
        let own = ["a:read", "b:read"].map(str::to_owned);
        assert_eq!(scopes(&own, None).unwrap(), own);
        assert_eq!(scopes(&own, Some(" b:read ")).unwrap(), ["b:read"]);
        assert!(scopes(&own, Some("c:read")).is_err());
    }
}
