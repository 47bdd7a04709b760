//! Which tool calls: the access token that a tool got for its assertion.
//!
//! See "Tokens of tools" in `docs/contract/webhook-subscriptions.md`. Ordinary tokens do not work here. One statement finds
//! the tool, and the subscription that the path names.

use std::sync::LazyLock;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::{self, jwt, secrets};
use shared::clock::HOUR;
use shared::error::TokenProblem;
use shared::params::Params;
use shared::signed_pages::SignedPages;
use shared::texts::ended_link;
use shared::{Context, Credential, Error, Result};
use uuid::Uuid;

use crate::model::subscriptions::KnownSubscription;
use crate::model::tools::Tool;
use crate::store::tool_proxies::{self as store, Subject};

/// The credentials that tools show.
pub(crate) const TOOL_TOKEN: Credential = Credential {
    name: "tool_token",
    description: "The token of a tool, from `POST /api/lti/courses/{course_id}/authorize` or \
                  `POST /api/lti/accounts/{account_id}/authorize`.",
};

/// The pages of a tool's deliveries. Their links are made for the [`Subject`] of the tool's token.
pub(crate) const TOOL_PAGES: SignedPages =
    SignedPages { purpose: "deliveries of a tool", lasts: ended_link::TOOL_DELIVERIES };
/// See [`TOOL_PAGES`].
pub(crate) const TOOL_PAGES_PATH: &str = "/webhooks/tool_deliveries";

const ISSUER: &str = "Canvas";
const SIGNED_FOR: &str = "tool access token";
pub(crate) const LIFETIME: i64 = HOUR;
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

impl Claims {
    /// Whether the token is good at this moment. It may have been made, by a clock that is ahead, a little later.
    fn are_in_time(&self, now: i64) -> bool {
        self.nbf <= now && now < self.exp
    }
}

/// A token for the tool, or for the invitation with which it registers, good at this host for an hour.
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

/// What a tool asks for.
pub(crate) struct Call {
    pub(crate) tool: Tool,
    pub(crate) params: Params,
}

/// The call of the tool whose token the request brings; 401 otherwise, in the same words whatever is wrong with it. Parameters that
/// cannot be read are only told to a tool.
pub(crate) async fn call(cx: &Context, params: Result<Params>) -> Result<Call> {
    Ok(caller(cx, params).await?.1)
}

/// The same, with what the token says of its tool.
pub(crate) async fn caller(cx: &Context, params: Result<Params>) -> Result<(Subject, Call)> {
    let refused = || Error::token(TokenProblem::Missing);
    let subject = subject(cx, readable(&params)).await?.ok_or_else(refused)?;
    let tool = of_subject(cx, &subject).await?.ok_or_else(refused)?;
    Ok((subject, Call { tool, params: params? }))
}

/// The parameters, among which the token may be; none where they cannot be read.
pub(crate) fn readable(params: &Result<Params>) -> &Params {
    static NONE: LazyLock<Params> = LazyLock::new(Params::new);
    params.as_ref().unwrap_or(&NONE)
}

/// The tool of which a token or a link says that it is theirs, while that is so and the tool may call with this method.
pub(crate) async fn of_subject(cx: &Context, subject: &Subject) -> Result<Option<Tool>> {
    let tool = store::calling(&cx.db, subject).await?;
    Ok(tool.filter(|tool| tool.may_call(cx.parts().method.as_str())))
}

/// The call of a tool for its subscription of that id; 404 where it has none like that.
pub(crate) async fn subscription(cx: &Context, params: Result<Params>, id: &str) -> Result<(Call, KnownSubscription)> {
    let found = known_subscription(cx, readable(&params), id).await?;
    let (tool, subscription) = found.ok_or_else(|| Error::token(TokenProblem::Missing))?;
    Ok((Call { tool, params: params? }, subscription.ok_or_else(unknown)?))
}

/// The tool whose token the request brings, if it brings one, and its subscription of that id.
pub(crate) async fn known_subscription(
    cx: &Context,
    params: &Params,
    id: &str,
) -> Result<Option<(Tool, Option<KnownSubscription>)>> {
    let Some(subject) = subject(cx, params).await? else { return Ok(None) };
    let found = store::calling_for(&cx.db, &subject, id).await?;
    Ok(found.filter(|(tool, _)| tool.may_call(cx.parts().method.as_str())))
}

/// 404, as this area says it.
pub(crate) fn unknown() -> Error {
    Error::own(StatusCode::NOT_FOUND, json!({}))
}

/// The tool of the token that the request brings, or the invitation with which it registers, if the token is a good one.
pub(crate) async fn subject(cx: &Context, params: &Params) -> Result<Option<Subject>> {
    let Some(token) = auth::presented(cx, params) else { return Ok(None) };
    let keys = secrets::derived_keys(SIGNED_FOR).await?;
    let claims = keys.iter().find_map(|key| jwt::decode::<Claims>(&token, key.expose().as_bytes()));
    let Some(claims) = claims else { return Ok(None) };
    let is_good = claims.iss == ISSUER && claims.are_in_time(cx.now.unix()) && claims.aud.contains(&host(cx).await?);
    Ok(is_good.then_some(Subject { name: claims.sub, issued_at: claims.iat }))
}

async fn host(cx: &Context) -> Result<String> {
    let base = cx.lasting_base_url().await?;
    Ok(base.split_once("://").map_or(base.as_str(), |(_, host)| host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_by_a_clock_that_is_a_little_behind() {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            sub: "guid".to_owned(),
            aud: Vec::new(),
            exp: 1000 + LIFETIME,
            iat: 1000,
            nbf: 1000 - BACKDATED_BY,
            jti: "1".to_owned(),
        };
        assert!([1000 - BACKDATED_BY, 999, 1000, 999 + LIFETIME].iter().all(|now| claims.are_in_time(*now)));
        assert!(![999 - BACKDATED_BY, 1000 + LIFETIME].iter().any(|now| claims.are_in_time(*now)));
    }
}
