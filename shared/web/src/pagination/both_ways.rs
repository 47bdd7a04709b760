//! Lists that are read both ways: `num` records before or after a cursor. Each part starts where a row stood, so that rows
//! which come or go between two requests make no other row appear twice or not at all.

use database::{Binds, BuiltJson, Db, Positional, Value};
use form_urlencoded::Serializer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keyset::{KeyValue, bookmark, bookmarked};
use super::{BOOKMARK, Key, fetch_text, list_of};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::params::json_bytes;

const MAX_LENGTH: i64 = 500;
/// The most bytes of a part, as JSON: a part of larger rows has fewer of them.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most rows that the database makes at once, of which it gives as many as have room: a part of a hundred is one statement.
const ROWS_AT_ONCE: usize = 128;

/// The parameters by which a part of a list is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct WindowQuery<'a> {
    /// The number of records; the greatest number unless given.
    pub num: Option<&'a str>,
    /// The cursor before which they stand.
    pub before: Option<&'a str>,
    /// The cursor after which they stand.
    pub after: Option<&'a str>,
}

/// The part of a list that a request asks for.
#[derive(Debug)]
pub struct Window {
    length: i64,
    from: From,
    leads_back: bool,
    /// The address without the query, and what the query has beside the part.
    address: String,
    query: String,
}

#[derive(Debug)]
enum From {
    Start,
    After(Vec<KeyValue>),
    Before(Vec<KeyValue>),
}

/// A part of a list, and the addresses of those on either side, where rows stand there.
#[derive(Debug)]
pub struct Part<T> {
    /// The records.
    pub items: Vec<T>,
    /// The address of what stands before them.
    pub prev: Option<String>,
    /// The address of what stands after them.
    pub next: Option<String>,
}

impl<T> Part<T> {
    /// The header `Link`; none where there is nothing on either side.
    pub fn link(&self) -> Option<String> {
        let sides = [("prev", &self.prev), ("next", &self.next)];
        let links = sides.map(|(rel, address)| address.as_ref().map(|address| format!("<{address}>; rel=\"{rel}\"")));
        let links: Vec<_> = links.into_iter().flatten().collect();
        (!links.is_empty()).then(|| links.join(","))
    }
}

impl Window {
    /// The part that the query asks for. Without a question it is where the list begins, as long as it may be.
    pub async fn of(cx: &Context, query: WindowQuery<'_>) -> Result<Self> {
        let address = format!("{}{}", cx.base_url().await?, cx.path());
        Self::at(address, cx.query(), query)
    }

    fn at(address: String, query: &str, WindowQuery { num, before, after }: WindowQuery<'_>) -> Result<Self> {
        let list = list_of(&address);
        let from = match (before, after) {
            (Some(_), Some(_)) => return Err(Error::bad_request("Only one of before and after may be given.")),
            (Some(cursor), None) => From::Before(opened(&list, "before", cursor)?),
            (None, Some(cursor)) => From::After(opened(&list, "after", cursor)?),
            (None, None) => From::Start,
        };
        let mut rest = Serializer::new(String::new());
        let pairs = form_urlencoded::parse(query.as_bytes());
        rest.extend_pairs(pairs.filter(|(name, _)| !matches!(&**name, "num" | "before" | "after" | "access_token")));
        let length = num.map_or(Ok(MAX_LENGTH), length)?;
        Ok(Self { length, from, leads_back: true, address, query: rest.finish() })
    }

    /// The same for a feed, which goes one way.
    #[must_use]
    pub fn one_way(self) -> Self {
        Self { leads_back: false, ..self }
    }

    /// Reads the part. The statement gives the rows in any order, which the key's columns say; `view` makes of each row what
    /// is shown of it, if anything is.
    pub async fn read<R: DeserializeOwned, T: Serialize>(
        &self,
        db: &Db,
        (sql, values): (&str, impl Binds),
        key: Key,
        view: impl AsyncFn(Vec<R>) -> Result<Vec<Option<T>>>,
    ) -> Result<Part<T>> {
        self.read_with(db, "", (sql, values), key, view).await
    }

