//! The needs of an endpoint before its handler runs: the record that its path names, and what the caller may do with
//! it. The statement that checks the token finds it too, so that both cost one round trip.
//!
//! A handler says so in its signature: `course: NeededCourse<may::Manage>` is the course of the path, in which the caller has
//! that right; `course: NeededCourse` is one whose rights the handler judges by itself. Nobody gets further without.
//!
//! An area's own record is a [`Record`] with the rights ([`Judgement`]) that it can answer. The next read of a handler may
//! be a part of the same statement, too: see [`web::prefetch`].

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Deref;

use database::{Bind, Json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use types::ids::{AccountId, RecordId};
use web::error::Result;
use web::lookup::Need;
pub use web::lookup::{Lookup, MatchedPath, Record, find, nested, nested_list};
#[cfg(not(target_arch = "wasm32"))]
use web::operation::Operation;
use web::{Argument, Parameters};

use crate::auth::{AccountAccess, CourseAccess, GroupAccess, UserAccess};

/// The course that a path names.
pub type NeededCourse<R = Unjudged> = Needed<CourseAccess, R>;
/// A record within the course that a path names.
pub type NeededInCourse<T, R = Unjudged> = Needed<InCourse<T>, R>;
/// The account that a path names.
pub type NeededAccount<R = Unjudged> = Needed<AccountAccess, R>;
/// The group of users that a path names.
pub type NeededGroup<R = Unjudged> = Needed<GroupAccess, R>;
/// The user whom a path names.
pub type NeededUser<R = Unjudged> = Needed<UserAccess, R>;

/// A right to a record, or to several.
pub trait Judgement<T>: 'static {
    /// Those who have it, for the API description; empty where the endpoint says so itself.
    const WHO: &'static str;

    /// 403 unless the caller has it.
    fn judge(record: &T) -> Result<()>;
}

/// The right that the handler judges by itself.
pub struct Unjudged;

impl<T> Judgement<T> for Unjudged {
    const WHO: &'static str = "";

    fn judge(_: &T) -> Result<()> {
        Ok(())
    }
}

/// A record of an area within a course.
pub trait OfCourse: DeserializeOwned + 'static {
    /// The words of the path that ids stand behind.
    const WORDS: &'static [&'static str];

    /// The statement that finds it by these ids, which are `?1`, `?2`, …, with a column for each of its fields. In it
    /// `course` is a row with the columns of [`CourseAccess`], and `caller` one as in [`Lookup`].
    fn sql() -> Result<Cow<'static, str>>;
}

/// A record of an area, and the course in which it is, with what the caller may do there.
#[derive(Deserialize)]
pub struct InCourse<T: DeserializeOwned> {
    /// The course.
    #[serde(deserialize_with = "from_json")]
    pub course: CourseAccess,
    /// The record.
    #[serde(deserialize_with = "from_json")]
    pub record: T,
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
    const IDS: &'static [&'static str] = T::WORDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id = |word: &&str| path.id::<RecordId>(word).map(|id| id.0.value());
        let ids = T::WORDS.iter().map(id).collect::<Result<Vec<_>>>()?;
        let course = CourseAccess::lookup(path)?;
        let (within, mut values) = course.into_parts();
        let record = Lookup::new(T::sql()?, ids).expression(&database::json_object::<T>()?, &mut values);
        let object = database::json_object::<CourseAccess>()?;
        // With a limit SQLite makes the row once, instead of the record once for each time that it is mentioned.
        let sql = format!(
            "SELECT * FROM (SELECT {object} AS course, {record} AS record FROM ({within}) course LIMIT 1)
             WHERE record IS NOT NULL"
        );
        Ok(Lookup::new(sql, values))
    }
}

/// A course, or a record with the course in which it is: who has a right in the course has it to the record.
pub trait HasCourse {
    /// The course, with what the caller may do there.
    fn course(&self) -> &CourseAccess;
}

impl HasCourse for CourseAccess {
    fn course(&self) -> &CourseAccess {
        self
    }
}

impl<T: DeserializeOwned> HasCourse for InCourse<T> {
    fn course(&self) -> &CourseAccess {
        &self.course
    }
}

/// A record of a tenant, such as one that [`AccountAccess::with_tenant`] finds.
pub trait HasTenant {
    /// The root account, with what the caller may do there.
    fn tenant(&self) -> &AccountAccess;

    /// The id of that account.
    fn root_account(&self) -> AccountId {
        self.tenant().root_account
    }
}

/// A need of an endpoint: a record of the path to which the caller has the right.
pub struct Needed<T, R = Unjudged> {
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
        operation.with_callers(R::WHO).with_names(T::NAMED_BY).with_needed_ids(T::IDS)
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

    use super::{HasCourse, HasTenant, Judgement};
    use crate::auth::{AccountAccess, GroupAccess, Right, UserAccess};

    macro_rules! course_rights {
        ($($right:ident: $who:literal;)*) => {$(
            #[doc = concat!("[`Right::", stringify!($right), "`]")]
            pub struct $right;

            impl<T: HasCourse> Judgement<T> for $right {
                const WHO: &'static str = $who;

                fn judge(record: &T) -> Result<()> {
                    record.course().require(Right::$right)
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
            account.require_administrator()
        }
    }

    /// Administer the tenant of a record.
    pub struct AdministerTenant;

    impl<T: HasTenant> Judgement<T> for AdministerTenant {
        const WHO: &'static str = "administrators of the root account.";

        fn judge(record: &T) -> Result<()> {
            record.tenant().require_administrator()
        }
    }

    /// See the group.
    pub struct ReadGroup;

    impl Judgement<GroupAccess> for ReadGroup {
        const WHO: &'static str = "members of the group, those in its course, and administrators.";

        fn judge(group: &GroupAccess) -> Result<()> {
            group.require_read()
        }
    }

    /// Change the group and its members.
    pub struct ManageGroup;

    impl Judgement<GroupAccess> for ManageGroup {
        const WHO: &'static str = "staff of the group's course, and administrators.";

        fn judge(group: &GroupAccess) -> Result<()> {
            group.require_manage()
        }
    }

    /// Act for the user.
    pub struct ActFor;

    impl Judgement<UserAccess> for ActFor {
        const WHO: &'static str = "the user, and administrators of the user's institution.";

        fn judge(user: &UserAccess) -> Result<()> {
            user.require_own_or_administered()
        }
    }
}
