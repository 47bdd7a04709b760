//! The reads of the statement that checks the token: the record that the endpoint needs, and what its handler asks for
//! next, a record or a list.

use std::rc::Rc;

use database::{BuiltRow, Db, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::caller::Caller;
use crate::error::{Error, Kind, Result};
use crate::lookup::{KNOWN_CALLER, ListSql, Lookup, MatchedPath, Need, Record, known_values};
use crate::pagination::{Key, ListStatement, Page, RowForm};

/// A list of which requests read one page, or all of it.
pub trait List: 'static {
    /// The type of its rows.
    type Row: DeserializeOwned;

    /// The way in which it is asked for page by page.
    const PAGES: Pages;

    /// True if its rows have addresses in this service: [`MatchedPath::base_url`] is made for no others.
    const HAS_ADDRESSES: bool = false;

    /// The statement, with a column for each field of a row. It ends with its `ORDER BY`, unless a key gives the order.
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup>;
}

/// The way in which a list is asked for page by page.
#[derive(Clone, Copy)]
pub enum Pages {
    /// By number, see [`Context::page`](crate::Context::page).
    Numbered,
    /// The same, and whole where no page is asked for: see [`Context::page_or_whole`](crate::Context::page_or_whole).
    NumberedOrWhole,
    /// By bookmarks, in the order of the key.
    Keyset(Key),
    /// The same, and by nothing else: see [`Context::cursor_page`](crate::Context::cursor_page).
    Cursor(Key),
    /// Not at all: it is always whole.
    Whole,
}

/// A read that is prefetched, before it is known of which type it is.
#[derive(Clone, Copy)]
pub struct Prefetch {
    lookup: fn(MatchedPath<'_>) -> Result<Lookup>,
    /// A row as JSON.
    row: fn() -> database::Result<Rc<str>>,
    form: Form,
    asks_for_base_url: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Record,
    List(Pages),
    /// A list whose rows are records in their column `record`, which are answered as they are.
    BuiltList(Pages),
}

impl Prefetch {
    pub(crate) fn of_record<T: Record>() -> Self {
        Self {
            lookup: T::lookup,
            row: database::json_array::<T>,
            form: Form::Record,
            asks_for_base_url: T::NAMED_BY_ADDRESS,
        }
    }

    pub(crate) fn of_list<L: List>() -> Self {
        Self {
            lookup: L::lookup,
            row: database::json_array::<L::Row>,
            form: Form::List(L::PAGES),
            asks_for_base_url: L::HAS_ADDRESSES,
        }
    }

    pub(crate) fn of_built_list<T: 'static, L: List<Row = BuiltRow<T>>>() -> Self {
        Self { form: Form::BuiltList(L::PAGES), ..Self::of_list::<L>() }
    }

    /// The way in which its list is asked for page by page, if it is one.
    pub(crate) fn pages(self) -> Option<Pages> {
        match self.form {
            Form::Record => None,
            Form::List(pages) | Form::BuiltList(pages) => Some(pages),
        }
    }

    /// The read, as an expression of text whose values are numbered from after those that are there already.
    pub(crate) fn expression(self, path: MatchedPath<'_>, values: &mut Vec<Value>) -> Result<String> {
        let lookup = (self.lookup)(path)?;
        let row = (self.row)()?;
        match self.form {
            Form::Record => Ok(lookup.expression(&row, values)),
            Form::List(pages) => list_expression(lookup, pages, RowForm::Read(&row), path.page(), values),
            Form::BuiltList(pages) => list_expression(lookup, pages, RowForm::Built, path.page(), values),
        }
    }
}

