//! The rows of a part as the database gives them, and the parts on either side of it.

use database::{BuiltJson, BuiltList, Db, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{From, Part, Window};
use crate::error::Result;
use crate::pagination::keyset::KeyValue;
use crate::pagination::{Key, PageRows, RowForm, fetch_text};
use crate::params::json_bytes;

/// The most bytes of a part, as JSON: a part of larger rows has fewer of them.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most rows that the database makes at once, of which it gives as many as have room: a part of a hundred is one statement.
const ROWS_AT_ONCE: usize = 128;

/// A list of which a part is read.
pub(super) struct Reading<'a> {
    pub(super) window: &'a Window,
    pub(super) db: &'a Db,
    pub(super) sql: &'a str,
    pub(super) values: Vec<Value>,
    /// Columns that are found for the rows of the part alone.
    pub(super) columns: &'a str,
    pub(super) key: Key,
}

/// A row's key, which is read where a part begins or ends.
pub(super) type RowKey = BuiltJson<Vec<KeyValue>>;

/// The keys of a part's first row and of its last.
pub(super) type Ends<'a> = [Option<&'a RowKey>; 2];

/// How much may still be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

/// Rows that are read at once.
pub(super) struct Batch<R, B> {
    pub(super) rows: R,
    /// The key of each, and what else is told beside it.
    pub(super) beside: Vec<(RowKey, B)>,
    /// True if there was no room for all.
    pub(super) is_cut: bool,
    /// True if the list ends with them.
    pub(super) is_end: bool,
}

impl Reading<'_> {
    /// The rows behind that key, or behind where the part begins, in the order in which they are read: one at least, and no more
    /// than have room. `record` is what is read of a row, and `beside` what is told beside it: expressions, the second of JSON.
    pub(super) async fn batch<R: PageRows, B: DeserializeOwned>(
        &self,
        (form, record, beside): (RowForm<'_>, &str, &str),
        from: Option<&[KeyValue]>,
        room: &Room,
    ) -> Result<Batch<R, B>> {
        let (part, mut values) = self.behind(self.order(), from.or(self.window.from.key()))?;
        let wanted = room.rows.min(ROWS_AT_ONCE);
        let mut bind = |number: usize| {
            values.push(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
            format!("?{}", values.len())
        };
        let (limit, bytes) = (bind(wanted), bind(room.bytes));
        let (order, columns) = (self.order().order(), self.columns);
        // With a limit SQLite makes each row once, instead of once for each time that it is mentioned.
        let entries = format!(
            "SELECT {record} AS record, concat('[', {}, ',', {beside}, ']') AS beside
             FROM (SELECT part.*{columns} FROM ({part} ORDER BY {order} LIMIT {limit}) part) LIMIT {ROWS_AT_ONCE}",
            self.key.values()
        );
        let text = form.with(&database::json_list("beside"));
        // To add up all lengths costs little, to add up those before each row as much as to make the rows.
        let whole = self.db.fetch_one::<Whole>(&within_bytes(&text, &entries, &bytes), values.clone()).await?.found;
        let is_cut = whole.is_none();
        let text = match whole {
            Some(text) => text,
            None => fetch_text(self.db, &up_to_bytes(&text, &entries, &bytes), values).await?,
        };
        let (rows, beside): (R, Vec<(RowKey, B)>) = R::split(text)?;
        let is_end = !is_cut && beside.len() < wanted;
        Ok(Batch { rows, beside, is_cut, is_end })
    }

    /// The part with these items, which lie between these keys.
    pub(super) async fn part<L>(&self, items: L, ends: Ends<'_>, has_more: bool) -> Result<Part<L>> {
        let [first, last] = ends.map(|end| end.map(RowKey::read).transpose());
        let (first, last) = (first?, last?);
        let (has_prev, has_next) = match &self.window.from {
            From::Start => (false, has_more),
            From::After(_) => {
                (self.window.leads_back && self.is_behind(self.key.reversed(), first.as_deref()).await?, has_more)
            }
            From::Before(_) => (has_more, self.is_behind(self.key, last.as_deref()).await?),
        };
        let prev = first.filter(|_| has_prev).map(|key| self.window.address("before", &key));
        let next = last.filter(|_| has_next).map(|key| self.window.address("after", &key));
        Ok(Part { items, prev, next })
    }

    /// True if a row stands behind that end.
    async fn is_behind(&self, order: Key, end: Option<&[KeyValue]>) -> Result<bool> {
        let Some(end) = end else { return Ok(false) };
        let (rest, values) = self.behind(order, Some(end))?;
        Ok(self.db.affects(&format!("{rest} LIMIT 1"), values).await?)
    }

    /// The order in which rows are read: a part before a cursor begins with its last.
    fn order(&self) -> Key {
        if self.window.is_backward() { self.key.reversed() } else { self.key }
    }

    /// The rows of the list that stand behind that key in that order; all of them without one.
    fn behind(&self, order: Key, from: Option<&[KeyValue]>) -> Result<(String, Vec<Value>)> {
        behind(self.sql, self.values.clone(), order, from)
    }
}

#[derive(Deserialize)]
struct Whole {
    found: Option<String>,
}

/// A statement for one text of entries; none where their records have more bytes than that.
fn within_bytes(text: &str, entries: &str, bytes: &str) -> String {
    format!("SELECT CASE WHEN total({SIZE}) <= {bytes} THEN {text} END AS found FROM ({entries})")
}

/// The same, as far as all records up to an entry's have not more bytes than that: one entry at least.
fn up_to_bytes(text: &str, entries: &str, bytes: &str) -> String {
    format!(
        "SELECT {text} AS found FROM (
             SELECT *, {SIZE} AS size, sum({SIZE}) OVER (ROWS UNBOUNDED PRECEDING) AS sizes FROM ({entries}))
         WHERE sizes <= max(size, {bytes})"
    )
}

