//! Sessions on our pages: the cookie that a log-in sets, and the tokens by which forms show that a page of ours sent them.
//!
//! Only endpoints that are declared for who is signed in look at the cookie, and those of the API that are declared for the scripts
//! of our pages, beside the token of such a page: so no other site can call them by somebody's browser. See "Pages for who is
//! signed in" in `docs/SECURITY.md`.

use http::header::{COOKIE, LOCATION};
use http::{Method, StatusCode, Uri};
use texts::{Language, page};
use types::clock::Timestamp;
use types::ids::{TokenId, UserId};
use uuid::Uuid;

pub use crate::caller::SignedIn;
use crate::context::{Context, configured_base_url};
use crate::error::{Error, Explanation, Result};
use crate::params::Params;
use crate::reply::{Reply, UntypedReply};
use crate::secrets;

/// The purposes of the signatures: neither is good for the other.
const COOKIE_PURPOSE: &str = "page session";
const FORM_PURPOSE: &str = "form of a page session";
/// The parameter in which a form shows that a page of ours sent it.
pub const FORM_TOKEN: &str = "authenticity_token";
/// The header in which the script of a page shows the same. No other site can send it: a browser asks the service first, which
/// does not allow it to any origin.
const SCRIPT_TOKEN: &str = "x-csrf-token";
/// The parameter of a signed link. Whoever shows one is not asked who calls.
pub const TICKET: &str = "ticket";
/// The page on which people log in.
pub const LOGIN_PATH: &str = "/login";
/// The page that they see then, unless they came from another.
pub const HOME_PATH: &str = "/home";
/// More than any address of a page of ours has.
const MAX_PATH_BYTES: usize = 2000;

/// A session as the cookie names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSession {
    /// Its row among the tokens.
    pub id: TokenId,
    /// Its user.
    pub user: UserId,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
}

/// The part of the service's address that decides about cookies and links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Site {
    is_secure: bool,
    prefix: String,
}

impl Site {
    async fn configured() -> Result<Self> {
        Ok(configured_base_url().await?.as_deref().map(Self::of).unwrap_or_default())
    }

    fn of(base_url: &str) -> Self {
        let Ok(address) = base_url.parse::<Uri>() else { return Self::default() };
        let is_secure = address.scheme_str() == Some("https");
        Self { is_secure, prefix: address.path().trim_end_matches('/').to_owned() }
    }

    /// Browsers let nobody but this host set a cookie whose name begins so.
    fn cookie_name(&self) -> &'static str {
        match (self.is_secure, self.prefix.is_empty()) {
            (true, true) => "__Host-lectern",
            (true, false) => "__Secure-lectern",
            (false, _) => "lectern",
        }
    }

    /// The header that sets the cookie; an empty value takes it away. It goes when the browser is closed.
    fn set_cookie(&self, value: &str) -> String {
        let Self { is_secure, prefix } = self;
        let secure = if *is_secure { "; Secure" } else { "" };
        let ended = if value.is_empty() { "; Max-Age=0" } else { "" };
        format!("{}={value}; Path={prefix}/; HttpOnly; SameSite=Lax{secure}{ended}", self.cookie_name())
    }
}

/// The path of a page as browsers call it.
pub async fn page_path(path: &str) -> Result<String> {
    Ok(format!("{}{path}", Site::configured().await?.prefix))
}

/// Leads a browser that has sent a form to a page of ours.
pub async fn see(path: &str) -> Result<Reply> {
    Ok(Reply::redirect(&page_path(path).await?).with_status(StatusCode::SEE_OTHER))
}

/// The path and query that a browser may be led to after a log-in: one of ours, and no address of somebody else's.
pub fn own_path(text: &str) -> Option<&str> {
    let is_path = text.starts_with('/') && !text.starts_with("//");
    // Browsers read a backslash as a slash, and leave out what is no letter.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_path && is_plain && text.len() <= MAX_PATH_BYTES).then_some(text)
}

