//! Pages: `page` and `per_page`, numbered or by bookmark, and the `Link` header that leads from one to the next.
//!
//! See "Paging" in `docs/contract/README.md`. `per_page` is 10 unless given and clamped to 1 to 100; a page that is no
//! number is not found; entries of the header stand in the order current, next, prev, first, last.

mod both_ways;
mod counted;
mod keyset;
mod links;
mod rows;

use std::borrow::Cow;

use database::{Binds, BuiltList, Db, Positional, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use both_ways::{Part, Window, WindowQuery};
pub use keyset::Key;
pub use links::{Links, Pagination};
pub(crate) use rows::{PageRows, RowForm};

use self::counted::count_sql;
use self::keyset::{KeyValue, bookmarked};
use crate::error::{Error, Result};
use crate::params::query_text;

pub(crate) const DEFAULT_LENGTH: i64 = 10;
pub(crate) const MAX_LENGTH: i64 = 100;
const BOOKMARK: &str = "bookmark:";
/// The first page, as lists that have bookmarks alone call it.
const FIRST: &str = "first";
/// Parameters that a link does not repeat.
const NOT_REPEATED: [&str; 4] = ["page", "per_page", "access_token", "api_key"];

/// The page that a request asks for.
#[derive(Debug, Clone)]
pub struct Page {
    at: At,
    length: i64,
    address: String,
    /// Of the whole address what does not change with the host: bookmarks belong to it.
    list: String,
    /// The name of the first page in links.
    first: &'static str,
}

#[derive(Debug, Clone)]
enum At {
    Number(i64),
    Bookmark(String, Vec<KeyValue>),
    /// The first of a list that has bookmarks alone: it begins behind that key, or where the list begins.
    First(Option<Vec<KeyValue>>),
    Whole,
}

/// The statement of a list. It ends with its `ORDER BY`, unless a key gives the order.
#[derive(Debug, Clone, Copy)]
pub struct ListStatement<'a> {
    /// The rows.
    pub found: &'a str,
    /// The statement that shows the rows of a page from the table `page`, where they are not shown as they are found: see
    /// [`Lookup::shown_by`](crate::lookup::Lookup::shown_by). It has the columns of the key, too, and keeps the order of `page`.
    pub shown: Option<&'a str>,
    /// JSON for the page of a list in the order of a key: see [`Lookup::with`](crate::lookup::Lookup::with).
    pub beside: Option<&'a str>,
}

impl<'a> From<&'a str> for ListStatement<'a> {
    fn from(found: &'a str) -> Self {
        Self { found, shown: None, beside: None }
    }
}

impl<'a> From<&'a String> for ListStatement<'a> {
    fn from(found: &'a String) -> Self {
        found.as_str().into()
    }
}

impl<'a> ListStatement<'a> {
    /// The same, of which the rows of a page are shown by that statement over the table `page`.
    #[must_use]
    pub fn shown_by(self, shown: &'a str) -> Self {
        Self { shown: Some(shown), ..self }
    }

    /// A statement about the rows of a page, which that statement finds, as they are shown.
    fn of_page(self, page: &str, statement: impl FnOnce(&str) -> String) -> String {
        match self.shown {
            None => statement(page),
            Some(shown) => format!("WITH page AS MATERIALIZED ({page}) {}", statement(shown)),
        }
    }
}

/// One page of a list, and the links to its neighbours.
#[derive(Debug)]
pub struct Paged<T> {
    /// The records of the page.
    pub items: Vec<T>,
    /// The links.
    pub links: Links,
}

/// The same, with the records in the words in which the database has built them.
pub struct BuiltPage<T> {
    /// The records of the page.
    pub list: BuiltList<T>,
    /// The links.
    pub links: Links,
}

impl<T> Paged<T> {
    /// The same page with its records changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Paged<U> {
        Paged { items: self.items.into_iter().map(change).collect(), links: self.links }
    }

    /// The same page with its records changed by work that may fail or wait.
    pub async fn then<U, E>(self, mut change: impl AsyncFnMut(T) -> Result<U, E>) -> Result<Paged<U>, E> {
        let mut items = Vec::with_capacity(self.items.len());
        for item in self.items {
            items.push(change(item).await?);
        }
        Ok(Paged { items, links: self.links })
    }

    /// The same page with all its records changed at once.
    pub async fn together<U, E>(self, change: impl AsyncFnOnce(Vec<T>) -> Result<Vec<U>, E>) -> Result<Paged<U>, E> {
        Ok(Paged { items: change(self.items).await?, links: self.links })
    }
}