    /// The same with further columns, which are found for the rows of the part alone: `, (SELECT …) AS name`, where `part` is
    /// a row of the statement, and the values are the statement's.
    pub async fn read_with<R: DeserializeOwned, T: Serialize>(
        &self,
        db: &Db,
        columns: &str,
        (sql, values): (&str, impl Binds),
        key: Key,
        view: impl AsyncFn(Vec<R>) -> Result<Vec<Option<T>>>,
    ) -> Result<Part<T>> {
        let values = values.values();
        let is_backward = matches!(self.from, From::Before(_));
        let order = if is_backward { key.reversed() } else { key };
        let mut from = match &self.from {
            From::Start => None,
            From::After(key) | From::Before(key) => Some(key.clone()),
        };
        let mut gathered = Gathered::new(self.length);
        loop {
            let wanted = gathered.rows_wanted();
            let (rest, mut values) = behind(sql, values.clone(), order, from.as_deref())?;
            values.push(Value::Integer(wanted));
            let part = format!("{rest} ORDER BY {} LIMIT ?{}", order.order(), values.len());
            let part = format!("SELECT part.*{columns} FROM ({part}) part");
            let row = format!("concat('[', {}, ',', {}, ']')", database::json_array::<R>()?, key.values());
            let text = fetch_rows(db, &row, &part, values).await?;
            let rows: Vec<(Positional<R>, BuiltJson<Vec<KeyValue>>)> = database::decode_text(&text)?;
            let is_whole = text.len() < MAX_BYTES;
            let is_end = is_whole && i64::try_from(rows.len()).is_ok_and(|count| count < wanted);
            let (rows, keys): (Vec<_>, Vec<_>) = rows.into_iter().map(|(Positional(row), key)| (row, key)).unzip();
            from = keys.last().map(BuiltJson::read).transpose()?;
            let shown = view(rows).await?.into_iter().zip(keys);
            let has_room =
                shown.filter_map(|(item, key)| item.map(|item| (item, key))).all(|(item, key)| gathered.add(item, key));
            if is_end || !has_room {
                break;
            }
        }
        let Gathered { mut items, has_more, .. } = gathered;
        if is_backward {
            items.reverse();
        }
        let [first, last] = [items.first(), items.last()].map(|end| end.map(|(_, key)| key.read()).transpose());
        let (first, last) = (first?, last?);
        let there = async |order: Key, end: Option<&[KeyValue]>| -> Result<bool> {
            let Some(end) = end else { return Ok(false) };
            let (rest, values) = behind(sql, values.clone(), order, Some(end))?;
            Ok(db.affects(&format!("{rest} LIMIT 1"), values).await?)
        };
        let (has_prev, has_next) = match &self.from {
            From::Start => (false, has_more),
            From::After(_) => (self.leads_back && there(key.reversed(), first.as_deref()).await?, has_more),
            From::Before(_) => (has_more, there(key, last.as_deref()).await?),
        };
        let prev = first.filter(|_| has_prev).map(|key| self.address("before", &key));
        let next = last.filter(|_| has_next).map(|key| self.address("after", &key));
        Ok(Part { prev, next, items: items.into_iter().map(|(item, _)| item).collect() })
    }

    fn address(&self, name: &str, key: &[KeyValue]) -> String {
        let Self { length, address, query, .. } = self;
        let mut query = Serializer::for_suffix(format!("{address}?{query}"), address.len() + 1);
        query.append_pair("num", &length.to_string()).append_pair(name, &bookmark(&list_of(address), key));
        query.finish()
    }
}

/// The rows of a part, each as that expression of JSON, so that they are never too much at once.
async fn fetch_rows(db: &Db, row: &str, part: &str, values: Vec<Value>) -> Result<String> {
    #[derive(Deserialize)]
    struct Row {
        found: Option<String>,
    }
    // To add up all lengths costs little, to add up those before each row as much as to make the rows.
    let all = db.fetch_one::<Row>(&within_bytes(row, part), values.clone()).await?.found;
    match all {
        Some(all) => Ok(all),
        None => fetch_text(db, &up_to_bytes(row, part), values).await,
    }
}

/// A statement for one text: the rows of a part, each as JSON; none where they have not fewer bytes than a part may have.
fn within_bytes(row: &str, part: &str) -> String {
    // With a limit SQLite makes each row once, instead of once for each time that it is mentioned.
    format!(
        "SELECT CASE WHEN total(length(CAST(entry AS BLOB))) < {MAX_BYTES} THEN {} END AS found
         FROM (SELECT {row} AS entry FROM ({part}) LIMIT {ROWS_AT_ONCE})",
        database::json_list("entry")
    )
}

/// The same, as far as those before a row have not more bytes than a part may have.
fn up_to_bytes(row: &str, part: &str) -> String {
    format!(
        "SELECT {} AS found FROM (
             SELECT entry, sum(length(CAST(entry AS BLOB))) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
             FROM (SELECT {row} AS entry FROM ({part})))
         WHERE ifnull(bytes_before, 0) < {MAX_BYTES}",
        database::json_list("entry")
    )
}

/// The rows of a statement that stand behind that key in that order; all of them without one.
fn behind(sql: &str, mut values: Vec<Value>, order: Key, from: Option<&[KeyValue]>) -> Result<(String, Vec<Value>)> {
    let comparison = match from {
        Some(key) => format!(" WHERE {}", order.behind(key, &mut values)?),
        None => String::new(),
    };
    Ok((format!("SELECT * FROM ({sql}){comparison}"), values))
}

fn length(text: &str) -> Result<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than fit are more than the longest part has.
    let length = is_number.then(|| text.parse().unwrap_or(MAX_LENGTH)).filter(|length| *length >= 1);
    let length = length.ok_or_else(|| Error::invalid("num", "invalid", "A positive integer is required."))?;
    Ok(length.min(MAX_LENGTH))
}

