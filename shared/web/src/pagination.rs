//! Pages: `page` and `per_page`, numbered or by bookmark, and the `Link` header that leads from one to the next.
//!
//! See "Paging" in `docs/contract/README.md`. `per_page` is 10 unless given and clamped to 1 to 100; a page that is no
//! number is not found; entries of the header stand in the order current, next, prev, first, last.

mod both_ways;
mod counted;
mod keyset;

use std::fmt::Display;

use database::{Binds, Db, Positional, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use types::JsonSchema;

pub use both_ways::{Part, Window, WindowQuery};
pub use keyset::Key;

use self::counted::count_sql;
use self::keyset::{KeyValue, bookmarked};
use crate::error::{Error, Result};
use crate::params::query_text;

pub(crate) const DEFAULT_LENGTH: i64 = 10;
pub(crate) const MAX_LENGTH: i64 = 100;
/// The links together stay below this; the less important are left out.
const MAX_HEADER_BYTES: usize = 6 * 1024;
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

/// One page of a list, and the links to its neighbours.
#[derive(Debug)]
pub struct Paged<T> {
    /// The records of the page.
    pub items: Vec<T>,
    link: Option<String>,
    pagination: Option<Pagination>,
}

/// The place of a page among those of its list, for lists that tell it in the body, as JSON:API has it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pagination {
    per_page: i64,
    page: i64,
    /// The address of any page, with `{page}` where its number belongs.
    template: String,
    current: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev: Option<String>,
    first: String,
    last: String,
    /// The number of records of the whole list.
    count: i64,
    page_count: i64,
}

