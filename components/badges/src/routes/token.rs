//! Tokens for a login and its password, and their renewal. The tokens are the platform's own.

use std::collections::BTreeSet;

use http::StatusCode;
use http::header::CACHE_CONTROL;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::login::{self, Member, Outcome};
use shared::auth::{self, NewToken, secrets};
use shared::clock::{DAY, HOUR};
use shared::ids::{AccountId, ClientId, UserId};
use shared::throttle::{self, Limit};
use shared::{Context, Db, Error, Form, JsonSchema, LimitKind, Reply, Result, Timestamp, config, endpoint, endpoints};

use crate::access::SCOPES;
use crate::model::error_format::TokenErrors;
use crate::store::tokens::{self, Client};

const LIFETIME: i64 = DAY;
/// A refresh token that nobody uses ends with this.
const REFRESH_LIFETIME: i64 = 30 * DAY;
const PURPOSE: &str = "Badges";
/// The number of times that a user's tokens are renewed: each is good for a day.
const RENEWALS: Limit = Limit { most: 60, seconds: HOUR };

endpoints![issue_badge_token];

#[derive(Deserialize, JsonSchema)]
struct TokenForm {
    /// `password` (the default) or `refresh_token`.
    grant_type: Option<String>,
    username: Option<String>,
    password: Option<String>,
    refresh_token: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    /// Badge scopes with spaces between them; all of them unless given.
    scope: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Token {
    access_token: String,
    token_type: &'static str,
    /// In seconds.
    expires_in: i64,
    refresh_token: String,
    /// With spaces between them.
    scope: String,
}

/// Whom a token is for.
struct Holder {
    user: UserId,
    tenant: AccountId,
}

/// The clients that may have a token for a password, as the operator has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PasswordGrant {
    /// Everybody, as clients of the hosted service are used to.
    Any,
    /// The client whose id and secret are shown.
    Client,
    /// Nobody.
    Off,
}

impl PasswordGrant {
    async fn configured() -> Result<Self> {
        const VARIABLE: &str = "badges_password_grant";
        match config::get(VARIABLE).await?.as_deref() {
            Some("client") => Ok(Self::Client),
            Some("off") => Ok(Self::Off),
            _ => Ok(Self::Any),
        }
    }
}

/// Gives a token for a login and its password, or for a refresh token.
#[endpoint(
    POST "/o/token",
    public,
    error_format(&TokenErrors),
    nobody(400, "it gives tokens out; it asks for a login"),
    throttled("wrong passwords, and tokens that one user renews"),
    answers(401, "The login, the password or the refresh token is none."),
    answers(403, "The login is that of an administrator, who gets no token for a password."),
)]
async fn issue_badge_token(cx: Context, body: Form<TokenForm>) -> Result<Reply<Token>> {
    if ["username", "password", "refresh_token", "client_secret"].iter().any(|name| cx.query_text(name).is_some()) {
        return Err(oauth_error(StatusCode::BAD_REQUEST, "invalid_request", "Credentials belong into the body."));
    }
    let grant = PasswordGrant::configured().await?;
    if grant == PasswordGrant::Off {
        let why = "Tokens are not given for passwords here: use the OAuth2 flow of /login/oauth2.";
        return Err(oauth_error(StatusCode::BAD_REQUEST, "unsupported_grant_type", why));
    }
    let form = body.decode()?;
    match form.grant_type.as_deref().unwrap_or("password") {
        "password" => by_password(&cx, form, grant).await,
        "refresh_token" => by_refresh_token(&cx, form).await,
        _ => Err(oauth_error(StatusCode::BAD_REQUEST, "unsupported_grant_type", "Use password or refresh_token.")),
    }
}

