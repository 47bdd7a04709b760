//! The page to which a client sends users to be allowed to act for them: they log in, and go back to the client with a
//! code. See `docs/contract/oauth.md`; RFC 6749, 4.1; RFC 7636.

pub(crate) mod pages;

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use serde::Deserialize;
use serde_json::json;
use shared::auth::login::{self, Outcome};
use shared::auth::secrets;
use shared::error::Kind;
use shared::ids::UserId;
use shared::signed_forms::SignedForms;
use shared::{Context, Error, Form, JsonSchema, OAuthErrors, Query, Reply, Result, endpoint, endpoints};

use crate::model::redirect::{self, OUT_OF_BAND};
use crate::routes::auth::pages::LoginPage;
use crate::routes::credentials::Refusal;
use crate::store::grants::NewCode;
use crate::store::keys::ClientKey;
use crate::{scopes, store};

/// The time for which a code may be changed for a token, in seconds.
const CODE_LIFETIME: i64 = 600;
const FORMS: SignedForms = SignedForms { purpose: "oauth2-login-page" };

endpoints![get_authorization_page, decide_authorization];

/// The question of a client.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Ask {
    /// The id of the developer key.
    client_id: String,
    /// `code`.
    response_type: String,
    /// One of the addresses that are registered for the client, or `urn:ietf:wg:oauth:2.0:oob`.
    redirect_uri: String,
    /// Comes back with the answer as it was sent.
    state: String,
    /// With spaces between; all that the client may unless given.
    scope: String,
    /// The hash of a verifier that is shown with the code (PKCE).
    code_challenge: String,
    /// `S256`.
    code_challenge_method: String,
    /// `none`: the answer is an error, because each log-in here asks for the password.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Decision {
    #[serde(flatten)]
    ask: Ask,
    #[serde(default)]
    login: String,
    #[serde(default)]
    password: String,
    /// `allow`, which is the default, or anything else to go back without a code.
    #[serde(default)]
    decision: String,
    #[serde(default)]
    authenticity_token: String,
}

impl Ask {
    /// The fields that the page sends along.
    pub(crate) fn fields(&self) -> [(&'static str, &str); 7] {
        [
            ("client_id", &self.client_id),
            ("response_type", &self.response_type),
            ("redirect_uri", &self.redirect_uri),
            ("state", &self.state),
            ("scope", &self.scope),
            ("code_challenge", &self.code_challenge),
            ("code_challenge_method", &self.code_challenge_method),
        ]
    }

    /// Leads the user back to the client.
    fn answer<'a>(&'a self, mut parameters: Vec<(&'a str, &'a str)>) -> Reply {
        if !self.state.is_empty() {
            parameters.push(("state", &self.state));
        }
        Reply::redirect(&redirect::with_parameters(&self.redirect_uri, &parameters))
    }
}

/// Shows the page on which a user allows a client to act for them.
#[endpoint(
    GET "/login/oauth2/auth",
    public,
    error_format(&OAuthErrors),
    nobody(401, "a page for a person who logs in; it asks for the client"),
    sends(&["text/html"]),
    answers(302, "The client is told of an error."),
)]
async fn get_authorization_page(cx: Context, body: Query<Ask>) -> Result<Reply> {
    let ask = body.decode()?;
    let client = match find_client(&cx, &ask).await {
        Ok(client) => client,
        Err(error) => return shown(&cx, error),
    };
    match login_page(&cx, &ask, &client, "", None).await {
        Ok(page) => Ok(page),
        Err(error) => sent(&cx, &ask, error),
    }
}

/// Takes the user's decision, and leads back to the client with a code or an error.
#[endpoint(
    POST "/login/oauth2/auth",
    public,
    error_format(&OAuthErrors),
    nobody(401, "a page for a person who logs in; it asks for the client"),
    throttled("wrong passwords"),
    sends(&["text/html"]),
    redirects(302),
    answers(403, "The login or the password is wrong; the page asks again."),
)]
async fn decide_authorization(cx: Context, body: Form<Decision>) -> Result<Reply> {
    let decision = body.decode()?;
    let client = match find_client(&cx, &decision.ask).await {
        Ok(client) => client,
        Err(error) => return shown(&cx, error),
    };
    match follow(&cx, &client, &decision).await {
        Ok(reply) => Ok(reply),
        Err(error) => sent(&cx, &decision.ask, error),
    }
}

/// The client, if the user may be sent back to where it says.
async fn find_client(cx: &Context, ask: &Ask) -> Result<ClientKey> {
    let unknown = || Error::oauth("invalid_client", "unknown client");
    let id = ask.client_id.parse().map_err(|_not_ours| unknown())?;
    let client = store::keys::of_client(&cx.db, id).await?.ok_or_else(unknown)?;
    let is_registered = client.redirect_uris.0.contains(&ask.redirect_uri);
    // Addresses may have been registered when others were allowed.
    if ask.redirect_uri == OUT_OF_BAND || (is_registered && redirect::source(&ask.redirect_uri).is_some()) {
        return Ok(client);
    }
    Err(Error::oauth("invalid_request", "redirect_uri does not match client settings"))
}