impl PageSession {
    /// The session that the cookie of a request names, if it is one of ours and its time is not over.
    pub(crate) async fn of_request(cx: &Context) -> Result<Option<Self>> {
        let name = Site::configured().await?.cookie_name();
        let headers = cx.parts().headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
        let cookies = headers.flat_map(|header| header.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        for (_, value) in cookies.filter(|(named, _)| *named == name) {
            if let Some(session) = Self::read(value).await?
                && cx.now < session.expires_at
            {
                return Ok(Some(session));
            }
        }
        Ok(None)
    }

    /// The session of the page whose script sends the request; none where it does not show the token of such a page.
    pub(crate) async fn of_script(cx: &Context) -> Result<Option<Self>> {
        let Some(token) = cx.header(SCRIPT_TOKEN) else { return Ok(None) };
        let Some(session) = Self::of_request(cx).await? else { return Ok(None) };
        Ok(is_of_own_page(cx, session.id, token).await?.then_some(session))
    }

    async fn read(value: &str) -> Result<Option<Self>> {
        let Some((content, signature)) = value.rsplit_once('.') else { return Ok(None) };
        let is_ours = secrets::verify(COOKIE_PURPOSE, content, signature).await?;
        Ok(if is_ours { Self::of_content(content) } else { None })
    }

    fn of_content(content: &str) -> Option<Self> {
        let mut parts = content.splitn(3, '.');
        let (id, user, end) = (parts.next()?, parts.next()?, parts.next()?);
        let expires_at = Timestamp::from_unix(end.parse().ok()?)?;
        Some(Self { id: TokenId(id.parse().ok()?), user: UserId(user.parse().ok()?), expires_at })
    }

    fn content(&self) -> String {
        format!("{}.{}.{}", self.id, self.user, self.expires_at.unix())
    }

    /// The header `Set-Cookie` that begins the session in a browser.
    pub async fn set_cookie(&self) -> Result<String> {
        let content = self.content();
        let signature = secrets::sign(COOKIE_PURPOSE, &content).await?;
        Ok(Site::configured().await?.set_cookie(&format!("{content}.{signature}")))
    }

    /// The header `Set-Cookie` that ends whatever session a browser has.
    pub async fn unset_cookie() -> Result<String> {
        Ok(Site::configured().await?.set_cookie(""))
    }
}

/// Who is signed in with that session, with a token for the forms of one page.
pub(crate) async fn signed_in_with(session: TokenId, name: &str) -> Result<SignedIn> {
    let nonce = Uuid::new_v4().simple().to_string();
    let signature = secrets::sign(FORM_PURPOSE, &form_content(session, &nonce)).await?;
    Ok(SignedIn {
        session,
        name: name.to_owned(),
        form_token: format!("{nonce}.{signature}"),
        prefix: Site::configured().await?.prefix,
    })
}

/// Bound to the session, and another text each time, so that its length under compression tells nothing.
fn form_content(session: TokenId, nonce: &str) -> String {
    format!("{session}.{nonce}")
}

/// Refuses a form that no page of this session has sent.
pub(crate) async fn require_own_form(cx: &Context, session: TokenId, params: &Params) -> Result<()> {
    let token = params.get(FORM_TOKEN).and_then(|token| token.as_str()).unwrap_or_default();
    if is_of_own_page(cx, session, token).await? { Ok(()) } else { Err(foreign_form()) }
}

/// True if a page of this session has sent the request, by the token that it shows.
async fn is_of_own_page(cx: &Context, session: TokenId, token: &str) -> Result<bool> {
    if cx.header("sec-fetch-site").is_some_and(|site| site != "same-origin") {
        return Ok(false);
    }
    let Some((nonce, signature)) = token.split_once('.') else { return Ok(false) };
    secrets::verify(FORM_PURPOSE, &form_content(session, nonce), signature).await
}

fn foreign_form() -> Error {
    let words = page::FOREIGN_FORM;
    let explanation = Explanation { title: page::DID_NOT_WORK, words, way_on: None };
    Error::bad_request(words.get(Language::English)).explained(explanation)
}

/// True if what is asked for is shown with a signed link's ticket.
pub(crate) fn has_ticket(params: &Params) -> bool {
    params.get(TICKET).is_some_and(|ticket| ticket.as_str() != Some(""))
}

/// Leads a browser to the log-in, and from there back to the page that it asked for. A form that was sent is lost: it was made
/// for a session that has ended.
pub(crate) async fn login_first(cx: &Context) -> Result<UntypedReply> {
    let mut login = page_path(LOGIN_PATH).await?;
    if [Method::GET, Method::HEAD].contains(&cx.parts().method) {
        let asked = match cx.query() {
            "" => cx.path().to_owned(),
            query => format!("{}?{query}", cx.path()),
        };
        let asked: String = form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        login = format!("{login}?return_to={asked}");
    }
    Reply::<()>::empty(StatusCode::SEE_OTHER).header(LOCATION, &login).into_answer(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_goes_no_further_than_the_service() {
        let cookie = |base: &str, value: &str| Site::of(base).set_cookie(value);
        let plain = "; HttpOnly; SameSite=Lax";
        assert_eq!(cookie("http://127.0.0.1:3000", "7"), format!("lectern=7; Path=/{plain}"));
        assert_eq!(cookie("https://lms.test", "7"), format!("__Host-lectern=7; Path=/{plain}; Secure"));
        let ended = format!("__Secure-lectern=; Path=/lms/{plain}; Secure; Max-Age=0");
        assert_eq!(cookie("https://school.test/lms/", ""), ended);
    }

    #[test]
    fn a_cookie_is_read_as_it_was_written() {
        let expires_at = Timestamp::from_unix(1_900_000_000).unwrap();
        let session = PageSession { id: TokenId(31), user: UserId(66), expires_at };
        assert_eq!(PageSession::of_content(&session.content()), Some(session));
        for content in ["", "1.2", "1.2.x", "x.2.3", "1.2.3.4"] {
            assert_eq!(PageSession::of_content(content), None, "{content}");
        }
    }

    #[test]
    fn a_browser_is_led_to_paths_of_our_own_alone() {
        for path in ["/", "/join/ABC234", "/polls/1/sessions/2/vote?ticket=a.b", "/a//b"] {
            assert_eq!(own_path(path), Some(path));
        }
        let long = format!("/{}", "a".repeat(MAX_PATH_BYTES));
        for elsewhere in [
            "",
            "home",
            "//evil.test",
            "/\\evil.test",
            "\\/evil.test",
            "https://evil.test",
            "javascript:alert(1)",
            "/a\nSet-Cookie: b",
            "/\t/evil.test",
            "/ä",
            "/a b",
            &long,
        ] {
            assert_eq!(own_path(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn an_empty_ticket_is_none() {
        let params = |json: serde_json::Value| json.as_object().cloned().unwrap();
        assert!(has_ticket(&params(serde_json::json!({ "ticket": "a.b" }))));
        assert!(!has_ticket(&params(serde_json::json!({ "ticket": "" }))));
        assert!(!has_ticket(&params(serde_json::json!({}))));
    }
}
