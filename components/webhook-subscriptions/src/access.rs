//! Which tool calls: the access token that a tool got for its assertion.
//!
//! See "Tokens of tools" in `docs/contract/webhook-subscriptions.md`. Ordinary tokens do not work here.

use serde::{Deserialize, Serialize};
use shared::auth::{self, jwt, secrets};
use shared::error::TokenProblem;
use shared::params::Params;
use shared::{Context, Credential, Error, Result};
use uuid::Uuid;

use crate::model::tools::Tool;
use crate::store::tool_proxies as store;

/// What tools show.
pub(crate) const TOOL_TOKEN: Credential = Credential {
    name: "tool_token",
    description: "The token of a tool, from `POST /api/lti/courses/{course_id}/authorize` or \
                  `POST /api/lti/accounts/{account_id}/authorize`.",
};

const ISSUER: &str = "Canvas";
const SIGNED_FOR: &str = "tool access token";
pub(crate) const LIFETIME: i64 = 3600;
/// A token is good at once for a host whose clock is behind.
const BACKDATED_BY: i64 = 30;

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Vec<String>,
    exp: i64,
    iat: i64,
    nbf: i64,
    jti: String,
}

/// A token for the tool, good at this host for an hour.
pub(crate) async fn token(cx: &Context, guid: &str) -> Result<String> {
    let now = cx.now.unix();
    let claims = Claims {
        iss: ISSUER.to_owned(),
        sub: guid.to_owned(),
        aud: vec![host(cx).await?],
        exp: now.saturating_add(LIFETIME),
        iat: now,
        nbf: now.saturating_sub(BACKDATED_BY),
        jti: Uuid::new_v4().to_string(),
    };
    let keys = secrets::derived_keys(SIGNED_FOR).await?;
    let key = keys.first().ok_or_else(|| Error::internal(std::fmt::Error))?;
    jwt::encode(&claims, key.expose().as_bytes())
}

/// The tool whose token the request brings; 401 otherwise, in the same words whatever is wrong with it.
pub(crate) async fn tool(cx: &Context, params: &Params) -> Result<Tool> {
    known_tool(cx, params).await?.ok_or_else(|| Error::token(TokenProblem::Missing))
}

/// The tool whose token the request brings, if it brings one.
pub(crate) async fn known_tool(cx: &Context, params: &Params) -> Result<Option<Tool>> {
    let Some(token) = auth::presented(cx, params) else { return Ok(None) };
    let keys = secrets::derived_keys(SIGNED_FOR).await?;
    let claims = keys.iter().find_map(|key| jwt::decode::<Claims>(&token, key.expose().as_bytes()));
    let Some(claims) = claims else { return Ok(None) };
    let now = cx.now.unix();
    let in_time = claims.nbf <= now && claims.iat <= now && now < claims.exp;
    if claims.iss != ISSUER || !in_time || !claims.aud.contains(&host(cx).await?) {
        return Ok(None);
    }
    Ok(store::calling(&cx.db, &claims.sub).await?)
}

async fn host(cx: &Context) -> Result<String> {
    let base = cx.lasting_base_url().await?;
    Ok(base.split_once("://").map_or(base.as_str(), |(_, host)| host).to_owned())
}
