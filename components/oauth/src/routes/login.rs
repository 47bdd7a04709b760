//! The page on which people log in to our own pages. See "Pages" in `docs/contract/oauth.md`.

mod markup;

use http::StatusCode;
use http::header::{LOCATION, SET_COOKIE};
use serde::Deserialize;
use serde_json::json;
use shared::auth::login::{self, Outcome};
use shared::auth::session;
use shared::session::{HOME_PATH, own_path, page_path};
use shared::signed_forms::SignedForms;
use shared::{Context, Form, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::routes::credentials::Refusal;

const FORMS: SignedForms = SignedForms { purpose: "login page" };

endpoints![get_login_page, start_page_session];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct LoginQuery {
    /// The path of the page to go on with; one of another host counts as none.
    return_to: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct LoginForm {
    login: String,
    password: String,
    /// As in the query of the page.
    return_to: String,
    authenticity_token: String,
}

/// Asks for login and password: a page.
#[endpoint(GET "/login", public, page, nobody(200, "a page for a person who logs in"))]
async fn get_login_page(cx: Context, query: Query<LoginQuery>) -> Result<Reply> {
    let return_to = query.decode()?.return_to;
    login_page(&cx, return_path(&return_to), "", None).await
}

/// Begins a session on our pages, and leads to the page that was asked for.
#[endpoint(
    POST "/login",
    public,
    page,
    nobody(400, "it takes the form of our own page"),
    throttled("wrong passwords"),
    answers(303, "The session has begun: its cookie is set."),
    answers(403, "The login or the password is wrong; the page asks again."),
)]
async fn start_page_session(cx: Context, form: Form<LoginForm>) -> Result<Reply> {
    let LoginForm { login, password, return_to, authenticity_token } = form.decode()?;
    let (login, return_to) = (login.trim(), return_path(&return_to));
    let again = async |refusal: Refusal| Ok(refusal.answer(login_page(&cx, return_to, login, Some(refusal)).await?));
    let Some(sent) = FORMS.verify(&cx, &json!(return_to), &authenticity_token).await? else {
        return again(Refusal::Stale).await;
    };
    if !sent.take(&cx.db, cx.now).await? {
        return again(Refusal::Repeated).await;
    }
    let tenants = login::tenants_of(&cx.db, login).await?;
    match login::check_in(&cx, &tenants, login, &password).await? {
        Outcome::User(member) => {
            let session = session::begin(&cx.db, member.user, cx.now).await?;
            let reply = Reply::empty(StatusCode::SEE_OTHER).header(LOCATION, &page_path(return_to).await?);
            Ok(reply.header(SET_COOKIE, &session.set_cookie().await?))
        }
        Outcome::Wrong => again(Refusal::Wrong).await,
        Outcome::TooMany => again(Refusal::TooMany).await,
    }
}

/// The path to go on with after the log-in.
fn return_path(asked: &str) -> &str {
    own_path(asked).unwrap_or(HOME_PATH)
}

async fn login_page(cx: &Context, return_to: &str, login: &str, refusal: Option<Refusal>) -> Result<Reply> {
    let authenticity_token = FORMS.issue(cx, &json!(return_to)).await?;
    let action = page_path("/login").await?;
    let page =
        markup::LoginPage { action: &action, return_to, authenticity_token: &authenticity_token, login, refusal };
    Ok(markup::login(cx, &page))
}