fn list_expression(
    lookup: Lookup,
    pages: Pages,
    rows: RowForm<'_>,
    page: Option<&Page>,
    values: &mut Vec<Value>,
) -> Result<String> {
    let page = page.map(|page| lookup.page(page));
    let ListSql { found, shown, beside } = lookup.list_sql(values);
    let list = ListStatement { found: &found, shown: shown.as_deref(), beside: beside.as_deref() };
    // A page that is none is refused when the handler asks for it.
    let page = || page.as_deref().ok_or_else(not_read);
    let sql = match pages {
        Pages::Whole => format!("SELECT {} FROM ({found})", rows.alone()),
        Pages::Keyset(key) | Pages::Cursor(key) => page()?.keyset_sql(rows, list, key, values)?,
        Pages::Numbered | Pages::NumberedOrWhole => page()?.numbered_sql(rows, list, values)?,
    };
    Ok(format!("({sql})"))
}

pub(crate) fn not_read() -> Error {
    Error::internal(anyhow::anyhow!("a list was asked for that was not read"))
}

/// The reads of the statement that finds the caller: the record that the endpoint needs, and what its handler reads next.
#[derive(Clone, Copy, Default)]
pub struct Reads {
    pub(crate) need: Option<Need>,
    pub(crate) prefetch: Option<Prefetch>,
}

/// The results of the reads, as JSON.
pub struct ReadResults {
    pub(crate) needed: Option<String>,
    /// An error where the request asks for what cannot be: the handler is told when it asks for it.
    pub(crate) prefetched: Result<Option<String>>,
}

/// The reads as expressions of a statement.
pub struct ReadColumns {
    needed: Option<String>,
    prefetched: Result<Option<String>>,
}

impl Default for ReadResults {
    fn default() -> Self {
        Self { needed: None, prefetched: Ok(None) }
    }
}

impl Default for ReadColumns {
    fn default() -> Self {
        Self { needed: None, prefetched: Ok(None) }
    }
}

impl Reads {
    pub(crate) fn is_empty(self) -> bool {
        self.need.is_none() && self.prefetch.is_none()
    }

    /// True if the path may name what is read by its address in this service, or if what is read has such addresses.
    pub(crate) fn ask_for_base_url(self) -> bool {
        self.need.is_some_and(|need| need.named_by_address)
            || self.prefetch.is_some_and(|prefetch| prefetch.asks_for_base_url)
    }

    /// The reads as expressions, whose values are numbered from after those that are there already.
    pub fn columns(self, path: MatchedPath<'_>, values: &mut Vec<Value>) -> Result<ReadColumns> {
        // A path that cannot name anything is refused when the arguments are taken.
        let needed = self.need.map(|need| need.expression(path, values).map(Some).or_else(none_named));
        let needed = needed.transpose()?.flatten();
        let known = values.len();
        let prefetched = match self.prefetch {
            // Nothing is read of a record that cannot be there.
            Some(_) if self.need.is_some() && needed.is_none() => Ok(None),
            prefetch => prefetch.map(|prefetch| prefetch.expression(path, values)).transpose(),
        };
        if prefetched.is_err() {
            // The statement goes without it, and has no place for its values.
            values.truncate(known);
        }
        Ok(ReadColumns { needed, prefetched })
    }

    /// The reads for a caller who is known already.
    pub async fn fetch(self, db: &Db, caller: &Caller, path: MatchedPath<'_>) -> Result<ReadResults> {
        #[derive(Deserialize)]
        struct Row {
            needed: Option<String>,
            prefetched: Option<String>,
        }
        let mut values = known_values(caller);
        let columns = self.columns(path, &mut values)?;
        let row: Row = db.fetch_one(&columns.statement(KNOWN_CALLER), values).await?;
        Ok(columns.results(row.needed, row.prefetched))
    }
}

fn none_named(error: Error) -> Result<Option<String>> {
    if matches!(error.kind(), Kind::NotFound) { Ok(None) } else { Err(error) }
}

impl ReadColumns {
    /// The statement that finds the caller with the columns `needed` and `prefetched`. `holder` is a common table expression
    /// with the columns of the caller, without its name.
    pub fn statement(&self, holder: &str) -> String {
        let needed = self.needed.as_deref().unwrap_or("NULL");
        match &self.prefetched {
            // The record that is needed is found once, however often the other refers to it.
            Ok(Some(prefetched)) => format!(
                "WITH holder {holder},
                 caller AS MATERIALIZED (SELECT caller.*, {needed} AS needed FROM holder caller)
                 SELECT caller.*, {prefetched} AS prefetched FROM caller"
            ),
            _ => format!(
                "WITH holder {holder} SELECT caller.*, {needed} AS needed, NULL AS prefetched FROM holder caller"
            ),
        }
    }