/// The scopes that the client would get; an error that the client is to be told of where it may not ask like that.
fn granted(ask: &Ask, client: &ClientKey) -> Result<Option<Vec<String>>> {
    if ask.response_type != "code" {
        return Err(Error::oauth("unsupported_response_type", "Only response_type=code is permitted"));
    }
    let is_s256 = ask.code_challenge_method == "S256" && ask.code_challenge.len() == 43;
    if !ask.code_challenge.is_empty() && !is_s256 {
        return Err(Error::oauth("invalid_request", "code_challenge_method must be S256"));
    }
    if ask.code_challenge.is_empty() && redirect::is_of_public_client(&ask.redirect_uri) {
        return Err(Error::oauth(
            "invalid_request",
            "code_challenge is required of a client on the user's own machine",
        ));
    }
    let scopes = scopes::granted(&ask.scope, client.scopes.as_ref().map(|scopes| scopes.0.clone()))?;
    if ask.prompt == "none" {
        return Err(Error::oauth("login_required", "prompt=none but there is no current session"));
    }
    Ok(scopes)
}

async fn follow(cx: &Context, client: &ClientKey, decision: &Decision) -> Result<Reply> {
    let Decision { ask, login, password, .. } = decision;
    let scopes = granted(ask, client)?;
    let again = async |refusal: Refusal| Ok(refusal.answer(login_page(cx, ask, client, login, Some(refusal)).await?));
    let Some(sent) = FORMS.verify(cx, &json!(ask.fields()), &decision.authenticity_token).await? else {
        return again(Refusal::Stale).await;
    };
    if !matches!(decision.decision.as_str(), "" | "allow") {
        return Err(Error::oauth("access_denied", "The resource owner or authorization server denied the request."));
    }
    if !sent.take(&cx.db, cx.now).await? {
        return again(Refusal::Repeated).await;
    }
    match login::check(cx, client.root_account_id, login.trim(), password).await? {
        Outcome::User(user) => give_code(cx, ask, client, user, scopes).await,
        Outcome::Wrong => again(Refusal::Wrong).await,
        Outcome::TooMany => again(Refusal::TooMany).await,
    }
}

async fn give_code(
    cx: &Context,
    ask: &Ask,
    client: &ClientKey,
    user: UserId,
    scopes: Option<Vec<String>>,
) -> Result<Reply> {
    let code = secrets::generate();
    let new = NewCode {
        key: client.id,
        user,
        hash: &secrets::hash(&code),
        redirect_uri: &ask.redirect_uri,
        challenge: Some(ask.code_challenge.as_str()).filter(|challenge| !challenge.is_empty()),
        scopes,
        expires_at: cx.now.plus_seconds(CODE_LIFETIME),
    };
    store::grants::insert_code(&cx.db, new).await?;
    Ok(match ask.redirect_uri.as_str() {
        OUT_OF_BAND => pages::code(cx, &client.name, &code),
        _ => ask.answer(vec![("code", &code)]),
    })
}

async fn login_page(
    cx: &Context,
    ask: &Ask,
    client: &ClientKey,
    login: &str,
    refusal: Option<Refusal>,
) -> Result<Reply> {
    let scopes = granted(ask, client)?;
    let authenticity_token = FORMS.issue(cx, &json!(ask.fields())).await?;
    let page = LoginPage {
        client: &client.name,
        scopes: scopes.as_deref(),
        hidden: &ask.fields(),
        authenticity_token: &authenticity_token,
        login,
        refusal,
    };
    Ok(pages::login(cx, &page, redirect::source(&ask.redirect_uri).as_deref()))
}

/// Shows an error to the user: there is nowhere to send them.
fn shown(cx: &Context, error: Error) -> Result<Reply> {
    let Kind::OAuth { error: name, description } = error.kind() else {
        return Err(error);
    };
    let page = pages::error_page(cx, description);
    Ok(match *name {
        "invalid_client" => page.with_status(StatusCode::UNAUTHORIZED).header(WWW_AUTHENTICATE, "Canvas OAuth 2.0"),
        _ => page.with_status(StatusCode::BAD_REQUEST),
    })
}

/// Sends the user back to the client with an error.
fn sent(cx: &Context, ask: &Ask, error: Error) -> Result<Reply> {
    let Kind::OAuth { error: name, description } = error.kind() else {
        return Err(error);
    };
    Ok(match ask.redirect_uri.as_str() {
        OUT_OF_BAND => pages::error_page(cx, description).with_status(StatusCode::BAD_REQUEST),
        _ => ask.answer(vec![("error", name), ("error_description", description)]),
    })
}
