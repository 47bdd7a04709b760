//! The tokens of the caller.

use serde::{Deserialize, Serialize};
use shared::ids::TokenId;
use shared::{Context, Error, JsonSchema, NoContent, Path, Reply, Result, endpoint, endpoints};

use crate::access::PROFILE;
use crate::model::entity::{Envelope, Moment};
use crate::store;
use crate::store::tokens::OwnToken;

endpoints![list_auth_tokens, get_auth_token, revoke_auth_token];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AccessToken {
    entity_type: &'static str,
    entity_id: String,
    application: Application,
    /// Scopes with spaces between them; empty: everything that its user may.
    scope: String,
    expires: Option<Moment>,
    created: Moment,
}

#[derive(Serialize, JsonSchema)]
struct Application {
    name: String,
    image: Option<String>,
    website_url: Option<String>,
    #[serde(rename = "clientId")]
    client_id: Option<String>,
    #[serde(rename = "policyUri")]
    policy_uri: Option<String>,
    #[serde(rename = "termsUri")]
    terms_uri: Option<String>,
}

impl AccessToken {
    fn of(token: OwnToken) -> Self {
        let application = Application {
            name: token.client_name.or(token.purpose).unwrap_or_default(),
            image: None,
            website_url: None,
            client_id: token.client.map(|client| client.to_string()),
            policy_uri: None,
            terms_uri: None,
        };
        Self {
            entity_type: "AccessToken",
            entity_id: token.id.to_string(),
            application,
            scope: token.scopes.map(|scopes| scopes.0.join(" ")).unwrap_or_default(),
            expires: token.expires_at.map(Moment),
            created: Moment(token.created_at),
        }
    }
}

/// Lists the caller's tokens.
#[endpoint(
    GET "/v2/auth/tokens",
    area_scopes(PROFILE),
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_auth_tokens(cx: Context) -> Result<Reply<Envelope<AccessToken>>> {
    let tokens = store::tokens::own(&cx.db, cx.caller()?.user, cx.now).await?;
    Ok(Reply::ok(Envelope::of(&cx, tokens.into_iter().map(AccessToken::of).collect())))
}

#[derive(Deserialize, JsonSchema)]
struct TokenPath {
    id: TokenId,
}

async fn find_token(cx: &Context, at: &TokenPath) -> Result<OwnToken> {
    store::tokens::find(&cx.db, cx.caller()?.user, at.id, cx.now).await?.ok_or_else(Error::not_found)
}

/// Reads a token of the caller's.
#[endpoint(GET "/v2/auth/tokens/:id", area_scopes(PROFILE))]
async fn get_auth_token(cx: Context, Path(at): Path<TokenPath>) -> Result<Reply<Envelope<AccessToken>>> {
    Ok(Envelope::one(&cx, AccessToken::of(find_token(&cx, &at).await?)))
}

/// Revokes a token of the caller's.
#[endpoint(DELETE "/v2/auth/tokens/:id", area_scopes(PROFILE))]
async fn revoke_auth_token(cx: Context, Path(at): Path<TokenPath>) -> Result<NoContent> {
    let token = find_token(&cx, &at).await?;
    store::tokens::revoke(&cx.db, token.id, cx.now).await?;
    Ok(Reply::no_content())
}
