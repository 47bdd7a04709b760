//! Pages that a signed link opens, for a browser that has no token. A link says for whom it was made; what that one may see
//! is asked again each time.

use std::fmt::Display;
use std::ops::Deref;
use std::str::FromStr;

use serde::Deserialize;
use types::{JsonSchema, Timestamp};
use web::{Context, Reply, Result, html};

use crate::signed_links;

/// A link is good for two hours: as long as a long lecture.
const GOOD_FOR: i64 = 2 * 3600;

/// The pages of an area that links open.
pub struct SignedPages {
    /// Links of one purpose open no pages of another.
    pub purpose: &'static str,
    /// The pages and their readers, as the page says it whose link has ended.
    pub shows: &'static str,
    /// See [`Self::shows`].
    pub readers: &'static str,
}

/// The parameters of a link.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct SignedLink {
    /// The right to the page.
    pub ticket: String,
}

/// The content that a link has opened.
pub struct Opened<T> {
    /// The path of the pages.
    path: String,
    /// The ticket of the link, for the forms of the page.
    pub ticket: String,
    content: T,
}

impl<T> Deref for Opened<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T> Opened<T> {
    /// The address of another page behind the same path, which the same ticket opens.
    pub fn address(&self, rest: &str) -> String {
        address(&self.path, rest, &self.ticket)
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

    /// The one for whom the ticket was made, if it is one of ours and its time is not over.
    pub async fn holder<H: FromStr>(&self, cx: &Context, ticket: &str) -> Result<Option<H>> {
        let holder = signed_links::open(self.purpose, ticket, cx.now).await?;
        Ok(holder.and_then(|holder| holder.parse().ok()))
    }

    /// The content that the ticket opens: `find` asks what its holder may see now.
    pub async fn open<H: FromStr, T>(
        &self,
        cx: &Context,
        path: impl Into<String>,
        ticket: String,
        find: impl AsyncFnOnce(H) -> Result<Option<T>>,
    ) -> Result<Option<Opened<T>>> {
        let Some(holder) = self.holder(cx, &ticket).await? else { return Ok(None) };
        let content = find(holder).await?;
        Ok(content.map(|content| Opened { path: path.into(), ticket, content }))
    }

    /// The page for those whose link opens nothing.
    pub fn ended(&self) -> Reply {
        let Self { shows, readers, .. } = self;
        html::ended_link(&format!("A link to {shows} is good for two hours, and for {readers}."))
    }
}