async fn by_password(cx: &Context, mut form: TokenForm, grant: PasswordGrant) -> Result<Reply<Token>> {
    let client = client(cx, &mut form, grant).await?;
    let allowed = client.as_ref().and_then(|client| client.scopes.as_ref()).map(|scopes| scopes.0.as_slice());
    let scopes = scopes(form.scope.as_deref(), allowed)?;
    let name = form.username.map(|name| name.trim().to_owned());
    let (name, password) = (required(name, "username")?, required(form.password, "password")?);
    let tenants = match &client {
        Some(client) => vec![client.root_account_id],
        None => login::tenants_of(&cx.db, &name).await?,
    };
    let holder = holder(cx, &tenants, &name, &password).await?;
    let key = client.map(|client| client.id);
    let token = cx.db.transaction(async |db| {
        require_no_administrator(db, holder.user).await?;
        give(cx, db, &holder, scopes, key).await
    });
    Ok(token_response(token.await?))
}

/// A parameter without which nothing is given: one that is empty is as good as left out.
fn required(parameter: Option<String>, name: &str) -> Result<String> {
    let missing =
        || oauth_error(StatusCode::BAD_REQUEST, "invalid_request", &format!("The parameter {name} is missing."));
    parameter.filter(|text| !text.is_empty()).ok_or_else(missing)
}

/// The client that asks, if one does.
async fn client(cx: &Context, form: &mut TokenForm, grant: PasswordGrant) -> Result<Option<Client>> {
    let invalid = |name: &str, why: &str| oauth_error(StatusCode::BAD_REQUEST, name, why);
    let given = |text: &mut Option<String>| text.take().filter(|text| !text.is_empty());
    let secret = given(&mut form.client_secret);
    let Some(id) = given(&mut form.client_id).filter(|id| id != "public") else {
        return match grant {
            PasswordGrant::Any => Ok(None),
            _ => Err(invalid("invalid client_id", "A registered client must ask.")),
        };
    };
    let client = tokens::client(&cx.db, &id).await?;
    let client = client.ok_or_else(|| invalid("invalid client_id", "There is no such client."))?;
    let is_right = secret.as_deref().map(|secret| secrets::same(&secrets::hash(secret), &client.secret_hash));
    // A client without its secret is named, so that the login is looked up where it belongs.
    if is_right.unwrap_or(grant == PasswordGrant::Any) {
        return Ok(Some(client));
    }
    Err(invalid("invalid client_secret", "It is not the secret of this client."))
}

/// Whose login and password these are, in whichever of the tenants has them.
async fn holder(cx: &Context, tenants: &[AccountId], name: &str, password: &str) -> Result<Holder> {
    match login::check_in(cx, tenants, name, password).await? {
        Outcome::User(Member { user, tenant }) => Ok(Holder { user, tenant }),
        Outcome::Wrong => {
            Err(oauth_error(StatusCode::UNAUTHORIZED, "invalid_grant", "The login or the password is wrong."))
        }
        // The limit is a rolling window; its length is the longest that anybody has to wait.
        Outcome::TooMany => Err(Error::throttled(LimitKind::LogIns, login::WINDOW)),
    }
}

/// Refuses logins that may do more than any badge is worth: a password alone must not open them to a client.
async fn require_no_administrator(db: &Db, user: UserId) -> Result<()> {
    if tokens::is_administrator(db, user).await? {
        let why = "Logins of administrators get no token for a password: make a personal token.";
        return Err(oauth_error(StatusCode::FORBIDDEN, "access_denied", why));
    }
    Ok(())
}

