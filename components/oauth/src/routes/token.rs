//! The token endpoint: a client shows what it was given, and gets a token for it. See
//! `docs/contract/oauth.md`; RFC 6749.

pub(crate) mod client;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::{self, NewToken, secrets};
use shared::db::Json;
use shared::ids::UserId;
use shared::{Context, Db, Error, Form, JsonSchema, OAuthErrors, Reply, Result, endpoint, endpoints};

use crate::routes::token::client::{Client, Credentials};
use crate::scopes::{self, USER_INFO};
use crate::store;
use crate::store::grants::Grant;

/// The time for which a token lasts that a client got, in seconds.
const LIFETIME: i64 = 3600;

endpoints![issue_token, delete_own_token];

/// The client may send its id and secret by HTTP Basic instead.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TokenForm {
    /// `client_credentials`, `authorization_code` or `refresh_token`; with a code the second is understood.
    grant_type: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    code: Option<String>,
    /// The address to which the code was sent.
    redirect_uri: Option<String>,
    /// The verifier from which the code challenge was made (PKCE).
    code_verifier: Option<String>,
    refresh_token: Option<String>,
    /// The scopes that the token shall be able to call, with spaces between; all that the client may unless given.
    scope: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct TokenReply {
    /// Null where the client may know who the user is and nothing more.
    access_token: Option<String>,
    token_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<TokenUser>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canvas_region: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Seconds.
    expires_in: i64,
    /// With spaces between; empty: everything. Answered to a client that acts for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct TokenUser {
    id: UserId,
    name: String,
    global_id: String,
    effective_locale: String,
    fake_student: bool,
}

#[derive(Serialize, JsonSchema)]
struct Nothing {}

/// Gives a token for a client's credentials, a code, or a refresh token.
#[endpoint(
    POST "/login/oauth2/token",
    public,
    error_format(&OAuthErrors),
    nobody(400, "it gives tokens out; it asks for the grant"),
    throttled("wrong secrets of a client"),
    answers(401, "There is no such client, or the secret is not its own."),
)]
async fn issue_token(cx: Context, body: Form<TokenForm>) -> Result<Reply<TokenReply>> {
    let mut form = body.decode()?;
    let understood = if form.code.is_some() { "authorization_code" } else { "" };
    let grant_type = form.grant_type.take().unwrap_or_else(|| understood.to_owned());
    if !["client_credentials", "authorization_code", "refresh_token"].contains(&grant_type.as_str()) {
        return Err(Error::oauth("unsupported_grant_type", "The grant_type you requested is not supported"));
    }
    let credentials = Credentials::shown(&cx, form.client_id.take(), form.client_secret.take())?;
    let limit = credentials.require_few_failures(&cx).await?;
    let answer = async {
        let client = credentials.client(&cx).await?;
        match grant_type.as_str() {
            "client_credentials" => client_credentials(&cx, client, form).await,
            "authorization_code" => authorization_code(&cx, client, form).await,
            _ => refresh_token(&cx, client, form).await,
        }
    };
    Ok(Reply::ok(limit.count(&cx, answer.await).await?))
}

/// Revokes the token of the call.
#[endpoint(
    DELETE "/login/oauth2/token",
    token_optional,
    unscoped,
    nobody(400, "the reference system answers so"),
)]
async fn delete_own_token(cx: Context) -> Result<Reply<Nothing>> {
    let Some(caller) = cx.known_caller() else {
        let message = "can't delete OAuth access token when not using an OAuth access token";
        return Err(Error::own(StatusCode::BAD_REQUEST, json!({ "message": message })));
    };
    store::grants::revoke(&cx.db, caller.require_token()?, cx.now).await?;
    Ok(Reply::ok(Nothing {}))
}

async fn client_credentials(cx: &Context, client: Client, form: TokenForm) -> Result<TokenReply> {
    let Some(user) = client.user else {
        return Err(Error::oauth("unauthorized_client", "the client acts for users who allow it, only"));
    };
    let scopes = scopes::granted(&form.scope.unwrap_or_default(), client.scopes)?;
    let scope = scopes.as_ref().map(|scopes| scopes.join(" ")).unwrap_or_default();
    let expires_at = Some(cx.now.plus_seconds(LIFETIME));
    let token = NewToken { developer_key: client.key, scopes, expires_at, ..NewToken::default() };
    let (_, token) = auth::issue(&cx.db, cx.now, user, client.root_account, token).await?;
    Ok(TokenReply { scope: Some(scope), ..reply(Some(token)) })
}

