//! Pages that follow one another by bookmarks: each begins behind the key of the row with which the one before it ended, so that its
//! cost depends neither on its depth nor on the length of the list.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use database::{Binds, BuiltJson, Db, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as JsonValue, json};

use super::{At, BOOKMARK, BuiltPage, Links, ListStatement, Page, PageRows, Paged, RowForm, fetch_text, read};
use crate::error::{Error, Result};
use crate::secrets;

/// The columns that give a list its order and whose values are the bookmark: together they are unique.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    columns: &'static [&'static str],
    descending: bool,
}

impl Key {
    /// The smallest first.
    pub const fn ascending(columns: &'static [&'static str]) -> Self {
        Self { columns, descending: false }
    }

    /// The greatest first.
    pub const fn descending(columns: &'static [&'static str]) -> Self {
        Self { columns, descending: true }
    }

    /// The rows of a table in their form, and the values of the key's columns of each, as an expression of text.
    fn rows(self, form: RowForm<'_>) -> String {
        form.with(&database::json_list(&self.values()))
    }

    /// The values of the key's columns, as an expression of JSON.
    pub(super) fn values(self) -> String {
        format!("json_array({})", self.columns.join(", "))
    }

    /// The same columns the other way round.
    pub(super) fn reversed(self) -> Self {
        Self { descending: !self.descending, ..self }
    }

    /// The condition that a row stands behind that key, whose values are bound.
    pub(super) fn behind(self, key: &[KeyValue], values: &mut Vec<Value>) -> Result<String> {
        if key.len() != self.columns.len() {
            return Err(Error::bad_page());
        }
        let mut bind = |value: &KeyValue| {
            values.push(to_sql(value));
            format!("?{}", values.len())
        };
        let bound: Vec<_> = key.iter().map(&mut bind).collect();
        let than = if self.descending { "<" } else { ">" };
        Ok(format!("({}) {than} ({})", self.columns.join(", "), bound.join(", ")))
    }

    pub(super) fn order(self) -> String {
        let direction = if self.descending { " DESC" } else { "" };
        let columns: Vec<_> = self.columns.iter().map(|column| format!("{column}{direction}")).collect();
        columns.join(", ")
    }
}

impl Page {
    /// The rows of a list that may grow without bound: each page starts where the one before it ended, so that its cost
    /// depends neither on its depth nor on the length of the list. The statement has no `ORDER BY`: the key gives it.
    pub async fn fetch_keyset<T: DeserializeOwned>(
        &self,
        db: &Db,
        sql: &str,
        binds: impl Binds,
        key: Key,
    ) -> Result<Paged<T>> {
        let row = database::json_array::<T>()?;
        let (rows, links) = self.fetch_by_key(db, RowForm::Read(&row), sql.into(), binds, key).await?;
        Ok(read(rows, links))
    }

    /// The same, of which each row is a record in its column `record`.
    pub async fn fetch_keyset_built<'a, T>(
        &self,
        db: &Db,
        list: impl Into<ListStatement<'a>>,
        binds: impl Binds,
        key: Key,
    ) -> Result<BuiltPage<T>> {
        let (list, links) = self.fetch_by_key(db, RowForm::Built, list.into(), binds, key).await?;
        Ok(BuiltPage { list, links })
    }

    async fn fetch_by_key<R: PageRows>(
        &self,
        db: &Db,
        form: RowForm<'_>,
        list: ListStatement<'_>,
        binds: impl Binds,
        key: Key,
    ) -> Result<(R, Links)> {
        let mut values = binds.values();
        let sql = self.keyset_sql(form, list, key, &mut values)?;
        self.read_keyset(fetch_text(db, &sql, values).await?)
    }

    /// A statement for one text: the rows of the page, and their keys; with what the list tells beside them, if it does.
    pub(crate) fn keyset_sql(
        &self,
        form: RowForm<'_>,
        list: ListStatement<'_>,
        key: Key,
        values: &mut Vec<Value>,
    ) -> Result<String> {
        let window = self.window(key, values)?;
        let page = format!("SELECT * FROM ({}) {window}", list.found);
        let rows = key.rows(form);
        let Some(beside) = list.beside else {
            return Ok(list.of_page(&page, |page| format!("SELECT {rows} AS found FROM ({page})")));
        };
        values.push(Value::Integer(self.length));
        let text = database::built_pair(&rows, beside);
        let (length, shown) = (values.len(), list.shown.unwrap_or("page"));
        Ok(format!(
            "WITH page AS MATERIALIZED ({page}), shown AS MATERIALIZED (SELECT * FROM page LIMIT ?{length})
             SELECT {text} AS found FROM ({shown})"
        ))
    }

    /// The part of a statement that begins where the page begins and takes one row more than it has, to see whether
    /// another page follows.
    pub(crate) fn window(&self, key: Key, values: &mut Vec<Value>) -> Result<String> {
        let after = match &self.at {
            At::Bookmark(_, after) | At::First(Some(after)) => format!("WHERE {} ", key.behind(after, values)?),
            At::Number(_) | At::First(None) | At::Whole => String::new(),
        };
        let mut bind = |value: Value| {
            values.push(value);
            format!("?{}", values.len())
        };
        let limit = bind(Value::Integer(self.length.saturating_add(1)));
        let offset = bind(Value::Integer(self.offset()));
        Ok(format!("{after}ORDER BY {} LIMIT {limit} OFFSET {offset}", key.order()))
    }

    /// The page in the text that [`Self::keyset_sql`] has built.
    pub(crate) fn read_keyset<R: PageRows>(&self, text: String) -> Result<(R, Links)> {
        let (mut rows, keys): (R, Vec<BuiltJson<Vec<JsonValue>>>) = R::split(text)?;
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        rows.shorten_to(length);
        let has_more = keys.len() > length;
        let last = keys.get(length.saturating_sub(1)).filter(|_| has_more).map(BuiltJson::read).transpose()?;
        Ok((rows, self.keyset_links(last.as_deref())))
    }
}

