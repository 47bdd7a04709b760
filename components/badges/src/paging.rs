//! Pages by `num`, `before` and `after`: newest first, and each page starts where a row stood, so that rows which come or
//! go between two requests make no other row appear twice or not at all.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use form_urlencoded::Serializer;
use http::header::LINK;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::auth::secrets;
use shared::db::{self, Value};
use shared::{Context, Error, Reply, Result};

use crate::model::entity::{Answer, json_bytes};
use crate::query::{Last, PartQuery};

const LONGEST_PAGE: i64 = 500;
/// The most bytes of a page, as JSON: a page of larger rows has fewer of them.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const ROWS_AT_ONCE: usize = 25;
const PURPOSE: &str = "badges page";

/// Where a row stands in a list: when it was made, and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position(pub(crate) String, pub(crate) i64);

/// A row that has a place in a list.
pub(crate) trait Placed {
    fn position(&self) -> Position;
}

/// Which part of a list is asked for.
#[derive(Debug)]
pub(crate) struct Window {
    num: i64,
    from: From,
}

#[derive(Debug)]
enum From {
    Newest,
    After(Position),
    Before(Position),
}

/// A part of a list, and whether rows stand on either side of it.
pub(crate) struct Listed<T> {
    items: Vec<T>,
    prev: Option<Position>,
    next: Option<Position>,
    num: i64,
}

/// Items that are gathered for an answer until there are enough, or so many bytes of them that an answer takes no more.
pub(crate) struct Gathered<T> {
    items: Vec<(T, Position)>,
    bytes: usize,
    num: usize,
    /// Whether there was an item more.
    pub(crate) has_more: bool,
}

impl<T: Serialize> Gathered<T> {
    pub(crate) fn new(num: i64) -> Self {
        Self { items: Vec::new(), bytes: 0, num: usize::try_from(num).unwrap_or(usize::MAX), has_more: false }
    }

    /// How many rows are to be read next: never so many that the largest of them are too much at once.
    pub(crate) fn wanted(&self) -> i64 {
        let wanted = self.num.saturating_add(1).saturating_sub(self.items.len()).min(ROWS_AT_ONCE);
        i64::try_from(wanted).unwrap_or(i64::MAX)
    }

    /// Adds an item; false where there is no room for it. The first always has room.
    pub(crate) fn add(&mut self, item: T, position: Position) -> bool {
        let bytes = self.bytes.saturating_add(json_bytes(&item));
        if self.items.len() >= self.num || (bytes > MAX_BYTES && !self.items.is_empty()) {
            self.has_more = true;
            return false;
        }
        self.bytes = bytes;
        self.items.push((item, position));
        true
    }

    pub(crate) fn last(&self) -> Option<&Position> {
        self.items.last().map(|(_, position)| position)
    }

    pub(crate) fn into_items(self) -> Vec<T> {
        self.items.into_iter().map(|(item, _)| item).collect()
    }
}

impl Window {
    /// The part that the query asks for. Without a question it is the newest rows, as many as an answer may have.
    pub(crate) async fn of(cx: &Context, query: &PartQuery) -> Result<Self> {
        let num = num_or(&query.num, LONGEST_PAGE)?;
        let from = match (&query.before.0, &query.after.0) {
            (Some(_), Some(_)) => return Err(Error::bad_request("Only one of before and after may be given.")),
            (Some(cursor), None) => From::Before(opened(cx, "before", cursor).await?),
            (None, Some(cursor)) => From::After(opened(cx, "after", cursor).await?),
            (None, None) => From::Newest,
        };
        Ok(Self { num, from })
    }

    /// Reads the part. The statement gives the rows in any order, each with its `created_at` and `id`; `view` makes of each
    /// row what is shown of it, if anything is.
    pub(crate) async fn read<R: DeserializeOwned + Placed, T: Serialize>(
        &self,
        cx: &Context,
        sql: &str,
        values: Vec<Value>,
        view: impl AsyncFn(Vec<R>) -> Result<Vec<Option<T>>>,
    ) -> Result<Listed<T>> {
        let (mut from, side, order) = match &self.from {
            From::Newest => (None, "<", "DESC"),
            From::After(position) => (Some(position.clone()), "<", "DESC"),
            From::Before(position) => (Some(position.clone()), ">", "ASC"),
        };
        let mut gathered = Gathered::new(self.num);
        loop {
            let wanted = gathered.wanted();
            let (sides, mut all) = beside(sql, values.clone(), from.as_ref().map(|position| (side, position)));
            all.push(Value::Integer(wanted));
            let limit = all.len();
            let part = format!("{sides} ORDER BY created_at {order}, id {order} LIMIT ?{limit}");
            let rows: Vec<R> = cx.db.fetch_all(&part, all).await?;
            let is_end = i64::try_from(rows.len()).is_ok_and(|count| count < wanted);
            let positions: Vec<_> = rows.iter().map(Placed::position).collect();
            from = positions.last().cloned();
            let shown = view(rows).await?.into_iter().zip(positions);
            let has_room = shown
                .filter_map(|(item, position)| item.map(|item| (item, position)))
                .all(|(item, position)| gathered.add(item, position));
            if is_end || !has_room {
                break;
            }
        }
        let more = gathered.has_more;
        let mut items = gathered.items;
        if matches!(self.from, From::Before(_)) {
            items.reverse();
        }
        let position = |item: Option<&(T, Position)>| item.map(|(_, position)| position.clone());
        let (first, last) = (position(items.first()), position(items.last()));
        let there = async |side: &'static str, position: Option<Position>| -> db::Result<Option<Position>> {
            let Some(position) = position else { return Ok(None) };
            let (sql, values) = beside(sql, values.clone(), Some((side, &position)));
            let there = cx.db.affects(&format!("{sql} LIMIT 1"), values).await?;
            Ok(there.then_some(position))
        };
        let (prev, next) = match &self.from {
            From::Newest => (None, last.filter(|_| more)),
            From::After(_) => (there(">", first).await?, last.filter(|_| more)),
            From::Before(_) => (first.filter(|_| more), there("<", last).await?),
        };
        Ok(Listed { items: items.into_iter().map(|(item, _)| item).collect(), prev, next, num: self.num })
    }
}

