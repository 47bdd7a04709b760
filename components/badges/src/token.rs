//! Tokens for a login and its password, and their renewal. The tokens are the platform's own.

use http::StatusCode;
use http::header::CACHE_CONTROL;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::login::{self, Outcome};
use shared::auth::{self, NewToken, secrets};
use shared::ids::{AccountId, UserId};
use shared::{Body, Context, Db, Endpoint, Envelope, Error, Reply, Result, post};

use crate::access::{BACKPACK, ISSUER, READ_BACKPACK, READ_ISSUER, READ_PROFILE};
use crate::entity::NoPath;
use crate::paging::given;
use crate::store::tokens;

const LIFETIME: i64 = 86_400;
/// A refresh token that nobody uses ends with this.
const REFRESH_LIFETIME: i64 = 30 * 86_400;
const PURPOSE: &str = "Badges";

pub(crate) fn endpoints() -> [Endpoint; 1] {
    [post("/o/token", create)
        .public()
        .envelope(Envelope::OAuth)
        .about("Gives a token for a login and its password, or for a refresh token")]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct TokenForm {
    /// `password` (the default) or `refresh_token`.
    grant_type: Option<String>,
    username: Option<String>,
    password: Option<String>,
    refresh_token: Option<String>,
    client_id: Option<String>,
    /// Badge scopes with spaces between them; without any the token may do what its user may.
    scope: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Token {
    access_token: String,
    token_type: &'static str,
    /// In seconds.
    expires_in: i64,
    refresh_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

/// Whom a token is for.
struct Holder {
    user: UserId,
    tenant: AccountId,
}

async fn create(cx: Context, _: NoPath, body: Body<TokenForm>) -> Result<Reply<Token>> {
    if ["username", "password", "refresh_token", "client_secret"].iter().any(|name| given(&cx, name).is_some()) {
        return Err(refused(StatusCode::BAD_REQUEST, "invalid_request", "Credentials belong into the body."));
    }
    let form = body.decode()?;
    match form.grant_type.as_deref().unwrap_or("password") {
        "password" => by_password(&cx, form).await,
        "refresh_token" => by_refresh_token(&cx, form).await,
        _ => Err(refused(StatusCode::BAD_REQUEST, "unsupported_grant_type", "Use password or refresh_token.")),
    }
}

async fn by_password(cx: &Context, form: TokenForm) -> Result<Reply<Token>> {
    let scopes = scopes(form.scope.as_deref())?;
    let name = form.username.unwrap_or_default();
    let (name, password) = (name.trim(), form.password.unwrap_or_default());
    let tenants = match form.client_id.filter(|id| !id.is_empty() && id != "public") {
        Some(id) => {
            let tenant = tokens::tenant_of_client(&cx.db, &id).await?;
            vec![
                tenant
                    .ok_or_else(|| refused(StatusCode::BAD_REQUEST, "invalid client_id", "There is no such client."))?,
            ]
        }
        None => tokens::tenants_of_login(&cx.db, name).await?,
    };
    let mut outcome = Outcome::Wrong;
    for tenant in tenants {
        outcome = login::check(cx, tenant, name, &password).await?;
        if let Outcome::User(user) = outcome {
            let holder = Holder { user, tenant };
            let token = cx.db.transaction(async |db| give(cx, db, &holder, scopes).await).await?;
            return Ok(answered(token));
        }
    }
    match outcome {
        Outcome::TooMany => Err(too_many()),
        _ => Err(refused(StatusCode::UNAUTHORIZED, "invalid_grant", "The login or the password is wrong.")),
    }
}

/// A refresh token is good once: what it gives brings a new one, and ends the token that came with it.
async fn by_refresh_token(cx: &Context, form: TokenForm) -> Result<Reply<Token>> {
    let hash = secrets::hash(form.refresh_token.unwrap_or_default());
    let token = cx.db.transaction(async |db| -> Result<Option<Token>> {
        let Some(used) = tokens::use_refresh_token(db, &hash, cx.now).await? else { return Ok(None) };
        tokens::revoke(db, used.access_token_id, cx.now).await?;
        let holder = Holder { user: used.user_id, tenant: used.root_account_id };
        give(cx, db, &holder, used.scopes.map(|scopes| scopes.0)).await.map(Some)
    });
    let unknown = || refused(StatusCode::UNAUTHORIZED, "invalid_grant", "The refresh token is not good any more.");
    token.await?.map(answered).ok_or_else(unknown)
}

async fn give(cx: &Context, db: &Db, holder: &Holder, scopes: Option<Vec<String>>) -> Result<Token> {
    let new = NewToken {
        purpose: Some(PURPOSE.to_owned()),
        scopes: scopes.clone(),
        expires_at: Some(cx.now.plus_seconds(LIFETIME)),
        ..NewToken::default()
    };
    let (id, access_token) = auth::issue(db, cx.now, holder.user, holder.tenant, new).await?;
    let refresh_token = secrets::generate();
    let end = cx.now.plus_seconds(REFRESH_LIFETIME);
    let kept = tokens::NewRefreshToken {
        hash: &secrets::hash(&refresh_token),
        tenant: holder.tenant,
        user: holder.user,
        access_token: id,
        scopes: scopes.as_deref(),
    };
    tokens::insert_refresh_token(db, &kept, cx.now, end).await?;
    let scope = scopes.map(|scopes| scopes.join(" "));
    Ok(Token { access_token, token_type: "Bearer", expires_in: LIFETIME, refresh_token, scope })
}

fn answered(token: Token) -> Reply<Token> {
    Reply::ok(token).header(CACHE_CONTROL, "no-store")
}

/// The badge scopes that are asked for; nothing is no limit.
fn scopes(asked: Option<&str>) -> Result<Option<Vec<String>>> {
    let known = [READ_ISSUER, ISSUER, READ_BACKPACK, BACKPACK, READ_PROFILE].concat();
    let asked: Vec<_> = asked.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    match asked.iter().all(|scope| known.contains(&scope.as_str())) {
        true => Ok(Some(asked).filter(|asked| !asked.is_empty())),
        false => Err(refused(StatusCode::BAD_REQUEST, "invalid scope requested", "There is no such scope.")),
    }
}

fn refused(status: StatusCode, error: &str, description: &str) -> Error {
    Error::own(status, json!({"error": error, "error_description": description}))
}

/// The limit is a rolling window; its length is the longest that anybody has to wait.
fn too_many() -> Error {
    let body = json!({
        "error": "too many login attempts",
        "error_description": "There were too many wrong passwords for this login. Please wait.",
        "expires": login::WINDOW,
    });
    Error::own(StatusCode::TOO_MANY_REQUESTS, body)
}