impl<T> BuiltPage<T> {
    /// The same page, for an answer whose type may have more than the records do.
    pub fn described_as<U>(self) -> BuiltPage<U> {
        BuiltPage { list: self.list.described_as(), links: self.links }
    }
}

impl<T: DeserializeOwned> BuiltPage<T> {
    /// The same page with its records read.
    pub fn read(self) -> Result<Paged<T>> {
        Ok(Paged { items: self.list.read()?, links: self.links })
    }
}

impl Page {
    /// The page that the query asks for; `address` is the absolute address without the query.
    pub fn of(address: &str, query: &str) -> Result<Self> {
        let list = list_of(address);
        let at = match query_text(query, "page") {
            Some(text) => At::parse(&text, &list)?,
            None => At::Number(1),
        };
        Ok(Self { at, length: length(query), address: with_query(address, query), list, first: "1" })
    }

    /// The same, for a list that has bookmarks alone: it has no second page by number, and a bookmark that is none of
    /// its own is its first page.
    pub fn of_cursor(address: &str, query: &str) -> Result<Self> {
        let list = list_of(address);
        let at = match query_text(query, "page") {
            Some(text) => At::parse_cursor(&text, &list)?,
            None => At::First(None),
        };
        Ok(Self { at, length: length(query), address: with_query(address, query), list, first: FIRST })
    }

    /// The same, where the list's first page begins behind that key: what comes before is not even looked at.
    pub(crate) fn beginning_behind(&self, key: &[String]) -> Cow<'_, Self> {
        let At::First(_) = self.at else { return Cow::Borrowed(self) };
        let behind = key.iter().cloned().map(KeyValue::Text).collect();
        Cow::Owned(Self { at: At::First(Some(behind)), ..self.clone() })
    }

    /// The same, for a list that is answered whole unless the query asks for a page.
    pub fn of_or_whole(address: &str, query: &str) -> Result<Self> {
        let asks = form_urlencoded::parse(query.as_bytes()).any(|(key, _)| key == "page" || key == "per_page");
        let page = Self::of(address, query)?;
        Ok(if asks { page } else { Self { at: At::Whole, length: i64::MAX, ..page } })
    }

    /// The rows of a list whose whole length is told.
    pub async fn fetch<'a, T: DeserializeOwned>(
        &self,
        db: &Db,
        list: impl Into<ListStatement<'a>>,
        binds: impl Binds,
    ) -> Result<Paged<T>> {
        let row = database::json_array::<T>()?;
        let (rows, links) = self.fetch_numbered(db, RowForm::Read(&row), list.into(), binds).await?;
        Ok(read(rows, links))
    }

    /// The same, of which each row is a record in its column `record`.
    pub async fn fetch_built<'a, T>(
        &self,
        db: &Db,
        list: impl Into<ListStatement<'a>>,
        binds: impl Binds,
    ) -> Result<BuiltPage<T>> {
        let (list, links) = self.fetch_numbered(db, RowForm::Built, list.into(), binds).await?;
        Ok(BuiltPage { list, links })
    }

    async fn fetch_numbered<R: PageRows>(
        &self,
        db: &Db,
        form: RowForm<'_>,
        list: ListStatement<'_>,
        binds: impl Binds,
    ) -> Result<(R, Links)> {
        let mut values = binds.values();
        let sql = self.numbered_sql(form, list, &mut values)?;
        self.read_numbered(fetch_text(db, &sql, values).await?)
    }

    /// A statement for one text: the rows of the page, and how many the whole list has.
    pub(crate) fn numbered_sql(
        &self,
        form: RowForm<'_>,
        list: ListStatement<'_>,
        values: &mut Vec<Value>,
    ) -> Result<String> {
        self.require_numbered()?;
        if self.is_whole() {
            return Ok(list.of_page(list.found, |page| format!("SELECT {} AS found FROM ({page})", form.with("0"))));
        }
        values.extend([Value::Integer(self.length), Value::Integer(self.offset())]);
        let (limit, offset) = (values.len() - 1, values.len());
        // A page that is not full is the last one, unless it is empty because there are not so many: nobody needs to count.
        let total = format!(
            "CASE WHEN count(*) < ?{limit} AND (count(*) > 0 OR ?{offset} = 0) THEN ?{offset} + count(*) ELSE {} END",
            count_sql(list.found)
        );
        let page = format!("SELECT * FROM ({}) LIMIT ?{limit} OFFSET ?{offset}", list.found);
        Ok(list.of_page(&page, |page| format!("SELECT {} AS found FROM ({page})", form.with(&total))))
    }

    fn offset(&self) -> i64 {
        match self.at {
            At::Number(number) => (number - 1).saturating_mul(self.length),
            At::Bookmark(..) | At::First(_) | At::Whole => 0,
        }
    }

    /// True if the list is asked for as a whole, so that nobody needs to count it.
    fn is_whole(&self) -> bool {
        matches!(self.at, At::Whole)
    }

    /// Refuses a bookmark where the list has numbers.
    pub(crate) fn require_numbered(&self) -> Result<()> {
        match self.at {
            At::Bookmark(..) | At::First(_) => Err(Error::not_found()),
            At::Number(_) | At::Whole => Ok(()),
        }
    }

    /// The page in the text that [`Self::numbered_sql`] has built.
    pub(crate) fn read_numbered<R: PageRows>(&self, text: String) -> Result<(R, Links)> {
        self.require_numbered()?;
        let (rows, total) = R::split(text)?;
        Ok((rows, self.numbered_links(total)))
    }
}