/// The rows of a statement that stand on one side of a position.
fn beside(sql: &str, mut values: Vec<Value>, side: Option<(&str, &Position)>) -> (String, Vec<Value>) {
    let Some((side, Position(made, id))) = side else {
        return (format!("SELECT * FROM ({sql})"), values);
    };
    values.extend([Value::Text(made.clone()), Value::Integer(*id)]);
    let (made, id) = (values.len() - 1, values.len());
    (format!("SELECT * FROM ({sql}) WHERE (created_at, id) {side} (?{made}, ?{id})"), values)
}

impl<T: Serialize> Listed<T> {
    /// The answer, with links to what stands on either side. Where there is nothing there are no links.
    pub(crate) async fn reply(self, cx: &Context) -> Result<Reply<Answer<T>>> {
        let mut links = Vec::new();
        for (rel, name, position) in [("prev", "before", &self.prev), ("next", "after", &self.next)] {
            if let Some(position) = position {
                let address = address(cx, self.num, name, &sealed(cx, position).await?).await?;
                links.push(format!("<{address}>; rel=\"{rel}\""));
            }
        }
        let reply = Reply::ok(Answer::of(cx, self.items));
        Ok(if links.is_empty() { reply } else { reply.header(LINK, &links.join(",")) })
    }
}

/// The address of another part: the query's other parameters stay.
pub(crate) async fn address(cx: &Context, num: i64, name: &str, cursor: &str) -> Result<String> {
    let mut query = Serializer::new(String::new());
    let kept = form_urlencoded::parse(cx.query().as_bytes());
    query.extend_pairs(kept.filter(|(name, _)| !matches!(&**name, "num" | "before" | "after" | "access_token")));
    query.append_pair("num", &num.to_string()).append_pair(name, cursor);
    Ok(format!("{}{}?{}", cx.base_url().await?, cx.path(), query.finish()))
}

/// The last of the query's parameters of that name.
pub(crate) fn given(cx: &Context, name: &str) -> Option<String> {
    let pairs = form_urlencoded::parse(cx.query().as_bytes());
    pairs.filter(|(key, _)| key == name).last().map(|(_, value)| value.into_owned())
}

fn number(text: &str) -> Result<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than fit are more than the longest page has.
    let number = digits.then(|| text.parse().unwrap_or(LONGEST_PAGE)).filter(|number| *number >= 1);
    let number = number.ok_or_else(|| Error::invalid("num", "invalid", "A positive integer is required."))?;
    Ok(number.min(LONGEST_PAGE))
}

/// `num` of a feed that has a length of its own when nobody asks.
pub(crate) fn num_or(num: &Last, default: i64) -> Result<i64> {
    num.0.as_deref().map_or(Ok(default), number)
}

/// A cursor is good in its list alone, and only as it was given.
pub(crate) async fn sealed(cx: &Context, Position(made, id): &Position) -> Result<String> {
    let content = BASE64_URL_SAFE_NO_PAD.encode(format!("{id} {made}"));
    let signature = secrets::sign(PURPOSE, &format!("{} {content}", cx.path())).await?;
    Ok(format!("{content}.{signature}"))
}

pub(crate) async fn opened(cx: &Context, name: &str, cursor: &str) -> Result<Position> {
    let invalid = || Error::invalid(name, "invalid", "Invalid cursor");
    let (content, signature) = cursor.split_once('.').ok_or_else(invalid)?;
    if !secrets::verify(PURPOSE, &format!("{} {content}", cx.path()), signature).await? {
        return Err(invalid());
    }
    let content = BASE64_URL_SAFE_NO_PAD.decode(content).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let position = content.and_then(|content| {
        let (id, made) = content.split_once(' ')?;
        Some(Position(made.to_owned(), id.parse().ok()?))
    });
    position.ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_clamped_above_and_refused_below() {
        for (text, length) in [("1", 1), ("500", 500), ("501", 500), ("99999999999999999999", 500)] {
            assert_eq!(number(text).unwrap(), length);
        }
        for text in ["0", "", "-1", "x", "1.5", " 1"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_of_large_rows_has_fewer_of_them() {
        let mut page = Gathered::new(3);
        let position = |id| Position("2026".to_owned(), id);
        let large = "x".repeat(MAX_BYTES / 2);
        assert_eq!(page.wanted(), 4);
        assert!(page.add(large.clone(), position(1)) && !page.has_more);
        assert!(!page.add(large.clone(), position(2)) && page.has_more);
        assert_eq!(page.last(), Some(&position(1)));
        assert_eq!(page.into_items().len(), 1);
        let mut page = Gathered::new(1);
        assert!(page.add("x".repeat(MAX_BYTES * 2), position(1)), "the first always has room");
        assert!(!page.add(String::new(), position(2)));
    }

    #[test]
    fn a_side_is_a_comparison_of_both_parts_of_the_position() {
        let position = Position("2026".to_owned(), 7);
        let (sql, values) = beside("SELECT 1", vec![Value::Integer(3)], Some(("<", &position)));
        assert_eq!(sql, "SELECT * FROM (SELECT 1) WHERE (created_at, id) < (?2, ?3)");
        assert_eq!(values, [Value::Integer(3), Value::Text("2026".to_owned()), Value::Integer(7)]);
    }
}
