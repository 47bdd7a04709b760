//! Reads of a handler, found in the statement that finds the caller and what the endpoint needs: so a read costs one round
//! trip. They are looked up before it is known whether the caller may see them, so a handler judges the rights first and asks
//! for them then; what the caller may not see is thrown away. A write has what it changes looked up so, and works after that.
//!
//! `poll: NeededPoll<may::Read>, choices: PrefetchedList<ChoicesOfPoll>` is a poll, and a page of its choices.

use std::marker::PhantomData;

use database::{BuiltList, BuiltRow};

use crate::error::{OrNotFound, Result};
use crate::handler::{Argument, Parameters};
use crate::lookup::Record;
#[cfg(not(target_arch = "wasm32"))]
use crate::operation::Operation;
use crate::pagination::{self, BuiltPage, Links, Page, PageRows, Paged};
pub use crate::reads::{List, Pages};
use crate::reads::{Prefetch, not_read};

/// A record beside what is needed.
pub struct Prefetched<T> {
    found: Found,
    record: PhantomData<T>,
}

/// A list beside what is needed, or a page of it.
pub struct PrefetchedList<L> {
    found: Found,
    list: PhantomData<L>,
}

/// The same, of a list whose rows are records in the words in which the database has built them, for an answer that has them as
/// they are.
pub struct PrefetchedBuiltList<L> {
    found: Found,
    list: PhantomData<L>,
}

/// The text of JSON that the statement has built; none where it has found nothing.
type Found = Result<Option<String>>;

impl<T: Record> Prefetched<T> {
    /// The record; 404 where there is none.
    pub fn record(self) -> Result<T> {
        self.into_option()?.or_not_found()
    }

    /// The record, if there is one.
    pub fn into_option(self) -> Result<Option<T>> {
        Ok(self.found?.as_deref().map(database::decode_row).transpose()?)
    }
}

impl<L: List> PrefetchedList<L> {
    /// The page that was asked for.
    pub fn page(self, page: &Page) -> Result<Paged<L::Row>> {
        let (rows, links) = page_of::<L, _>(self.found, page)?;
        Ok(pagination::read(rows, links))
    }

    /// All of a list without pages.
    pub fn rows(self) -> Result<Vec<L::Row>> {
        Ok(database::decode_rows(&read(self.found)?)?)
    }
}

impl<T, L: List<Row = BuiltRow<T>>> PrefetchedBuiltList<L> {
    /// The page that was asked for.
    pub fn page(self, page: &Page) -> Result<BuiltPage<T>> {
        let (list, links) = page_of::<L, _>(self.found, page)?;
        Ok(BuiltPage { list, links })
    }

    /// The page that was asked for, and what is told [beside it](crate::lookup::Lookup::with).
    pub fn page_and_beside(self, page: &Page) -> Result<(BuiltPage<T>, String)> {
        let (list, beside) = database::split_pair(read(self.found)?)?;
        let (list, links) = page.read_keyset(list)?;
        Ok((BuiltPage { list, links }, beside))
    }

    /// All of a list without pages.
    pub fn rows(self) -> Result<BuiltList<T>> {
        Ok(BuiltList::split(read(self.found)?)?.0)
    }
}

fn page_of<L: List, R: PageRows>(found: Found, page: &Page) -> Result<(R, Links)> {
    let text = read(found)?;
    match L::PAGES {
        Pages::Keyset(_) | Pages::Cursor(_) => page.read_keyset(text),
        _ => page.read_numbered(text),
    }
}

/// The text of a list: there is one, be it empty.
fn read(found: Found) -> Result<String> {
    found?.ok_or_else(not_read)
}

impl<T: Record> Argument for Prefetched<T> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation.with_prefetched_ids(T::IDS)
    }

    fn prefetch() -> Option<Prefetch> {
        Some(Prefetch::of_record::<T>())
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        Ok(Self { found: parameters.take_prefetched(), record: PhantomData })
    }
}

impl<L: List> Argument for PrefetchedList<L> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation
    }

    fn prefetch() -> Option<Prefetch> {
        Some(Prefetch::of_list::<L>())
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        Ok(Self { found: parameters.take_prefetched(), list: PhantomData })
    }
}

