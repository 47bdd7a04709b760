//! What an endpoint needs to know before its handler runs: the record that its path names, and what the caller may do with
//! it. The statement that checks the token finds it too, so that both cost one round trip.
//!
//! A handler says so in its signature: `course: NeededCourse<may::Manage>` is the course of the path, in which the caller has
//! that right; `course: NeededCourse` is one whose rights the handler judges by itself. Nobody gets further without.

use std::marker::PhantomData;
use std::ops::Deref;

use database::Json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use types::ids::RecordId;
use web::error::{OrNotFound, Result};
use web::lookup::Need;
pub use web::lookup::{Lookup, MatchedPath, Record, find};
#[cfg(not(target_arch = "wasm32"))]
use web::operation::Operation;
use web::{Argument, Parameters};

use crate::auth::{AccountAccess, CourseAccess, UserAccess};

/// The course that a path names.
pub type NeededCourse<R = Unjudged> = Needed<CourseAccess, R>;
/// A record within the course that a path names.
pub type NeededInCourse<T, R = Unjudged> = Needed<InCourse<T>, R>;
/// The account that a path names.
pub type NeededAccount<R = Unjudged> = Needed<AccountAccess, R>;
/// The user whom a path names.
pub type NeededUser<R = Unjudged> = Needed<UserAccess, R>;

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
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: RecordId = path.behind(T::WORD)?.or_not_found()?;
        let course = CourseAccess::lookup(path)?;
        let (within, mut values) = course.into_parts();
        let record = Lookup::new(T::SQL, (id.0,)).expression(&database::json_object::<T>()?, &mut values);
        let object = database::json_object::<CourseAccess>()?;
        let sql = format!(
            "SELECT * FROM (SELECT {object} AS course, {record} AS record FROM ({within}) course) WHERE record IS NOT NULL"
        );
        Ok(Lookup::new(sql, values))
    }
}

impl<T: DeserializeOwned, R: Judgement<CourseAccess>> Judgement<InCourse<T>> for R {
    const WHO: &'static str = R::WHO;

    fn judge(record: &InCourse<T>) -> Result<()> {
        R::judge(&record.course)
    }
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

impl<T, R> Needed<T, R> {
    /// The record itself.
    pub fn into_record(self) -> T {
        self.record
    }
}

impl<T: Record, R: Judgement<T>> Argument for Needed<T, R> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation.with_callers(R::WHO).with_names(T::NAMED_BY)
    }

    fn need() -> Option<Need> {
        Some(Need::of::<T>())
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        let record = parameters.take_needed()?;
        R::judge(&record)?;
        Ok(Self { record, right: PhantomData })
    }
}

/// The rights that endpoints ask for: `NeededCourse<may::Manage>` is a course that the caller may manage.
pub mod may {
    use web::error::Result;

    use super::Judgement;
    use crate::auth::{AccountAccess, CourseAccess, Right, UserAccess};

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