/// The value of a key's column.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum KeyValue {
    Integer(i64),
    Real(f64),
    Text(String),
}

/// A bookmark is good in its list alone, and only as it was given: eight characters tell.
fn seal(list: &str, key: &[impl Serialize]) -> String {
    secrets::hash(json!([list, key]).to_string()).chars().take(8).collect()
}

pub(super) fn bookmark(list: &str, key: &[impl Serialize]) -> String {
    format!("{BOOKMARK}{}", BASE64_URL_SAFE_NO_PAD.encode(json!([seal(list, key), key]).to_string()))
}

pub(super) fn bookmarked(encoded: &str, list: &str) -> Option<Vec<KeyValue>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).ok()?;
    let (sealed, key): (String, Vec<JsonValue>) = serde_json::from_slice(&bytes).ok()?;
    if sealed != seal(list, &key) {
        return None;
    }
    serde_json::from_value(key.into()).ok()
}

pub(super) fn to_sql(value: &KeyValue) -> Value {
    match value {
        KeyValue::Integer(integer) => Value::Integer(*integer),
        KeyValue::Real(real) => Value::Real(*real),
        KeyValue::Text(text) => Value::Text(text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list_of;
    use super::super::tests::{ADDRESS, page};
    use super::*;

    #[test]
    fn a_bookmark_begins_where_the_page_before_ended() {
        #[derive(Deserialize)]
        struct Row {
            name: String,
        }
        let text = r#"[[["a"],["b"],["c"]],[[1],[2],[3]]]"#;
        let (rows, links) = page("per_page=2").unwrap().read_keyset(text.to_owned()).unwrap();
        let first: Paged<Row> = read(rows, links);
        assert_eq!(first.items.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let link = first.links.header().unwrap();
        let next = link.split("page=").find(|part| part.starts_with(BOOKMARK)).unwrap().split('&').next().unwrap();
        let mut values = Vec::new();
        let sql =
            page(&format!("page={next}&per_page=2")).unwrap().window(Key::ascending(&["id"]), &mut values).unwrap();
        assert_eq!(sql, "WHERE (id) > (?1) ORDER BY id LIMIT ?2 OFFSET ?3");
        assert_eq!(values, [Value::Integer(2), Value::Integer(3), Value::Integer(0)]);
    }

    #[test]
    fn a_bookmark_of_another_list_is_refused() {
        let own = list_of(ADDRESS);
        let two_columns = page(&format!("page={}", bookmark(&own, &[1, 2]))).unwrap();
        assert!(two_columns.window(Key::ascending(&["id"]), &mut Vec::new()).is_err());
        assert_eq!(own, list_of("http://elsewhere.test:3000/api/v1/polls"));
        for (list, key) in [("other", json!(1)), (&own, json!(null)), (&own, json!([])), (&own, json!(true))] {
            assert!(page(&format!("page={}", bookmark(list, &[key]))).is_err());
        }
        let forged = BASE64_URL_SAFE_NO_PAD.encode(json!([seal(&own, &[json!(1)]), [2]]).to_string());
        assert!(page(&format!("page={BOOKMARK}{forged}")).is_err());
    }

    const NEWEST_FIRST: Key = Key::descending(&["created_at", "id"]);

    fn cursor_page(query: &str) -> Result<Page> {
        Page::of_cursor(ADDRESS, query)
    }

    #[test]
    fn a_list_without_numbers_has_a_first_page_and_no_second() {
        let broken = format!("page={}", bookmark("other", &[1]));
        for query in ["", "page=", "page=1", "page=first", "page=bookmark:%%", &broken] {
            let first = cursor_page(query).unwrap().keyset_links(None);
            let at = |rel: &str| format!("<{ADDRESS}?page=first&per_page=10>; rel=\"{rel}\"");
            assert_eq!(first.header().unwrap(), [at("current"), at("first")].join(","), "{query}");
        }
        for query in ["page=2", "page=0", "page=last"] {
            assert!(matches!(cursor_page(query).unwrap_err().kind(), crate::error::Kind::NotFound), "{query}");
        }
    }

    #[test]
    fn a_first_page_may_begin_behind_a_key_and_a_bookmark_goes_its_own_way() {
        let values = |page: Page| {
            let mut values = Vec::new();
            let sql =
                page.beginning_behind(&["2026".to_owned(), "~".to_owned()]).window(NEWEST_FIRST, &mut values).unwrap();
            assert_eq!(sql, "WHERE (created_at, id) < (?1, ?2) ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4");
            values.into_iter().take(2).collect::<Vec<_>>()
        };
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(values(cursor_page("").unwrap()), [text("2026"), text("~")]);
        let bookmark = bookmark(&list_of(ADDRESS), &["2025", "x"]);
        assert_eq!(values(cursor_page(&format!("page={bookmark}")).unwrap()), [text("2025"), text("x")]);
    }
}
