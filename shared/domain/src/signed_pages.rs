//! Pages that a signed link opens, for a browser that has no token, or that stand open to who is signed in. A link says for whom
//! it was made; what that one may see is asked again each time.

use std::fmt::{self, Display};
use std::ops::Deref;
use std::str::FromStr;

use serde::Deserialize;
use types::clock::HOUR;
use types::ids::{AccountId, UserId};
use types::{JsonSchema, Timestamp};
use web::error::{Explanation, WayOn};
use web::html::{Markup, Page, hidden_field};
use web::session::{FORM_TOKEN, SignedIn, TICKET, page_path};
use web::texts::{Language, Text, ended_link, page};
use web::{Caller, Context, Error, Reply, Result};

use crate::signed_links;

/// A link is good for two hours: as long as a long lecture.
const GOOD_FOR: i64 = 2 * HOUR;

/// The pages of an area that links open.
pub struct SignedPages {
    /// Links of one purpose open no pages of another.
    pub purpose: &'static str,
    /// For how long a link is good, and for whom, as the page says it whose link has ended.
    pub lasts: Text,
}

/// The pages of error reports, at [`ERROR_REPORTS_PATH`]. Their links are made for a user.
pub const ERROR_REPORTS: SignedPages = SignedPages { purpose: "error reports", lasts: ended_link::ERROR_REPORTS };
/// See [`ERROR_REPORTS`].
pub const ERROR_REPORTS_PATH: &str = "/error_reports";

/// The pages of webhook deliveries, at [`DELIVERIES_PATH`]. Their links are made for an [`Administrator`].
pub const DELIVERIES: SignedPages = SignedPages { purpose: "webhook deliveries", lasts: ended_link::DELIVERIES };
/// See [`DELIVERIES`].
pub const DELIVERIES_PATH: &str = "/webhooks/deliveries";

/// The one for whom a link to a tenant's pages was made.
pub struct Administrator {
    /// The root account.
    pub tenant: AccountId,
    /// The administrator.
    pub user: UserId,
}

impl Display for Administrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tenant, self.user)
    }
}

impl FromStr for Administrator {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (tenant, user) = text.split_once('.').ok_or(())?;
        Ok(Self { tenant: tenant.parse().map_err(drop)?, user: user.parse().map_err(drop)? })
    }
}

/// The parameters of a link.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct SignedLink {
    /// The right to the page.
    pub ticket: String,
}

/// The content that a link has opened, or the session of who is signed in.
pub struct Opened<T> {
    /// The path of the pages, as browsers call it.
    path: String,
    /// The opener.
    by: By,
    language: Language,
    content: T,
}

/// What has opened a page.
enum By {
    Link {
        ticket: String,
        /// When the link ends.
        expires: Timestamp,
    },
    Session(SignedIn),
}

impl<T> Deref for Opened<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T> Opened<T> {
    /// The address of another page behind the same path, which is open like this one.
    pub fn address(&self, rest: &str) -> String {
        match &self.by {
            By::Link { ticket, .. } => address(&self.path, rest, ticket),
            By::Session(_) => format!("{}{rest}", self.path),
        }
    }

    /// The same with a further query, such as `saved=true`.
    pub fn address_with(&self, rest: &str, query: &str) -> String {
        let address = self.address(rest);
        if query.is_empty() {
            return address;
        }
        let mark = if address.contains('?') { '&' } else { '?' };
        format!("{address}{mark}{query}")
    }

    /// The path of the pages, to which their forms lead.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The ticket of the link, for forms that only ask.
    pub fn ticket(&self) -> Option<&str> {
        match &self.by {
            By::Link { ticket, .. } => Some(ticket),
            By::Session(_) => None,
        }
    }

    /// The field by which a form shows that it may.
    pub fn proof(&self) -> Markup {
        match &self.by {
            By::Link { ticket, .. } => hidden_field(TICKET, ticket),
            By::Session(signed_in) => hidden_field(FORM_TOKEN, &signed_in.form_token),
        }
    }

    /// The language of who has opened the page.
    pub fn language(&self) -> Language {
        self.language
    }

    /// A page for who has opened it: in that one's language, and with the frame where that one is signed in.
    pub fn page(&self) -> Page<'_> {
        Page { language: self.language, signed_in: self.signed_in(), ..Page::default() }
    }

    /// Who is signed in, where that has opened the page, for its frame.
    pub fn signed_in(&self) -> Option<&SignedIn> {
        match &self.by {
            By::Link { .. } => None,
            By::Session(signed_in) => Some(signed_in),
        }
    }
}

