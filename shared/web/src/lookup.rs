//! Records that paths name: how to find one together with what the caller may do with it, before it is known of which type
//! it is, so that the statement that checks the token finds it too.

use std::borrow::Cow;
use std::rc::Rc;

use database::{Binds, Db, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use types::coerce;

use crate::caller::Caller;
use crate::error::{Error, OrNotFound, Result};
use crate::pagination::Page;
use crate::params::{self, Params};

/// The way in which most paths name a record, for the API description.
pub(crate) const ANY_ID: &str = "An id, self, or sis_…_id:…";

/// A caller who is known already, as a common table expression without its name.
pub(crate) const KNOWN_CALLER: &str = "(user_id, root_account_id, site_admin, token_id) AS (VALUES (?1, ?2, ?3, ?4))";

/// The values of [`KNOWN_CALLER`].
pub(crate) fn known_values(caller: &Caller) -> Vec<Value> {
    (caller.user, caller.root_account, caller.site_admin, caller.token).values()
}

/// The path of a request: the endpoint's own, and what stands in the place of its parameters; and what is asked for beside
/// that.
#[derive(Clone, Copy)]
pub struct MatchedPath<'a> {
    path: &'static str,
    params: &'a Params,
    base_url: Option<&'a str>,
    query: Option<&'a Params>,
    page: Option<&'a Page>,
}

impl<'a> MatchedPath<'a> {
    pub(crate) fn new(path: &'static str, params: &'a Params, base_url: Option<&'a str>) -> Self {
        Self { path, params, base_url, query: None, page: None }
    }

    /// The service's own address, for a record that paths [name by its address](Record::NAMED_BY_ADDRESS) and a list that
    /// [has addresses](crate::reads::List::HAS_ADDRESSES); 404 where it is not known.
    pub fn base_url(self) -> Result<&'a str> {
        self.base_url.or_not_found()
    }

    /// The same with the parameters of the query, and with the page that is asked for.
    pub(crate) fn asking(self, query: &'a Params, page: Option<&'a Page>) -> Self {
        Self { query: Some(query), page, ..self }
    }

    /// The parameters of a read as a `T`, or 400 with the name of the parameter that does not fit.
    pub fn query<T: DeserializeOwned>(self) -> Result<T> {
        params::decode_query(self.query.cloned().unwrap_or_default())
    }

    /// The page that is asked for, if it is one.
    pub(crate) fn page(self) -> Option<&'a Page> {
        self.page
    }

    /// The parameters of the path as a `T`; 404 where they name nothing.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T> {
        let path = serde_json::Value::Object(self.params.clone());
        coerce::from_value(path).map_err(|_names_nothing| Error::not_found())
    }

    /// The id that stands behind that word; 404 where none of a `T` does.
    pub fn id<T: DeserializeOwned>(self, word: &str) -> Result<T> {
        self.behind(word)?.or_not_found()
    }

    /// The value behind that word, as the id behind `courses`: `None` where the path has no parameter there, and 404 where
    /// it is none of a `T`.
    pub fn behind<T: DeserializeOwned>(self, word: &str) -> Result<Option<T>> {
        let mut segments = self.path.split('/').skip_while(|segment| *segment != word);
        let name = segments.nth(1).and_then(|segment| segment.strip_prefix(':'));
        let value = name.and_then(|name| self.params.get(name)).cloned();
        value.map(|value| coerce::from_value(value).map_err(|_names_nothing| Error::not_found())).transpose()
    }
}

/// A record that a path names, with what the caller may do with it.
pub trait Record: DeserializeOwned + 'static {
    /// The way in which a path names it, for the API description.
    const NAMED_BY: &'static str = ANY_ID;
    /// The words of the path behind which plain ids stand, for the API description.
    const IDS: &'static [&'static str] = &[];
    /// True if a path may name it by its address in this service: [`MatchedPath::base_url`] is made for no others.
    const NAMED_BY_ADDRESS: bool = false;

    /// The way to find what the path names; 404 where it cannot name anything.
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup>;
}

/// A statement that finds a record among those that the caller's tenant has, with a column for each field of the record.
/// In it `caller` is a row with the columns `user_id`, `root_account_id`, `site_admin` and `token_id`; in what is prefetched it
/// has a column `needed` too, the record that the endpoint needs, as JSON.
pub struct Lookup {
    sql: Cow<'static, str>,
    values: Vec<Value>,
    shown: Option<Cow<'static, str>>,
    beside: Option<Cow<'static, str>>,
    first_behind: Option<Vec<String>>,
}

/// The statements of a list, whose values are numbered as they stand in the statement that they are a part of.
pub(crate) struct ListSql {
    pub(crate) found: Rc<str>,
    pub(crate) shown: Option<Rc<str>>,
    pub(crate) beside: Option<Rc<str>>,
}

impl Lookup {
    /// The statement with the values of its `?1`, `?2`, …
    pub fn new(sql: impl Into<Cow<'static, str>>, binds: impl Binds) -> Self {
        Self { sql: sql.into(), values: binds.values(), shown: None, beside: None, first_behind: None }
    }

    /// The same for a list, of which a page is found first and then shown by a statement over the table `page`: so nothing is
    /// worked out that is not shown. It has the same values, a column for each field of a row, and those of the key, if there is one.
    #[must_use]
    pub fn shown_by(self, shown: impl Into<Cow<'static, str>>) -> Self {
        Self { shown: Some(shown.into()), ..self }
    }