/// A refresh token is good once: what it gives brings a new one, and ends the token that came with it.
async fn by_refresh_token(cx: &Context, form: TokenForm) -> Result<Reply<Token>> {
    let hash = secrets::hash(required(form.refresh_token, "refresh_token")?);
    let token = cx.db.transaction(async |db| -> Result<Option<Token>> {
        let Some(used) = tokens::use_refresh_token(db, &hash, cx.now).await? else { return Ok(None) };
        require_no_administrator(db, used.user_id).await?;
        require_renewal(db, used.user_id, cx.now).await?;
        let key = tokens::revoke(db, used.access_token_id, cx.now).await?;
        let holder = Holder { user: used.user_id, tenant: used.root_account_id };
        let scopes = used.scopes.map_or_else(|| SCOPES.map(|(scope, _)| scope.to_owned()).to_vec(), |scopes| scopes.0);
        give(cx, db, &holder, scopes, key).await.map(Some)
    });
    let unknown = || oauth_error(StatusCode::UNAUTHORIZED, "invalid_grant", "The refresh token is not good any more.");
    token.await?.map(token_response).ok_or_else(unknown)
}

/// Each row stays for a while, whatever becomes of the token.
async fn require_renewal(db: &Db, user: UserId, now: Timestamp) -> Result<()> {
    let turn = throttle::take(db, &format!("badge-token-renewals/{user}"), RENEWALS, now).await?;
    turn.require(LimitKind::PersonalTokens)?;
    Ok(())
}

async fn give(cx: &Context, db: &Db, holder: &Holder, scopes: Vec<String>, client: Option<ClientId>) -> Result<Token> {
    let new = NewToken {
        purpose: Some(PURPOSE.to_owned()),
        developer_key: client,
        // Never without scopes: such a token could call the whole platform.
        scopes: Some(scopes.clone()),
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
        scopes: &scopes,
    };
    tokens::insert_refresh_token(db, &kept, cx.now, end).await?;
    let scope = scopes.join(" ");
    Ok(Token { access_token, token_type: "Bearer", expires_in: LIFETIME, refresh_token, scope })
}

fn token_response(token: Token) -> Reply<Token> {
    Reply::ok(token).header(CACHE_CONTROL, "no-store")
}

/// The badge scopes that are asked for, or else all that there are, as far as the client may have them.
fn scopes(asked: Option<&str>, allowed: Option<&[String]>) -> Result<Vec<String>> {
    let may_have = |scope: &str| {
        SCOPES.iter().any(|(own, _)| *own == scope)
            && allowed.is_none_or(|allowed| allowed.iter().any(|allowed| allowed == scope))
    };
    let asked: BTreeSet<_> = asked.unwrap_or_default().split_whitespace().collect();
    let scopes: Vec<_> = match asked.is_empty() {
        true => SCOPES.into_iter().map(|(scope, _)| scope).filter(|scope| may_have(scope)).map(str::to_owned).collect(),
        false if asked.iter().all(|scope| may_have(scope)) => asked.into_iter().map(str::to_owned).collect(),
        false => Vec::new(),
    };
    match scopes.is_empty() {
        true => Err(oauth_error(StatusCode::BAD_REQUEST, "invalid scope requested", "There is no such scope.")),
        false => Ok(scopes),
    }
}

fn oauth_error(status: StatusCode, error: &str, description: &str) -> Error {
    Error::own(status, json!({"error": error, "error_description": description}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_badge_scopes_and_no_others() {
        assert_eq!(scopes(None, None).unwrap(), SCOPES.map(|(scope, _)| scope));
        assert_eq!(scopes(Some(" "), None).unwrap(), SCOPES.map(|(scope, _)| scope));
        assert_eq!(scopes(Some("rw:issuer r:profile rw:issuer"), None).unwrap(), ["r:profile", "rw:issuer"]);
        for asked in ["rw:everything", "url:GET|/api/v1/courses", "r:profile url:GET|/v2/issuers"] {
            assert!(scopes(Some(asked), None).is_err(), "{asked}");
        }
        let allowed = ["r:profile".to_owned(), "url:GET|/api/v1/courses".to_owned()];
        assert_eq!(scopes(None, Some(&allowed)).unwrap(), ["r:profile"]);
        assert!(scopes(Some("rw:issuer"), Some(&allowed)).is_err());
        assert!(scopes(None, Some(&allowed[1..])).is_err());
    }
}
