//! What an endpoint needs to know before its handler runs: the record that its path names, and what the caller may do with
//! it. The statement that checks the token finds it too, so that both cost one round trip.
//!
//! A handler says so in its signature: `course: NeededCourse<may::Manage>` is the course of the path, in which the caller has
//! that right; `course: NeededCourse` is one whose rights the handler judges by itself. Nobody gets further without.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::auth::{AccountAccess, Caller, CourseAccess, UserAccess};
use crate::db::{self, Binds, Db, Json, Value};
#[cfg(not(target_arch = "wasm32"))]
use crate::describe::Shape;
use crate::error::{Error, OrNotFound, Result};
use crate::handler::{Argument, Parameters};
use crate::ids::RecordId;
use crate::params::{Params, lenient};

/// The course that a path names.
pub type NeededCourse<R = Unjudged> = Needed<CourseAccess, R>;
/// A record within the course that a path names.
pub type NeededInCourse<T, R = Unjudged> = Needed<InCourse<T>, R>;
/// The account that a path names.
pub type NeededAccount<R = Unjudged> = Needed<AccountAccess, R>;
/// The user whom a path names.
pub type NeededUser<R = Unjudged> = Needed<UserAccess, R>;

/// The path of a request: the endpoint's own, and what stands in the place of its parameters.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    path: &'static str,
    params: &'a Params,
}

impl<'a> Place<'a> {
    pub(crate) fn new(path: &'static str, params: &'a Params) -> Self {
        Self { path, params }
    }

    /// What stands behind that word, as the id behind `courses`: `None` where the path has no parameter there, and 404 where
    /// it is none of a `T`.
    pub fn behind<T: DeserializeOwned>(self, word: &str) -> Result<Option<T>> {
        let mut segments = self.path.split('/').skip_while(|segment| *segment != word);
        let name = segments.nth(1).and_then(|segment| segment.strip_prefix(':'));
        let value = name.and_then(|name| self.params.get(name)).cloned();
        value.map(|value| lenient::from_value(value).map_err(|_names_nothing| Error::not_found())).transpose()
    }
}

/// A record that a path names, with what the caller may do with it.
pub trait Record: DeserializeOwned + 'static {
    /// How to find what the path names; 404 where it cannot name anything.
    fn lookup(place: Place<'_>) -> Result<Lookup>;
}

/// A right to a record, or to several.
pub trait Judgement<T>: 'static {
    /// Who has it, for the API description; empty where the endpoint says so itself.
    const WHO: &'static str;

    /// 403 unless the caller has it.
    fn judge(record: &T) -> Result<()>;
}

/// The right that the handler judges by itself.
pub struct Unjudged;

macro_rules! unjudged {
    ($($record:ty),*) => {$(
        impl Judgement<$record> for Unjudged {
            const WHO: &'static str = "";

            fn judge(_: &$record) -> Result<()> {
                Ok(())
            }
        }
    )*};
}

unjudged!(CourseAccess, AccountAccess, UserAccess);

/// A statement that finds a record among those that the caller's tenant has, with a column for each field of the record.
/// In it `caller` is a row with the columns `user_id`, `root_account_id` and `site_admin`.
pub struct Lookup {
    sql: Cow<'static, str>,
    values: Vec<Value>,
}

impl Lookup {
    /// The statement with the values of its `?1`, `?2`, …
    pub fn new(sql: impl Into<Cow<'static, str>>, binds: impl Binds) -> Self {
        Self { sql: sql.into(), values: binds.values() }
    }

    /// The record as an expression of JSON, whose values are numbered from after those that are there already.
    fn expression(self, object: &str, values: &mut Vec<Value>) -> String {
        let sql = db::renumbered(&self.sql, values.len());
        values.extend(self.values);
        format!("(SELECT {object} FROM ({sql}))")
    }
}

/// A record of an area within a course.
pub trait OfCourse: DeserializeOwned + 'static {
    /// The word of the path that its id stands behind.
    const WORD: &'static str;
    /// The statement that finds it by its id, which is `?1`, with a column for each of its fields. In it `course` is a row
    /// with the column `id`.
    const SQL: &'static str;
}

/// A record of an area, and the course in which it is, with what the caller may do there.
#[derive(Deserialize)]
pub struct InCourse<T: DeserializeOwned> {
    /// The course.
    #[serde(deserialize_with = "from_json")]
    pub course: CourseAccess,
    #[serde(deserialize_with = "from_json")]
    record: T,
}

fn from_json<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    Json::deserialize(deserializer).map(|json| json.0)
}

impl<T: DeserializeOwned> Deref for InCourse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

impl<T: OfCourse> Record for InCourse<T> {
    fn lookup(place: Place<'_>) -> Result<Lookup> {
        let id: RecordId = place.behind(T::WORD)?.or_not_found()?;
        let course = CourseAccess::lookup(place)?;
        let mut values = course.values;
        let record = Lookup::new(T::SQL, (id.0,)).expression(&db::json_object::<T>()?, &mut values);
        let object = db::json_object::<CourseAccess>()?;
        let sql = format!(
            "SELECT * FROM (SELECT {object} AS course, {record} AS record FROM ({}) course) WHERE record IS NOT NULL",
            course.sql
        );
        Ok(Lookup { sql: sql.into(), values })
    }
}

impl<T: DeserializeOwned, R: Judgement<CourseAccess>> Judgement<InCourse<T>> for R {
    const WHO: &'static str = R::WHO;