/// A cursor is good in its list alone, and only as it was given.
fn opened(list: &str, name: &str, cursor: &str) -> Result<Vec<KeyValue>> {
    let key = cursor.strip_prefix(BOOKMARK).and_then(|encoded| bookmarked(encoded, list));
    key.ok_or_else(|| Error::invalid(name, "invalid", "Invalid cursor"))
}

/// Items that are gathered for an answer until there are enough, or so many bytes of them that an answer takes no more.
struct Gathered<T, K> {
    /// Each with its key.
    items: Vec<(T, K)>,
    bytes: usize,
    length: usize,
    /// True if there was an item more.
    has_more: bool,
}

impl<T: Serialize, K> Gathered<T, K> {
    fn new(length: i64) -> Self {
        Self { items: Vec::new(), bytes: 0, length: usize::try_from(length).unwrap_or(usize::MAX), has_more: false }
    }

    /// The number of rows that are to be read next: one more than are shown, to see whether there are more, or as many as the
    /// database makes at once.
    fn rows_wanted(&self) -> i64 {
        let wanted = self.length.saturating_add(1).saturating_sub(self.items.len()).min(ROWS_AT_ONCE);
        i64::try_from(wanted).unwrap_or(i64::MAX)
    }

    /// Adds an item; false where there is no room for it. The first always has room.
    fn add(&mut self, item: T, key: K) -> bool {
        let bytes = self.bytes.saturating_add(json_bytes(&item));
        if self.items.len() >= self.length || (bytes > MAX_BYTES && !self.items.is_empty()) {
            self.has_more = true;
            return false;
        }
        self.bytes = bytes;
        self.items.push((item, key));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyset::to_sql;
    use super::*;

    const ADDRESS: &str = "https://lms.test/v2/assertions";
    const NEWEST_FIRST: Key = Key::descending(&["created_at", "id"]);

    fn key(id: i64) -> Vec<KeyValue> {
        vec![KeyValue::Text("2026".to_owned()), KeyValue::Integer(id)]
    }

    fn window(query: WindowQuery<'_>) -> Result<Window> {
        Window::at(ADDRESS.to_owned(), "num=1&recipient=a%20b&access_token=t&after=x", query)
    }

    #[test]
    fn a_length_is_clamped_above_and_refused_below() {
        for (text, expected) in [("1", 1), ("500", 500), ("501", 500), ("99999999999999999999", 500)] {
            assert_eq!(length(text).unwrap(), expected);
        }
        for text in ["0", "", "-1", "x", "1.5", " 1"] {
            assert!(length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_cursor_leads_on_in_its_own_list() {
        let address =
            window(WindowQuery { num: Some("2"), ..WindowQuery::default() }).unwrap().address("after", &key(7));
        let query = address.strip_prefix(&format!("{ADDRESS}?")).unwrap();
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let [(recipient, who), (num, length), (after, cursor)] = pairs.as_slice() else { panic!("{query}") };
        assert_eq!([recipient, who, num, length, after], ["recipient", "a b", "num", "2", "after"]);
        let next = window(WindowQuery { after: Some(cursor), ..WindowQuery::default() }).unwrap();
        let From::After(from) = next.from else { panic!("{cursor}") };
        assert_eq!(from.iter().map(to_sql).collect::<Vec<_>>(), key(7).iter().map(to_sql).collect::<Vec<_>>());
        let elsewhere = WindowQuery { before: Some(cursor), ..WindowQuery::default() };
        assert!(Window::at("https://lms.test/v2/badgeclasses".to_owned(), "", elsewhere).is_err());
        assert!(window(WindowQuery { before: Some(cursor), after: Some(cursor), num: None }).is_err());
    }

    #[test]
    fn a_part_of_large_rows_has_fewer_of_them() {
        let mut part = Gathered::new(3);
        let large = "x".repeat(MAX_BYTES / 2);
        assert_eq!(part.rows_wanted(), 4);
        assert!(part.add(large.clone(), 1) && !part.has_more);
        assert!(!part.add(large, 2) && part.has_more);
        assert_eq!(part.items.len(), 1);
        let mut part = Gathered::new(1);
        assert!(part.add("x".repeat(MAX_BYTES * 2), 1), "the first always has room");
        assert!(!part.add(String::new(), 2));
    }

    #[test]
    fn a_side_is_a_comparison_of_all_columns_of_the_key() {
        for (order, than) in [(NEWEST_FIRST, "<"), (NEWEST_FIRST.reversed(), ">")] {
            let (sql, values) = behind("SELECT 1", vec![Value::Integer(3)], order, Some(&key(7))).unwrap();
            assert_eq!(sql, format!("SELECT * FROM (SELECT 1) WHERE (created_at, id) {than} (?2, ?3)"));
            assert_eq!(values, [Value::Integer(3), Value::Text("2026".to_owned()), Value::Integer(7)]);
        }
        assert!(behind("SELECT 1", Vec::new(), Key::ascending(&["id"]), Some(&key(7))).is_err());
    }
}