impl At {
    fn parse(text: &str, list: &str) -> Result<Self> {
        if let Some(encoded) = text.strip_prefix(BOOKMARK) {
            let key = bookmarked(encoded, list);
            return key.map(|key| Self::Bookmark(text.to_owned(), key)).ok_or_else(Error::bad_page);
        }
        match text.parse() {
            Ok(number) if number >= 1 => Ok(Self::Number(number)),
            _ if is_first(text) => Ok(Self::Number(1)),
            _ => Err(Error::not_found()),
        }
    }

    fn parse_cursor(text: &str, list: &str) -> Result<Self> {
        if is_first(text) || text == "1" {
            return Ok(Self::First(None));
        }
        let encoded = text.strip_prefix(BOOKMARK).ok_or_else(Error::not_found)?;
        Ok(bookmarked(encoded, list).map_or(Self::First(None), |key| Self::Bookmark(text.to_owned(), key)))
    }
}

/// True of a word for the first page, or of none.
fn is_first(text: &str) -> bool {
    text.is_empty() || text == FIRST
}

/// The text of JSON that a statement makes.
async fn fetch_text(db: &Db, sql: &str, values: Vec<Value>) -> Result<String> {
    #[derive(Deserialize)]
    struct Row {
        found: String,
    }
    Ok(db.fetch_one::<Row>(sql, values).await?.found)
}

/// Which list an address names, wherever it is served.
fn list_of(address: &str) -> String {
    address.split('/').skip(3).collect::<Vec<_>>().join("/")
}

/// As the reference system reads it: the digits at the beginning, and 1 without any.
fn length(query: &str) -> i64 {
    let Some(text) = query_text(query, "per_page") else {
        return DEFAULT_LENGTH;
    };
    let digits: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
    let length = if digits.is_empty() { 1 } else { digits.parse().unwrap_or(MAX_LENGTH) };
    length.clamp(1, MAX_LENGTH)
}

/// The address with those parameters of the query that a link repeats, ready for `page=`.
fn with_query(address: &str, query: &str) -> String {
    let mut address = format!("{address}?");
    let named = |pair: &&str| form_urlencoded::parse(pair.as_bytes()).next().map(|(name, _)| name.into_owned());
    for pair in query.split('&').filter(|pair| named(pair).is_some_and(|name| !NOT_REPEATED.contains(&name.as_str()))) {
        address.push_str(pair);
        address.push('&');
    }
    address
}

/// The rows of a page, without the form in which they came.
pub(crate) fn read<T>(rows: Vec<Positional<T>>, links: Links) -> Paged<T> {
    Paged { items: rows.into_iter().map(Positional::into_row).collect(), links }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const ADDRESS: &str = "https://lms.test/api/v1/polls";

    pub(super) fn page(query: &str) -> Result<Page> {
        Page::of(ADDRESS, query)
    }

    #[test]
    fn a_length_is_clamped_and_never_refused() {
        for (query, length) in [
            ("", 10),
            ("per_page=25", 25),
            ("per_page=0", 1),
            ("per_page=-3", 1),
            ("per_page=x", 1),
            ("per_page=5000", 100),
            ("per_page=2.5", 2),
            ("per_page=99999999999999999999", 100),
        ] {
            assert_eq!(page(query).unwrap().length, length, "{query}");
        }
    }

    #[test]
    fn a_page_that_is_no_number_is_not_there() {
        for query in ["page=0", "page=-1", "page=x", "page=1.5"] {
            assert!(matches!(page(query).unwrap_err().kind(), crate::error::Kind::NotFound), "{query}");
        }
        assert!(matches!(page("page=bookmark:%%").unwrap_err().kind(), crate::error::Kind::BadPage));
        for query in ["", "page=", "page=first"] {
            assert!(matches!(page(query).unwrap().at, At::Number(1)), "{query}");
        }
    }
}