    /// The results, from the columns of the row that the statement found.
    pub fn results(self, needed: Option<String>, prefetched: Option<String>) -> ReadResults {
        ReadResults { needed, prefetched: self.prefetched.map(|_| prefetched) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[derive(Deserialize)]
    struct Addressed {}

    impl Record for Addressed {
        const NAMED_BY_ADDRESS: bool = true;

        fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
            path.base_url().map(|base_url| Lookup::new("SELECT ?1", (base_url.to_owned(),)))
        }
    }

    #[derive(Deserialize)]
    struct Numbered {}

    impl Record for Numbered {
        fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT 1", ()))
        }
    }

    #[test]
    fn only_a_record_that_is_named_by_its_address_asks_for_the_address_of_the_service() {
        let reads = |need, prefetch| Reads { need, prefetch };
        assert!(reads(Some(Need::of::<Addressed>()), None).ask_for_base_url());
        assert!(reads(None, Some(Prefetch::of_record::<Addressed>())).ask_for_base_url());
        let others = reads(Some(Need::of::<Numbered>()), Some(Prefetch::of_record::<Numbered>()));
        assert!(!others.ask_for_base_url() && !Reads::default().ask_for_base_url());
    }

    #[test]
    fn what_is_needed_is_found_once_however_often_what_is_prefetched_refers_to_it() {
        let needed = Some("(SELECT 1)".to_owned());
        let alone = ReadColumns { needed: needed.clone(), prefetched: Ok(None) };
        let sql = alone.statement("AS (SELECT 2 AS user_id)");
        assert!(sql.contains("(SELECT 1) AS needed, NULL AS prefetched FROM holder caller"), "{sql}");
        let both = ReadColumns { needed, prefetched: Ok(Some("(SELECT 3)".to_owned())) };
        let sql = both.statement("AS (SELECT 2 AS user_id)");
        assert!(
            sql.contains("caller AS MATERIALIZED (SELECT caller.*, (SELECT 1) AS needed FROM holder caller)"),
            "{sql}"
        );
        assert!(sql.ends_with("SELECT caller.*, (SELECT 3) AS prefetched FROM caller"), "{sql}");
    }

    #[derive(Deserialize)]
    struct Entry {
        #[expect(dead_code, reason = "the statement alone is looked at")]
        name: String,
    }

    struct ByKey;

    impl List for ByKey {
        type Row = Entry;
        const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

        fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT id FROM t WHERE t.word = ?1", ("a",)).shown_by("SELECT id, ?1 AS name FROM page"))
        }
    }

    struct ByNumber;

    impl List for ByNumber {
        type Row = Entry;
        const PAGES: Pages = Pages::Numbered;

        fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
            ByKey::lookup(path)
        }
    }

    #[test]
    fn a_page_is_found_before_it_is_shown() {
        let page = Page::of("https://lms.test/list", "").unwrap();
        let (path, query) = (Params::new(), Params::new());
        for prefetch in [Prefetch::of_list::<ByKey>(), Prefetch::of_list::<ByNumber>()] {
            let mut values = vec![Value::Integer(7)];
            let path = MatchedPath::new("/list", &path, None).asking(&query, Some(&page));
            let sql = prefetch.expression(path, &mut values).unwrap();
            let (found, shown) = sql.split_once(") SELECT concat").unwrap();
            assert!(
                found.starts_with("(WITH page AS MATERIALIZED (SELECT * FROM (SELECT id FROM t WHERE t.word = ?2)"),
                "{sql}"
            );
            assert!(found.ends_with("LIMIT ?3 OFFSET ?4"), "{sql}");
            assert!(shown.contains("FROM (SELECT id, ?2 AS name FROM page)"), "{sql}");
            assert_eq!(values.len(), 4);
        }
    }
}