async fn authorization_code(cx: &Context, client: Client, form: TokenForm) -> Result<TokenReply> {
    let Some(code) = form.code.filter(|code| !code.is_empty()) else {
        let message = "You must provide the code parameter when using the authorization_code grant type";
        return Err(Error::oauth("invalid_request", message));
    };
    let code = secrets::hash(code);
    let redirect_uri = form.redirect_uri.unwrap_or_default();
    // The challenge is the verifier's hash, written as we write hashes: RFC 7636, 4.2.
    let challenge = form.code_verifier.map(secrets::hash);
    let reply = cx
        .db
        .transaction(async |db| {
            match store::grants::redeem(db, &code, client.key, &redirect_uri, challenge, cx.now).await? {
                Some(grant) => first_tokens(cx, db, &client, &code, grant).await.map(Some),
                None => Ok::<_, Error>(None),
            }
        })
        .await?;
    match reply {
        Some(reply) => Ok(reply),
        None => Err(why_not_redeemed(cx, &client, &code, &redirect_uri).await?),
    }
}

/// The worth of a code: a token, and the means to renew it.
async fn first_tokens(cx: &Context, db: &Db, client: &Client, code: &str, grant: Grant) -> Result<TokenReply> {
    if grant.scopes.as_ref().is_some_and(|scopes| scopes.0 == [USER_INFO]) {
        return Ok(TokenReply { user: Some(user(grant)), canvas_region: Some("unknown"), ..reply(None) });
    }
    let refresh_token = secrets::generate();
    let id = store::grants::insert_refresh_token(db, code, &secrets::hash(&refresh_token), cx.now).await?;
    let tokens = user_token(cx, db, client, id, grant).await?;
    Ok(TokenReply { refresh_token: Some(refresh_token), ..tokens })
}

/// A code that comes a second time may be a thief's: what the first use gave is taken back.
async fn why_not_redeemed(cx: &Context, client: &Client, code: &str, redirect_uri: &str) -> Result<Error> {
    let not_found = || Error::oauth("invalid_grant", "authorization_code not found");
    let Some(code) = store::grants::code(&cx.db, code).await? else {
        return Ok(not_found());
    };
    if code.used_at.is_some() {
        store::grants::revoke_refresh_token(&cx.db, code.refresh_token_id, cx.now).await?;
        return Ok(not_found());
    }
    if code.expires_at <= cx.now {
        return Ok(not_found());
    }
    if Some(code.developer_key_id) != client.key {
        return Ok(Error::oauth("invalid_grant", "incorrect client"));
    }
    if code.redirect_uri != redirect_uri {
        return Ok(Error::oauth("invalid_request", "redirect_uri does not match client settings"));
    }
    Ok(Error::oauth("invalid_grant", "code_verifier does not match the code_challenge"))
}

/// A new token in the place of those that the refresh token gave before.
async fn refresh_token(cx: &Context, client: Client, form: TokenForm) -> Result<TokenReply> {
    let Some(token) = form.refresh_token.filter(|token| !token.is_empty()) else {
        let message = "You must provide the refresh_token parameter when using the refresh_token grant type";
        return Err(Error::oauth("invalid_request", message));
    };
    let not_found = || Error::oauth("invalid_grant", "refresh_token not found");
    let asked = form.scope.unwrap_or_default();
    let transaction = cx.db.transaction(async |db| {
        let token = store::grants::use_refresh_token(db, &secrets::hash(token), cx.now).await?.ok_or_else(not_found)?;
        if Some(token.developer_key_id) != client.key {
            return Err(Error::oauth("invalid_grant", "incorrect client"));
        }
        let scopes = scopes::granted(&asked, token.scopes.map(|scopes| scopes.0))?;
        let grant = Grant { user_id: token.user_id, name: token.name, locale: token.locale, scopes: scopes.map(Json) };
        store::grants::revoke_tokens_of(db, token.id, cx.now).await?;
        user_token(cx, db, &client, token.id, grant).await
    });
    transaction.await
}

/// A token of the user who allowed it.
async fn user_token(cx: &Context, db: &Db, client: &Client, refresh_token: i64, grant: Grant) -> Result<TokenReply> {
    let token = NewToken {
        developer_key: client.key,
        refresh_token: Some(refresh_token),
        scopes: grant.scopes.as_ref().map(|scopes| scopes.0.clone()),
        expires_at: Some(cx.now.plus_seconds(LIFETIME)),
        purpose: None,
    };
    let (_, token) = auth::issue(db, cx.now, grant.user_id, client.root_account, token).await?;
    Ok(TokenReply { user: Some(user(grant)), canvas_region: Some("unknown"), ..reply(Some(token)) })
}

fn reply(access_token: Option<String>) -> TokenReply {
    TokenReply {
        access_token,
        token_type: "Bearer",
        user: None,
        canvas_region: None,
        refresh_token: None,
        expires_in: LIFETIME,
        scope: None,
    }
}

fn user(grant: Grant) -> TokenUser {
    TokenUser {
        id: grant.user_id,
        name: grant.name,
        // The reference system keeps its data in parts, of which ours would be the first.
        global_id: format!("1{:013}", grant.user_id.0),
        effective_locale: grant.locale.unwrap_or_else(|| "en".to_owned()),
        fake_student: false,
    }
}