    fn judge(record: &InCourse<T>) -> Result<()> {
        R::judge(&record.course)
    }
}

/// A record that is needed, before it is known of which type it is.
#[derive(Clone, Copy)]
pub struct Need {
    lookup: fn(Place<'_>) -> Result<Lookup>,
    object: fn() -> db::Result<Rc<str>>,
}

impl Need {
    fn of<T: Record>() -> Self {
        Self { lookup: T::lookup, object: db::json_object::<T> }
    }

    /// The record that the path names, as an expression of JSON.
    pub(crate) fn expression(self, place: Place<'_>, values: &mut Vec<Value>) -> Result<String> {
        Ok((self.lookup)(place)?.expression(&(self.object)()?, values))
    }

    /// The record as JSON, for a caller who is known already.
    pub(crate) async fn find(self, db: &Db, caller: &Caller, place: Place<'_>) -> Result<Option<String>> {
        Ok(found(db, caller, (self.lookup)(place)?, &(self.object)()?).await?)
    }
}

/// The record that is looked up, for a caller who is known already; 404 where there is none.
pub async fn find<T: Record>(db: &Db, caller: &Caller, lookup: Lookup) -> Result<T> {
    read(found(db, caller, lookup, &db::json_object::<T>()?).await?)
}

async fn found(db: &Db, caller: &Caller, lookup: Lookup, object: &str) -> db::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Row {
        needed: Option<String>,
    }
    let mut values = (caller.user, caller.root_account, caller.site_admin).values();
    let needed = lookup.expression(object, &mut values);
    let sql = format!(
        "WITH caller (user_id, root_account_id, site_admin) AS (VALUES (?1, ?2, ?3)) SELECT {needed} AS needed FROM caller"
    );
    Ok(db.fetch_one::<Row>(&sql, values).await?.needed)
}

fn read<T: Record>(found: Option<String>) -> Result<T> {
    Ok(db::decode_text(&found.or_not_found()?)?)
}

/// What an endpoint needs: a record of the path to which the caller has the right.
pub struct Needed<T, R> {
    record: T,
    right: PhantomData<R>,
}

impl<T, R> Deref for Needed<T, R> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

impl<T: Record, R: Judgement<T>> Argument for Needed<T, R> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(shape: Shape) -> Shape {
        shape.with_callers(R::WHO)
    }

    fn need() -> Option<Need> {
        Some(Need::of::<T>())
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        let record = read(parameters.needed.take())?;
        R::judge(&record)?;
        Ok(Self { record, right: PhantomData })
    }
}

/// The rights that endpoints ask for: `NeededCourse<may::Manage>` is a course that the caller may manage.
pub mod may {
    use super::Judgement;
    use crate::auth::{AccountAccess, CourseAccess, Right, UserAccess};
    use crate::error::Result;

    macro_rules! course_rights {
        ($($right:ident: $who:literal;)*) => {$(
            #[doc = concat!("[`Right::", stringify!($right), "`]")]
            pub struct $right;

            impl Judgement<CourseAccess> for $right {
                const WHO: &'static str = $who;

                fn judge(course: &CourseAccess) -> Result<()> {
                    course.must(Right::$right)
                }
            }
        )*};
    }

    course_rights! {
        Read: "members of the course, administrators, and everybody of the institution where the course is public.";
        ReadAsStaff: "teachers, assistants and designers of the course, and administrators.";
        ReadRoster: "members of the course, and administrators.";
        Manage: "teachers and designers of the course, and administrators.";
        ManageAssignments: "teachers, assistants and designers of the course, and administrators.";
        ManageGrades: "teachers and assistants of the course, and administrators.";
        ManageSections: "teachers and designers of the course, and administrators.";
        ManageEnrollments: "teachers and assistants of the course, and administrators.";
        ManageGroups: "teachers, assistants and designers of the course, and administrators.";
        Participate: "students of the course.";
    }

    /// Administer the account.
    pub struct Administer;

    impl Judgement<AccountAccess> for Administer {
        const WHO: &'static str = "administrators of the account, or of one above it.";

        fn judge(account: &AccountAccess) -> Result<()> {
            account.must_administer()
        }
    }

    /// Act for the user.
    pub struct ActFor;

    impl Judgement<UserAccess> for ActFor {
        const WHO: &'static str = "the user, and administrators of the user's institution.";

        fn judge(user: &UserAccess) -> Result<()> {
            user.must_be_own_or_administered()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ids::{CourseId, Named, UserId};

    #[test]
    fn a_record_is_named_behind_its_word() {
        let params = json!({ "course_id": "sis_course_id:A", "id": "7" });
        let params = params.as_object().unwrap();
        let place = Place::new("/api/v1/courses/:course_id/users/:id", params);
        let course: Option<Named<CourseId>> = place.behind("courses").unwrap();
        assert_eq!(course, Some(Named::Other("sis_course_id".to_owned(), "A".to_owned())));
        assert_eq!(place.behind::<UserId>("users").unwrap(), Some(UserId(7)));
        assert_eq!(place.behind::<UserId>("accounts").unwrap(), None);
        let own = Place::new("/api/v1/users/self/courses/:course_id", params);
        assert_eq!(own.behind::<UserId>("users").unwrap(), None);
        assert!(own.behind::<CourseId>("courses").is_err(), "a name that is no number");
    }
}