/// The address of a page, without the host.
pub fn address(path: &str, rest: &str, ticket: &str) -> String {
    format!("{path}{rest}?ticket={ticket}")
}

impl SignedPages {
    /// A link to a page behind that path for `holder`, without the host, and when it ends.
    pub async fn path(
        &self,
        cx: &Context,
        (path, rest): (&str, &str),
        holder: &impl Display,
    ) -> Result<(String, Timestamp)> {
        let expires = cx.now.plus_seconds(GOOD_FOR);
        let ticket = signed_links::issue(self.purpose, &holder.to_string(), expires).await?;
        Ok((address(path, rest, &ticket), expires))
    }

    /// The same with the host.
    pub async fn link(&self, cx: &Context, page: (&str, &str), holder: &impl Display) -> Result<(String, Timestamp)> {
        let base = cx.lasting_base_url().await?;
        let (path, expires) = self.path(cx, page, holder).await?;
        Ok((format!("{base}{path}"), expires))
    }

    /// A link from a page that is open to one of these, without the host. It ends when the link does that opened the page; for
    /// who is signed in it is the page's own address.
    pub async fn beside<T>(&self, opened: &Opened<T>, path: &str, holder: &impl Display) -> Result<String> {
        let page = page_path(path).await?;
        match &opened.by {
            By::Link { expires, .. } => {
                let ticket = signed_links::issue(self.purpose, &holder.to_string(), *expires).await?;
                Ok(address(&page, "", &ticket))
            }
            By::Session(_) => Ok(page),
        }
    }

    /// The one for whom the ticket was made, if it is one of ours and its time is not over.
    pub async fn holder<H: FromStr>(&self, cx: &Context, ticket: &str) -> Result<Option<H>> {
        let holder = signed_links::open(self.purpose, ticket, cx.now).await?;
        Ok(holder.and_then(|holder| holder.parse().ok()))
    }

    /// The content that the ticket opens: `find` asks what its holder may see now. Without a ticket it is the content for who is
    /// signed in, whom `signed_in` makes a holder; 403 where that one may see nothing.
    pub async fn open<H: FromStr, T>(
        &self,
        cx: &Context,
        path: &str,
        ticket: String,
        signed_in: impl FnOnce(&Caller) -> H,
        find: impl AsyncFnOnce(H) -> Result<Option<T>>,
    ) -> Result<Option<Opened<T>>> {
        if cx.signed_in().is_some() {
            let content = find(signed_in(cx.caller()?)).await?;
            return open_to_signed_in(cx, path, content).await.map(Some);
        }
        self.open_linked(cx, path, ticket, find).await
    }

    /// The same of pages that links alone open, whoever is signed in.
    pub async fn open_linked<H: FromStr, T>(
        &self,
        cx: &Context,
        path: &str,
        ticket: String,
        find: impl AsyncFnOnce(H) -> Result<Option<T>>,
    ) -> Result<Option<Opened<T>>> {
        let Some((holder, expires)) = signed_links::open_until(self.purpose, &ticket, cx.now).await? else {
            return Ok(None);
        };
        let Ok(holder) = holder.parse() else { return Ok(None) };
        let Some(content) = find(holder).await? else { return Ok(None) };
        Ok(Some(Opened {
            path: page_path(path).await?,
            by: By::Link { ticket, expires },
            language: cx.language(),
            content,
        }))
    }

    /// The refusal of those whose link opens nothing, which their page explains. `path` is that of the page, for who is signed in.
    pub async fn ended(&self, path: &str) -> Result<Reply> {
        let way_on = WayOn { sentence: page::ASK_OR_LOG_IN, link: page::LOG_IN, address: page_path(path).await? };
        let explanation = Explanation { title: page::ENDED_LINK, words: self.lasts, way_on: Some(way_on) };
        Err(Error::forbidden().explained(explanation))
    }
}

/// The content that stands open to who is signed in; 403 where there is none for that one.
pub async fn open_to_signed_in<T>(cx: &Context, path: &str, content: Option<T>) -> Result<Opened<T>> {
    let (Some(signed_in), Some(content)) = (cx.signed_in(), content) else { return Err(Error::forbidden()) };
    Ok(Opened { path: page_path(path).await?, by: By::Session(signed_in.clone()), language: cx.language(), content })
}