impl<T> Paged<T> {
    /// The same page with its records changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Paged<U> {
        let Self { items, link, pagination } = self;
        Paged { items: items.into_iter().map(change).collect(), link, pagination }
    }

    /// The place of the page, where the list has numbers.
    pub fn pagination(&self) -> Option<&Pagination> {
        self.pagination.as_ref()
    }

    /// The same page with its records changed by work that may fail or wait.
    pub async fn then<U, E>(self, mut change: impl AsyncFnMut(T) -> Result<U, E>) -> Result<Paged<U>, E> {
        let mut items = Vec::with_capacity(self.items.len());
        for item in self.items {
            items.push(change(item).await?);
        }
        Ok(Paged { items, link: self.link, pagination: self.pagination })
    }

    /// The same page with all its records changed at once.
    pub async fn together<U, E>(self, change: impl AsyncFnOnce(Vec<T>) -> Result<Vec<U>, E>) -> Result<Paged<U>, E> {
        Ok(Paged { items: change(self.items).await?, link: self.link, pagination: self.pagination })
    }

    pub(crate) fn into_parts(self) -> (Vec<T>, Option<String>) {
        (self.items, self.link)
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
    pub fn beginning_behind<const N: usize>(self, key: [&str; N]) -> Self {
        let behind = || key.map(|value| KeyValue::Text(value.to_owned())).to_vec();
        match self.at {
            At::First(_) => Self { at: At::First(Some(behind())), ..self },
            _ => self,
        }
    }

    /// The same, for a list that is answered whole unless the query asks for a page.
    pub fn of_or_whole(address: &str, query: &str) -> Result<Self> {
        let asks = form_urlencoded::parse(query.as_bytes()).any(|(key, _)| key == "page" || key == "per_page");
        let page = Self::of(address, query)?;
        Ok(if asks { page } else { Self { at: At::Whole, length: i64::MAX, ..page } })
    }

    /// The rows of a list whose whole length is told. The statement ends with its `ORDER BY`.
    pub async fn fetch<T: DeserializeOwned>(&self, db: &Db, sql: &str, binds: impl Binds) -> Result<Paged<T>> {
        self.fetch_shown(db, (sql, None), binds).await
    }

    /// The same, of which a page is found first and then shown: see [`Lookup::shown_by`](crate::lookup::Lookup::shown_by).
    pub async fn fetch_shown<T: DeserializeOwned>(
        &self,
        db: &Db,
        (sql, shown): (&str, Option<&str>),
        binds: impl Binds,
    ) -> Result<Paged<T>> {
        let mut values = binds.values();
        let sql = self.numbered_sql(&database::json_array::<T>()?, (sql, shown), &mut values)?;
        Ok(self.read_numbered(&fetch_text(db, &sql, values).await?)?.map(Positional::into_row))
    }

    /// A statement for one text: the rows of the page as JSON, and how many the whole list has. `row` is a row as JSON.
    pub(crate) fn numbered_sql(
        &self,
        row: &str,
        (sql, shown): (&str, Option<&str>),
        values: &mut Vec<Value>,
    ) -> Result<String> {
        self.require_numbered()?;
        let rows = database::json_list(row);
        if self.is_whole() {
            return Ok(of_page(sql, shown, |page| format!("SELECT concat('[', {rows}, ',0]') AS found FROM ({page})")));
        }
        values.extend([Value::Integer(self.length), Value::Integer(self.offset())]);
        let (limit, offset) = (values.len() - 1, values.len());
        // A page that is not full is the last one, unless it is empty because there are not so many: nobody needs to count.
        let page = format!("SELECT * FROM ({sql}) LIMIT ?{limit} OFFSET ?{offset}");
        Ok(of_page(&page, shown, |page| {
            format!(
                "SELECT concat('[', {rows}, ',', CASE
                     WHEN count(*) < ?{limit} AND (count(*) > 0 OR ?{offset} = 0) THEN ?{offset} + count(*)
                     ELSE {} END, ']') AS found
                 FROM ({page})",
                count_sql(sql)
            )
        }))
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
    pub(crate) fn read_numbered<T: DeserializeOwned>(&self, text: &str) -> Result<Paged<T>> {
        self.require_numbered()?;
        let (rows, total) = database::decode_text(text)?;
        Ok(self.numbered(rows, total))
    }

    /// A page of a list whose whole length is known.
    fn numbered<T>(&self, items: Vec<T>, total: i64) -> Paged<T> {
        let At::Number(number) = self.at else {
            return Paged { items, link: None, pagination: None };
        };
        let last = (total.saturating_add(self.length - 1) / self.length).max(1);
        let next = (number < last).then_some(number + 1);
        let prev = (number > 1).then_some(number - 1);
        let page = |number: i64| number.to_string();
        let link = self.header(&[
            ("current", Some(page(number))),
            ("next", next.map(page)),
            ("prev", prev.map(page)),
            ("first", Some(page(1))),
            ("last", Some(page(last))),
        ]);
        let pagination = Pagination {
            per_page: self.length,
            page: number,
            template: self.link_to("{page}"),
            current: self.link_to(number),
            next: next.map(|page| self.link_to(page)),
            prev: prev.map(|page| self.link_to(page)),
            first: self.link_to(1),
            last: self.link_to(last),
            count: total,
            page_count: last,
        };
        Paged { items, link: Some(link), pagination: Some(pagination) }
    }

    fn link_to(&self, page: impl Display) -> String {
        let Self { address, length, .. } = self;
        format!("{address}page={page}&per_page={length}")
    }

    fn header(&self, pages: &[(&str, Option<String>)]) -> String {
        let entries: Vec<_> = pages
            .iter()
            .filter_map(|(rel, page)| {
                let page = page.as_ref()?;
                Some((*rel, format!("<{}>; rel=\"{rel}\"", self.link_to(page))))
            })
            .collect();
        let mut room = MAX_HEADER_BYTES;
        let mut kept = Vec::new();
        for rel in ["next", "last", "prev", "current", "first"] {
            let Some((_, entry)) = entries.iter().find(|(name, _)| *name == rel) else { continue };
            match room.checked_sub(entry.len() + 1) {
                Some(rest) => room = rest,
                None => break,
            }
            kept.push(rel);
        }
        let kept: Vec<_> =
            entries.iter().filter(|(rel, _)| kept.contains(rel)).map(|(_, entry)| entry.as_str()).collect();
        kept.join(",")
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

/// A statement about the rows of a page, or about those of the statement that shows them from the table `page`.
fn of_page(page: &str, shown: Option<&str>, statement: impl FnOnce(&str) -> String) -> String {
    match shown {
        None => statement(page),
        Some(shown) => format!("WITH page AS MATERIALIZED ({page}) {}", statement(shown)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    #[test]
    fn the_links_are_those_of_the_reference() {
        let header =
            page("per_page=2&page=2&filter=a%20b&access_token=t").unwrap().numbered(vec![1, 2], 7).link.unwrap();
        let at = |number: i64, rel: &str| format!("<{ADDRESS}?filter=a%20b&page={number}&per_page=2>; rel=\"{rel}\"");
        let expected = [at(2, "current"), at(3, "next"), at(1, "prev"), at(1, "first"), at(4, "last")];
        assert_eq!(header, expected.join(","));
    }

    #[test]
    fn a_body_tells_the_same_as_the_links() {
        let page = page("per_page=2&page=2&q=a").unwrap().numbered(vec![1, 2], 7);
        let at = |number: &str| format!("{ADDRESS}?q=a&page={number}&per_page=2");
        let expected = json!({
            "per_page": 2, "page": 2, "template": at("{page}"), "current": at("2"), "next": at("3"), "prev": at("1"),
            "first": at("1"), "last": at("4"), "count": 7, "page_count": 4,
        });
        assert_eq!(serde_json::to_value(page.pagination().unwrap()).unwrap(), expected);
    }

    #[test]
    fn the_last_page_and_the_empty_list_have_no_next() {
        let last = page("page=4&per_page=2").unwrap().numbered(vec![7], 7).link.unwrap();
        assert!(!last.contains("next") && last.contains("page=4&per_page=2>; rel=\"last\""));
        let empty = page("").unwrap().numbered(Vec::<i64>::new(), 0).link.unwrap();
        assert!(!empty.contains("next") && empty.contains("page=1&per_page=10>; rel=\"last\""));
    }

    #[test]
    fn long_links_leave_out_the_less_important() {
        let header = page(&format!("page=2&q={}", "x".repeat(2_500))).unwrap().numbered(vec![1], 50).link.unwrap();
        assert!(header.len() <= MAX_HEADER_BYTES);
        assert!(header.contains("next") && header.contains("last") && !header.contains("prev"));
    }
}