    /// The same for a list in the order of a key, with JSON for the page as a whole, such as the records that its rows name, each
    /// once: `beside` is an expression of that text, in which the table `shown` has the rows of the page.
    #[must_use]
    pub fn with(self, beside: impl Into<Cow<'static, str>>) -> Self {
        Self { beside: Some(beside.into()), ..self }
    }

    /// The same for a list in the order of a key that has bookmarks alone, whose first page begins behind that key: what comes
    /// before is not even looked at.
    #[must_use]
    pub fn beginning_behind<const N: usize>(self, key: [&str; N]) -> Self {
        Self { first_behind: Some(key.map(str::to_owned).to_vec()), ..self }
    }

    /// That page, or the first one as the list has it.
    pub(crate) fn page<'a>(&self, page: &'a Page) -> Cow<'a, Page> {
        self.first_behind.as_deref().map_or(Cow::Borrowed(page), |key| page.beginning_behind(key))
    }

    /// The statement and its values.
    pub fn into_parts(self) -> (Cow<'static, str>, Vec<Value>) {
        (self.sql, self.values)
    }

    /// The statement, whose values are numbered from after those that are there already.
    fn sql(self, values: &mut Vec<Value>) -> Rc<str> {
        self.list_sql(values).found
    }

    /// The same of a list, with what tells more of its pages.
    pub(crate) fn list_sql(self, values: &mut Vec<Value>) -> ListSql {
        let Self { sql, values: own, shown, beside, .. } = self;
        let renumbered = |sql: &str| database::renumbered(sql, values.len());
        let (shown, beside) = (shown.as_deref().map(renumbered), beside.as_deref().map(renumbered));
        let list = ListSql { found: renumbered(&sql), shown, beside };
        values.extend(own);
        list
    }

    /// The record as an expression of JSON, with its values as in `sql`.
    pub fn expression(self, object: &str, values: &mut Vec<Value>) -> String {
        format!("(SELECT {object} FROM ({}))", self.sql(values))
    }
}

/// The record that a statement finds, as an expression of JSON within another statement: a column for a field that is
/// `Json<T>`.
pub fn nested<T: DeserializeOwned>(sql: &str) -> Result<String> {
    Ok(format!("(SELECT {} FROM ({sql}))", database::json_object::<T>()?))
}

/// The records that a statement finds, in its order, as an expression of JSON within another statement: a column for a field
/// that is `Json<Vec<T>>`.
pub fn nested_list<T: DeserializeOwned>(sql: &str) -> Result<String> {
    Ok(format!("(SELECT {} FROM ({sql}))", database::json_list(&database::json_object::<T>()?)))
}

/// A record that is needed, before it is known of which type it is.
#[derive(Clone, Copy)]
pub struct Need {
    lookup: fn(MatchedPath<'_>) -> Result<Lookup>,
    object: fn() -> database::Result<Rc<str>>,
    pub(crate) named_by_address: bool,
}

impl Need {
    /// The need of a record of that type.
    pub fn of<T: Record>() -> Self {
        Self { lookup: T::lookup, object: database::json_object::<T>, named_by_address: T::NAMED_BY_ADDRESS }
    }

    /// The record that the path names, as an expression of JSON.
    pub(crate) fn expression(self, path: MatchedPath<'_>, values: &mut Vec<Value>) -> Result<String> {
        Ok((self.lookup)(path)?.expression(&(self.object)()?, values))
    }
}

/// The record that is looked up, for a caller who is known already; 404 where there is none.
pub async fn find<T: Record>(db: &Db, caller: &Caller, lookup: Lookup) -> Result<T> {
    #[derive(Deserialize)]
    struct Row {
        needed: Option<String>,
    }
    let mut values = known_values(caller);
    let needed = lookup.expression(&database::json_object::<T>()?, &mut values);
    let sql = format!("WITH caller {KNOWN_CALLER} SELECT {needed} AS needed FROM caller");
    read(db.fetch_one::<Row>(&sql, values).await?.needed)
}

pub(crate) fn read<T: Record>(found: Option<String>) -> Result<T> {
    Ok(database::decode_text(&found.or_not_found()?)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::ids::{CourseId, IdOrAlias, UserId};

    use super::*;

    #[test]
    fn a_record_is_named_behind_its_word() {
        let params = json!({ "course_id": "sis_course_id:A", "id": "7" });
        let params = params.as_object().unwrap();
        let path = MatchedPath::new("/api/v1/courses/:course_id/users/:id", params, None);
        let course: Option<IdOrAlias<CourseId>> = path.behind("courses").unwrap();
        assert_eq!(course, Some(IdOrAlias::Other("sis_course_id".to_owned(), "A".to_owned())));
        assert_eq!(path.behind::<UserId>("users").unwrap(), Some(UserId(7)));
        assert_eq!(path.behind::<UserId>("accounts").unwrap(), None);
        let own = MatchedPath::new("/api/v1/users/self/courses/:course_id", params, None);
        assert_eq!(own.behind::<UserId>("users").unwrap(), None);
        assert!(own.behind::<CourseId>("courses").is_err(), "a name that is no number");
    }

    #[test]
    fn a_query_is_read_from_all_parameters() {
        #[derive(Deserialize)]
        struct Query {
            n: i64,
        }
        let (path, query) = (Params::new(), json!({ "n": "7" }));
        let path = MatchedPath::new("/things", &path, None);
        assert!(path.query::<Query>().is_err());
        assert_eq!(path.asking(query.as_object().unwrap(), None).query::<Query>().unwrap().n, 7);
    }
}
