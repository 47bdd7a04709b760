//! Tokens of a user: those that users make for themselves, and those that their clients hold.

use serde::Deserialize;
use shared::auth::audit::{self, Event, EventType};
use shared::auth::{self, NewToken, UserAccess};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AccountId, ClientId, UserId};
use shared::needs::{NeededUser, may};
use shared::notify::{News, Notifier, Recipients};
use shared::params;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::throttle::{self, Limit};
use shared::{
    Context, Db, Error, Form, JsonSchema, LimitKind, Patch, Path, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::model::tokens::Token;
use crate::store::tokens::{MAX_TOKENS, Own, TokenNamed, TokensOfUser};
use crate::{scopes, store};

const MAX_PURPOSE_CHARS: usize = 255;
/// So many characters of a token, its last, tell it from others without giving it away.
const HINT: usize = 5;
/// The number of tokens that are made for a user within an hour.
const CREATIONS: Limit = Limit { most: 60, seconds: 3600 };

endpoints![
    list_personal_tokens,
    get_personal_token,
    create_personal_token,
    update_personal_token,
    delete_personal_token
];

#[derive(Deserialize, JsonSchema)]
struct TokenPath {
    /// The token's id or hint.
    #[serde(rename = "id")]
    _id: String,
}

#[derive(Deserialize, JsonSchema)]
struct TokenForms {
    #[serde(default)]
    token: AccessTokenForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct AccessTokenForm {
    /// Required of a new token.
    purpose: Option<String>,
    expires_at: Patch<Timestamp>,
    /// Taken when the token is made, and ignored later.
    scopes: Option<Vec<String>>,
    /// Taken when the token is made, and ignored later.
    developer_key_id: Patch<ClientId>,
    /// Makes a new token in the place of this one, which is revoked.
    regenerate: Patch<bool>,
}

/// Lists the tokens of a user.
#[endpoint(GET "/api/v1/users/:user_id/tokens")]
async fn list_personal_tokens(
    cx: Context,
    _user: NeededUser<may::ActFor>,
    tokens: PrefetchedList<TokensOfUser>,
) -> Result<Reply<Vec<Token>>> {
    Ok(Reply::page(tokens.page(&cx.page().await?)?))
}

/// Reads what is known of a token, by its id or hint.
#[endpoint(GET "/api/v1/users/:user_id/tokens/:id")]
async fn get_personal_token(
    _: Context,
    _: Path<TokenPath>,
    _user: NeededUser<may::ActFor>,
    named: Prefetched<TokenNamed>,
) -> Result<Reply<Token>> {
    Ok(Reply::ok(named.record()?.token.0))
}

/// Makes a personal token, and shows it this once.
#[endpoint(POST "/api/v1/users/:user_id/tokens", throttled("personal tokens of one user"))]
async fn create_personal_token(
    cx: Context,
    user: NeededUser<may::ActFor>,
    own: Prefetched<Own>,
    body: Form<TokenForms>,
) -> Result<Reply<Token>> {
    let form = body.decode()?.token;
    let purpose = validated(form.purpose.unwrap_or_default())?;
    let asked = scopes::limited(form.scopes.unwrap_or_default());
    scopes::require_askable(asked.as_deref().unwrap_or_default())?;
    let developer_key = form.developer_key_id.into_option();
    let scopes = match developer_key {
        Some(key) => scopes_of_key(&cx.db, user.root_account, key, asked).await?,
        None => asked,
    };
    let expires_at = form.expires_at.into_option();
    cx.caller()?.require_token()?;
    let own = own.record()?;
    own.require_scopes_within(scopes.as_deref())?;
    own.require_end_within(expires_at)?;
    let token = NewToken { developer_key, purpose: Some(purpose), scopes, expires_at, refresh_token: None };
    Ok(Reply::ok(issue(&cx, &cx.db, &user, &own, (token, MAX_TOKENS)).await?))
}

/// Changes a personal token, or makes it anew.
#[endpoint(PUT "/api/v1/users/:user_id/tokens/:id", throttled("personal tokens of one user that are made anew"))]
async fn update_personal_token(
    cx: Context,
    _: Path<TokenPath>,
    user: NeededUser<may::ActFor>,
    named: Prefetched<TokenNamed>,
    body: Form<TokenForms>,
) -> Result<Reply<Token>> {
    let TokenNamed { token: Json(token), own } = named.record()?;
    if !token.can_manually_regenerate {
        return Err(Error::bad_request("only personal tokens can be changed"));
    }
    let form = body.decode()?.token;
    let purpose = form.purpose.map(validated).transpose()?;
    cx.caller()?.require_token()?;
    let Json(own) = own.or_not_found()?;
    if form.regenerate.unwrap_or(false) {
        return Ok(Reply::ok(regenerate(&cx, &user, &own, token, purpose, form.expires_at).await?));
    }
    // A later end of a token is given to whoever holds it.
    own.require_scopes_within(scopes::limited(token.scopes.0).as_deref())?;
    if form.expires_at.is_present() {
        own.require_end_within(form.expires_at.into_option())?;
    }
    let had_ended = token.expires_at.is_some_and(|end| end <= cx.now);
    match store::tokens::update(&cx.db, token.id, purpose.as_deref(), form.expires_at, cx.now).await? {
        None if had_ended => Err(too_many()),
        changed => Ok(Reply::ok(changed.or_not_found()?)),
    }
}

/// Revokes a token.
#[endpoint(DELETE "/api/v1/users/:user_id/tokens/:id")]
async fn delete_personal_token(
    cx: Context,
    _: Path<TokenPath>,
    _user: NeededUser<may::ActFor>,
    named: Prefetched<TokenNamed>,
) -> Result<Reply<Token>> {
    let Json(token) = named.record()?.token;
    store::grants::revoke(&cx.db, token.id, cx.now).await?;
    Ok(Reply::ok(Token { workflow_state: "deleted".to_owned(), ..token }))
}

fn validated(purpose: String) -> Result<String> {
    if purpose.trim().is_empty() {
        return Err(Error::invalid("purpose", "blank", "can't be blank"));
    }
    params::not_too_long("purpose", &purpose, MAX_PURPOSE_CHARS)?;
    Ok(purpose)
}

/// A key's token may call what the key may, or less.
async fn scopes_of_key(
    db: &Db,
    tenant: AccountId,
    key: ClientId,
    asked: Option<Vec<String>>,
) -> Result<Option<Vec<String>>> {
    let allowed = store::tokens::key_scopes(db, tenant, key).await?.or_not_found()?.scopes.map(|scopes| scopes.0);
    let scopes = asked.or_else(|| allowed.clone());
    match scopes::within(scopes.as_deref(), allowed.as_deref()) {
        true => Ok(scopes),
        false => Err(Error::invalid("scopes", "invalid", "requested scopes must match scopes on developer key")),
    }
}

/// Makes a token, which is told of as the caller's doing and ends with the client that calls, if one does.
/// 400 where the user has more than so many then.
async fn issue(cx: &Context, db: &Db, user: &UserAccess, own: &Own, (token, most): (NewToken, i64)) -> Result<Token> {
    let caller = cx.caller()?;
    let notifier = Notifier::of(cx).await?.also_to_actors();
    db.transaction(async |db| {
        take_turn(db, user.id, cx.now).await?;
        let (id, text) = auth::issue(db, cx.now, user.id, user.root_account, token).await?;
        let hint = text.get(text.len().saturating_sub(HINT)..).unwrap_or_default();
        let event = Event::of(EventType::TokenCreated, user.root_account, Some(user.id)).by(caller);
        let token =
            store::tokens::mark(db, id, hint, event.real_user, own, (most, cx.now)).await?.ok_or_else(too_many)?;
        audit::record(db, cx, Event { token: Some(id), ..event }).await?;
        tell(db, &notifier, user.id, &token).await?;
        Ok(Token { visible_token: Some(text), ..token })
    })
    .await
}

/// Each row stays for a while, whatever becomes of the token.
async fn take_turn(db: &Db, user: UserId, now: Timestamp) -> Result<()> {
    let turn = throttle::take(db, &format!("personal-tokens/{user}"), CREATIONS, now).await?;
    turn.require(LimitKind::PersonalTokens)?;
    Ok(())
}

fn too_many() -> Error {
    let message = format!("A user has {MAX_TOKENS} tokens at most: delete one that is not needed any more");
    Error::invalid("base", "too_many", message)
}

/// Tells the user, also of what the user has done: somebody else may have the user's token.
async fn tell(db: &Db, notifier: &Notifier, user: UserId, token: &Token) -> Result<()> {
    let purpose = token.purpose.as_deref().unwrap_or_default();
    let news = News {
        name: "manually_created_access_token_created",
        recipients: Recipients::Users(&[user]),
        subject: "A token for your account was made",
        body: &format!("A token for your account was made: {purpose}. If you know nothing of it, delete it."),
        path: "/profile/settings",
        asset: None,
    };
    Ok(notifier.tell(db, news).await?)
}

/// A token that is given anew can be used: so it must not be stronger than the token of the call.
async fn regenerate(
    cx: &Context,
    user: &UserAccess,
    own: &Own,
    old: Token,
    purpose: Option<String>,
    expires_at: Patch<Timestamp>,
) -> Result<Token> {
    let scopes = scopes::limited(old.scopes.0);
    let expires_at = expires_at.over(old.expires_at);
    own.require_scopes_within(scopes.as_deref())?;
    own.require_end_within(expires_at)?;
    let token = NewToken {
        developer_key: old.developer_key_id,
        purpose: purpose.or(old.purpose),
        scopes,
        expires_at,
        refresh_token: None,
    };
    let transaction = cx.db.transaction(async |db| {
        // Of two who do this at once, one finds the token gone.
        store::tokens::token(db, user.id, cx.now, &old.id.to_string()).await?.or_not_found()?;
        store::grants::revoke(db, old.id, cx.now).await?;
        // There is one for another: also for who has more than a user may have by now.
        issue(cx, db, user, own, (token, i64::MAX)).await
    });
    transaction.await
}