impl<T: 'static, L: List<Row = BuiltRow<T>>> Argument for PrefetchedBuiltList<L> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation
    }

    fn prefetch() -> Option<Prefetch> {
        Some(Prefetch::of_built_list::<T, L>())
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        Ok(Self { found: parameters.take_prefetched(), list: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use database::Bind;
    use serde::Deserialize;
    use serde_json::json;
    use types::ids::RecordId;

    use super::*;
    use crate::error::{Error, Kind};
    use crate::lookup::{Lookup, MatchedPath};
    use crate::pagination::Key;
    use crate::reads::Reads;

    #[derive(Deserialize)]
    struct Letter {
        id: i64,
    }

    impl Record for Letter {
        fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT id FROM letters WHERE id = ?1", (path.id::<RecordId>("letters")?.0,)))
        }
    }

    struct Letters;

    impl List for Letters {
        type Row = Letter;
        const PAGES: Pages = Pages::Numbered;

        fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT id FROM letters WHERE alphabet = ?1 ORDER BY id", (7,)))
        }
    }

    struct NewestLetters;

    impl List for NewestLetters {
        type Row = Letter;
        const PAGES: Pages = Pages::Keyset(Key::descending(&["id"]));

        fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT id FROM letters WHERE alphabet = ?1", (7,)))
        }
    }

    fn expression<A: Argument>(page: Option<&Page>) -> Result<(String, String)> {
        let params = json!({ "id": "5" }).as_object().unwrap().clone();
        let path = MatchedPath::new("/letters/:id", &params, None).asking(&params, page);
        let mut values = vec![1.value()];
        let sql = A::prefetch().unwrap().expression(path, &mut values)?;
        Ok((sql, format!("{values:?}")))
    }

    fn page(query: &str) -> Page {
        Page::of("http://lms.test/letters", query).unwrap()
    }

    #[test]
    fn a_record_is_a_part_of_the_statement_with_values_of_its_own() {
        let (sql, values) = expression::<Prefetched<Letter>>(None).unwrap();
        assert_eq!(sql, "(SELECT json_array(\"id\") FROM (SELECT id FROM letters WHERE id = ?2))");
        assert_eq!(values, format!("{:?}", [1.value(), 5.value()]));
    }

    #[test]
    fn a_page_comes_with_the_length_of_its_list() {
        let (sql, values) = expression::<PrefetchedList<Letters>>(Some(&page("page=3&per_page=10"))).unwrap();
        assert!(sql.contains("(SELECT count(*) FROM letters WHERE alphabet = ?2"), "{sql}");
        assert!(sql.contains("LIMIT ?3 OFFSET ?4"), "{sql}");
        assert_eq!(values, format!("{:?}", [1.value(), 7.value(), 10.value(), 20.value()]));
        let list = PrefetchedList::<Letters> { found: Ok(Some("[[[21]],21]".to_owned())), list: PhantomData };
        let read = list.page(&page("page=3&per_page=10")).unwrap();
        assert_eq!(read.items.iter().map(|letter| letter.id).collect::<Vec<_>>(), [21]);
        assert!(read.links.pagination().is_some());
    }

    #[test]
    fn a_list_in_the_order_of_a_key_begins_where_its_page_begins() {
        let (sql, _) = expression::<PrefetchedList<NewestLetters>>(Some(&page("per_page=2"))).unwrap();
        assert!(sql.contains("ORDER BY id DESC LIMIT ?3 OFFSET ?4"), "{sql}");
        let found = Ok(Some("[[[9],[8],[7]],[[9],[8],[7]]]".to_owned()));
        let read = PrefetchedList::<NewestLetters> { found, list: PhantomData }.page(&page("per_page=2")).unwrap();
        assert_eq!(read.items.iter().map(|letter| letter.id).collect::<Vec<_>>(), [9, 8]);
    }

    struct WrittenLetters;

    impl List for WrittenLetters {
        type Row = BuiltRow<Letter>;
        const PAGES: Pages = NewestLetters::PAGES;

        fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
            Ok(Lookup::new("SELECT id, letter AS record FROM letters WHERE alphabet = ?1", (7,)))
        }
    }

    #[test]
    fn a_list_of_records_goes_through_in_its_own_words() {
        let (sql, _) = expression::<PrefetchedBuiltList<WrittenLetters>>(Some(&page("per_page=2"))).unwrap();
        assert!(sql.starts_with("(SELECT concat('[', group_concat(record, char(30)), char(29), concat("), "{sql}");
        let found = || Ok(Some("[{\"id\": 9}\u{1e}{\"id\": 8}\u{1e}{\"id\": 7}\u{1d}[[9],[8],[7]]".to_owned()));
        let read = |query: &str| {
            let list = PrefetchedBuiltList::<WrittenLetters> { found: found(), list: PhantomData };
            list.page(&page(query)).unwrap()
        };
        let first = read("per_page=2");
        assert!(first.links.header().unwrap().contains("rel=\"next\""));
        assert_eq!(String::from_utf8(first.list.into_json()).unwrap(), "[{\"id\": 9},{\"id\": 8}]");
        let last = read("per_page=3");
        assert!(!last.links.header().unwrap().contains("rel=\"next\""));
        assert_eq!(last.read().unwrap().items.iter().map(|letter| letter.id).collect::<Vec<_>>(), [9, 8, 7]);
    }

    #[test]
    fn a_page_that_a_list_does_not_have_leaves_no_values_behind() {
        let params = json!({}).as_object().unwrap().clone();
        let page = Page::of_cursor("http://lms.test/letters", "").unwrap();
        let path = MatchedPath::new("/letters", &params, None).asking(&params, Some(&page));
        let mut values = vec![1.value()];
        let reads = Reads { need: None, prefetch: PrefetchedList::<Letters>::prefetch() };
        let results = reads.columns(path, &mut values).unwrap().results(None, None);
        assert!(matches!(results.prefetched.unwrap_err().kind(), Kind::NotFound));
        assert_eq!(values.len(), 1);
    }

    #[test]
    fn what_is_no_page_is_not_read_and_what_is_not_there_is_not_found() {
        assert!(expression::<PrefetchedList<Letters>>(None).is_err());
        let none = Prefetched::<Letter> { found: Ok(None), record: PhantomData };
        assert!(matches!(none.record().map(|_| ()).unwrap_err().kind(), Kind::NotFound));
        let refused = Prefetched::<Letter> { found: Err(Error::bad_request("no")), record: PhantomData };
        assert!(!matches!(refused.into_option().map(|_| ()).unwrap_err().kind(), Kind::NotFound));
    }
}
