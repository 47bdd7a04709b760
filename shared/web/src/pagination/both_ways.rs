//! Lists that are read both ways: `num` records before or after a cursor. Each part starts where a row stood, so that rows
//! which come or go between two requests make no other row appear twice or not at all.

mod reading;

use database::{Binds, BuiltList, Db, Positional};
use form_urlencoded::Serializer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use self::reading::{Batch, Gathered, GatheredList, Reading};
use super::keyset::{KeyValue, bookmark, bookmarked};
use super::{BOOKMARK, Key, RowForm, list_of};
use crate::context::Context;
use crate::error::{Error, Result};

const MAX_LENGTH: usize = 500;

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
    length: usize,
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

impl From {
    fn key(&self) -> Option<&[KeyValue]> {
        match self {
            Self::Start => None,
            Self::After(key) | Self::Before(key) => Some(key),
        }
    }
}

/// A part of a list, and the addresses of those on either side, where rows stand there.
#[derive(Debug)]
pub struct Part<L> {
    /// The records.
    pub items: L,
    /// The address of what stands before them.
    pub prev: Option<String>,
    /// The address of what stands after them.
    pub next: Option<String>,
}

impl<L> Part<L> {
    /// The same part with other items.
    #[must_use]
    pub fn map<M>(self, change: impl FnOnce(L) -> M) -> Part<M> {
        Part { items: change(self.items), prev: self.prev, next: self.next }
    }

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

    /// The number of records that it has at most.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The columns of the key behind which it begins, where a cursor names them.
    pub fn after<K: DeserializeOwned>(&self) -> Option<K> {
        let From::After(key) = &self.from else { return None };
        serde_json::from_value(json!(key)).ok()
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
    ) -> Result<Part<Vec<T>>> {
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
    ) -> Result<Part<Vec<T>>> {
        let reading = Reading { window: self, db, sql, values: values.values(), columns, key };
        let row = database::json_array::<R>()?;
        let form = (RowForm::Read("record"), &*row, "'null'");
        let mut gathered = Gathered::new(self.length);
        let mut from = None;
        loop {
            let batch = reading.batch(form, from.as_deref(), &gathered.room()).await?;
            let Batch { rows, beside, is_end, .. }: Batch<Vec<Positional<R>>, ()> = batch;
            from = beside.last().map(|(key, ())| key.read()).transpose()?;
            let rows = rows.into_iter().map(Positional::into_row).collect();
            let shown = view(rows).await?.into_iter().zip(beside);
            let has_room = shown
                .filter_map(|(item, (key, ()))| item.map(|item| (item, key)))
                .all(|(item, key)| gathered.add(item, key));
            if is_end || !has_room {
                break;
            }
        }
        let Gathered { mut items, has_more, .. } = gathered;
        if self.is_backward() {
            items.reverse();
        }
        let ends = [items.first(), items.last()].map(|end| end.map(|(_, key)| key));
        let part = reading.part((), ends, has_more).await?;
        Ok(part.map(|()| items.into_iter().map(|(item, _)| item).collect()))
    }

    /// The same of records in their column `record`, which are answered as they are, and for each what the column `beside` has,
    /// which is JSON.
    pub async fn read_built<T, B: DeserializeOwned>(
        &self,
        db: &Db,
        columns: &str,
        (sql, values): (&str, impl Binds),
        key: Key,
    ) -> Result<(Part<BuiltList<T>>, Vec<B>)> {
        let reading = Reading { window: self, db, sql, values: values.values(), columns, key };
        let form = (RowForm::Built, "record", "beside");
        let mut gathered = GatheredList::new(self.length);
        let mut from = None;
        while gathered.add(reading.batch(form, from.as_deref(), &gathered.room()).await?) {
            from = gathered.beside.last().map(|(key, _)| key.read()).transpose()?;
        }
        let GatheredList { mut list, mut beside, has_more, .. } = gathered;
        if self.is_backward() {
            list.reverse();
            beside.reverse();
        }
        let ends = [beside.first(), beside.last()].map(|end| end.map(|(key, _)| key));
        let part = reading.part(list, ends, has_more).await?;
        Ok((part, beside.into_iter().map(|(_, beside)| beside).collect()))
    }

    /// True if the part is read from its end.
    fn is_backward(&self) -> bool {
        matches!(self.from, From::Before(_))
    }

    fn address(&self, name: &str, key: &[KeyValue]) -> String {
        let Self { length, address, query, .. } = self;
        let mut query = Serializer::for_suffix(format!("{address}?{query}"), address.len() + 1);
        query.append_pair("num", &length.to_string()).append_pair(name, &bookmark(&list_of(address), key));
        query.finish()
    }
}

fn length(text: &str) -> Result<usize> {
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

#[cfg(test)]
mod tests {
    use super::super::keyset::to_sql;
    use super::*;

    const ADDRESS: &str = "https://lms.test/v2/assertions";

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
}