/// The bytes of an entry's record.
const SIZE: &str = "length(CAST(record AS BLOB))";

/// The rows of a statement that stand behind that key in that order; all of them without one.
fn behind(sql: &str, mut values: Vec<Value>, order: Key, from: Option<&[KeyValue]>) -> Result<(String, Vec<Value>)> {
    let comparison = match from {
        Some(key) => format!(" WHERE {}", order.behind(key, &mut values)?),
        None => String::new(),
    };
    Ok((format!("SELECT * FROM ({sql}){comparison}"), values))
}

/// Items that are gathered for an answer until there are enough, or so many bytes of them that an answer takes no more.
pub(super) struct Gathered<T, K> {
    /// Each with its key.
    pub(super) items: Vec<(T, K)>,
    bytes: usize,
    length: usize,
    /// True if there was an item more.
    pub(super) has_more: bool,
}

impl<T: Serialize, K> Gathered<T, K> {
    pub(super) fn new(length: usize) -> Self {
        Self { items: Vec::new(), bytes: 0, length, has_more: false }
    }

    /// What is to be read next: one row more than is shown, to see whether there are more. What is shown of the rows may be shorter
    /// than they are, so each time there is room for a whole part of them.
    pub(super) fn room(&self) -> Room {
        Room { rows: self.length.saturating_add(1).saturating_sub(self.items.len()), bytes: MAX_BYTES }
    }

    /// Adds an item; false where there is no room for it. The first always has room.
    pub(super) fn add(&mut self, item: T, key: K) -> bool {
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

/// The same of records that are built already.
pub(super) struct GatheredList<T, B> {
    pub(super) list: BuiltList<T>,
    pub(super) beside: Vec<(RowKey, B)>,
    length: usize,
    pub(super) has_more: bool,
}

impl<T, B> GatheredList<T, B> {
    pub(super) fn new(length: usize) -> Self {
        Self { list: BuiltList::default(), beside: Vec::new(), length, has_more: false }
    }

    /// What is to be read next: one row more than is shown, to see whether there are more.
    pub(super) fn room(&self) -> Room {
        let rows = self.length.saturating_add(1).saturating_sub(self.beside.len());
        Room { rows, bytes: MAX_BYTES.saturating_sub(self.list.bytes()) }
    }

    /// Adds rows; false where no others are to be read.
    pub(super) fn add(&mut self, batch: Batch<BuiltList<T>, B>) -> bool {
        self.list.append(&batch.rows);
        self.beside.extend(batch.beside);
        self.has_more = batch.is_cut || self.beside.len() > self.length;
        self.list.truncate(self.length);
        self.beside.truncate(self.length);
        !self.has_more && !batch.is_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWEST_FIRST: Key = Key::descending(&["created_at", "id"]);

    #[test]
    fn a_part_of_large_rows_has_fewer_of_them() {
        let mut part = Gathered::new(3);
        let large = "x".repeat(MAX_BYTES / 2);
        assert_eq!(part.room(), Room { rows: 4, bytes: MAX_BYTES });
        assert!(part.add(large.clone(), 1) && !part.has_more);
        assert!(!part.add(large, 2) && part.has_more);
        assert_eq!(part.items.len(), 1);
        let mut part = Gathered::new(1);
        assert!(part.add("x".repeat(MAX_BYTES * 2), 1), "the first always has room");
        assert!(!part.add(String::new(), 2));
    }

    #[test]
    fn a_side_is_a_comparison_of_all_columns_of_the_key() {
        let key = [KeyValue::Text("2026".to_owned()), KeyValue::Integer(7)];
        for (order, than) in [(NEWEST_FIRST, "<"), (NEWEST_FIRST.reversed(), ">")] {
            let (sql, values) = behind("SELECT 1", vec![Value::Integer(3)], order, Some(&key)).unwrap();
            assert_eq!(sql, format!("SELECT * FROM (SELECT 1) WHERE (created_at, id) {than} (?2, ?3)"));
            assert_eq!(values, [Value::Integer(3), Value::Text("2026".to_owned()), Value::Integer(7)]);
        }
        assert!(behind("SELECT 1", Vec::new(), Key::ascending(&["id"]), Some(&key)).is_err());
    }
}
