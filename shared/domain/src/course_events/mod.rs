//! The events of courses, noted for the audit log: in the transaction of the change itself, so that neither is there
//! without the other.

mod page_view;
mod retention;
mod store;

use database::{Db, Json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use types::clock::{self, Timestamp};
use types::ids::{AccountId, CourseId, EnrollmentTermId, SisImportId, UserId};
use uuid::Uuid;
use web::Context;
use web::error::{Error, Result};

use page_view::PageView;

pub use retention::cut;

/// The most characters of a text in a change.
const MAX_TEXT_CHARS: usize = 1000;

/// The author of a change of courses, and the way of the change.
pub struct Author {
    /// The user.
    pub user: UserId,
    /// The administrator who acts as that user.
    pub real_user: Option<UserId>,
    /// By which way.
    pub source: Source,
    /// The import that does it.
    pub sis_batch: Option<SisImportId>,
    /// The request that does it; an import goes on after the request that began it.
    request: Option<PageView>,
}

/// By which way a change came.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The pages of the service.
    Manual,
    /// An import of what an institution's other system knows.
    Sis,
    /// A bearer token.
    Api,
}

/// The event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// It is over.
    Concluded,
    /// It goes on after all.
    Unconcluded,
    /// Students see it.
    Published,
    /// Students do not see it any more.
    Claimed,
    /// It is gone.
    Deleted,
    /// It is back.
    Restored,
}

/// The relation of two courses.
#[derive(Clone, Copy)]
pub enum Pair {
    /// The one has what was in the other.
    Copied,
    /// The one stands in the place of the other.
    Reset,
}

/// The fields of a course whose changes are noted, by the names that the log has for them.
#[derive(Serialize, Deserialize, Default)]
pub struct CourseSnapshot {
    account_id: Option<AccountId>,
    enrollment_term_id: Option<EnrollmentTermId>,
    name: String,
    course_code: String,
    sis_source_id: Option<String>,
    start_at: Option<Timestamp>,
    conclude_at: Option<Timestamp>,
    is_public: bool,
    public_description: Option<String>,
    syllabus_body: Option<String>,
    license: Option<String>,
    default_view: String,
    time_zone: Option<String>,
    post_manually: bool,
    /// Not a change of its own: the steps of a course are events of theirs.
    #[serde(skip_serializing)]
    workflow_state: String,
}

impl CourseSnapshot {
    /// Its columns, of a row of `courses`.
    pub const COLUMNS: &str =
        "account_id, enrollment_term_id, name, course_code, sis_course_id AS sis_source_id, start_at, end_at AS conclude_at,
        is_public, public_description, syllabus_body, license, default_view, time_zone, post_manually, workflow_state";

    /// The dates of its start and its end.
    pub fn dates(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        (self.start_at, self.conclude_at)
    }

    /// The state, unless the course is deleted.
    pub fn state(&self) -> Option<&str> {
        Some(self.workflow_state.as_str()).filter(|state| *state != "deleted")
    }
}

/// An event as it is stored.
struct Record {
    event_type: &'static str,
    event_data: Json,
    partner: Option<CourseId>,
}

impl Author {
    /// The caller, with a bearer token or on a page of ours.
    pub fn of(cx: &Context) -> Result<Self> {
        let caller = cx.caller()?;
        Ok(Self {
            user: caller.user,
            real_user: caller.real_user,
            source: if caller.token.is_some() { Source::Api } else { Source::Manual },
            sis_batch: None,
            request: Some(PageView::of(cx)?),
        })
    }

    /// An import, and who began it.
    pub fn import(user: UserId, real_user: Option<UserId>, import: SisImportId) -> Self {
        Self { user, real_user, source: Source::Sis, sis_batch: Some(import), request: None }
    }
}

/// Notes that a course was made, with what it was made of.
pub async fn created(db: &Db, author: &Author, course: CourseId) -> Result<()> {
    let changes = changes(&CourseSnapshot::default(), &snapshot(db, course).await?)?;
    note_changes(db, author, course, "created", changes).await
}

/// Notes what is not as it was `before`.
pub async fn updated(db: &Db, author: &Author, course: CourseId, before: &CourseSnapshot) -> Result<()> {
    changed(db, author, course, before, &snapshot(db, course).await?).await
}

/// The same of a course that is known as it is now.
pub async fn changed(
    db: &Db,
    author: &Author,
    course: CourseId,
    before: &CourseSnapshot,
    after: &CourseSnapshot,
) -> Result<()> {
    note_changes(db, author, course, "updated", changes(before, after)?).await
}

/// Notes what happened to a course.
pub async fn happened(db: &Db, author: &Author, course: CourseId, event: Event) -> Result<()> {
    let event_type = match event {
        Event::Concluded => "concluded",
        Event::Unconcluded => "unconcluded",
        Event::Published => "published",
        Event::Claimed => "claimed",
        Event::Deleted => "deleted",
        Event::Restored => "restored",
    };
    note(db, author, course, Record { event_type, event_data: Json(json!({})), partner: None }).await
}

/// Notes in both courses that the one came from the other.
pub async fn paired(db: &Db, author: &Author, new: CourseId, old: CourseId, pair: Pair) -> Result<()> {
    let (from, to) = match pair {
        Pair::Copied => ("copied_from", "copied_to"),
        Pair::Reset => ("reset_from", "reset_to"),
    };
    for (course, event_type, partner) in [(new, from, old), (old, to, new)] {
        note(db, author, course, Record { event_type, event_data: Json(json!({})), partner: Some(partner) }).await?;
    }
    Ok(())
}

/// The fields of the course as it is now.
pub async fn snapshot(db: &Db, course: CourseId) -> Result<CourseSnapshot> {
    Ok(store::snapshot(db, course).await?.ok_or(database::Error::NoRow)?)
}

async fn note_changes(
    db: &Db,
    author: &Author,
    course: CourseId,
    event_type: &'static str,
    changes: Map<String, Value>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    note(db, author, course, Record { event_type, event_data: Json(changes.into()), partner: None }).await
}

/// The one place where events are written. Their time is that of the writing: transactions come one after another, and
/// so do the times of their events.
async fn note(db: &Db, author: &Author, course: CourseId, event: Record) -> Result<()> {
    let now = clock::now();
    store::insert(db, author, course, event, Uuid::new_v4(), now).await?;
    retention::cut(db, now).await
}

/// The old and the new value of each field that is not as it was. Nothing, none and "no" are all the same.
fn changes(before: &CourseSnapshot, after: &CourseSnapshot) -> Result<Map<String, Value>> {
    let (before, after) = (fields(before)?, fields(after)?);
    let pairs = after.into_iter().filter_map(|(field, new)| {
        let old = before.get(&field).cloned().unwrap_or_default();
        let same = old == new || (is_blank(&old) && is_blank(&new));
        (!same).then(|| (field, json!([shortened(old), shortened(new)])))
    });
    Ok(pairs.collect())
}

fn fields(snapshot: &CourseSnapshot) -> Result<Map<String, Value>> {
    match serde_json::to_value(snapshot).map_err(Error::internal)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::String(text) => text.chars().take(MAX_TEXT_CHARS).collect::<String>().into(),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn botany() -> CourseSnapshot {
        CourseSnapshot { name: "Botany".to_owned(), course_code: "BOT".to_owned(), ..CourseSnapshot::default() }
    }

    fn changes_of(before: &CourseSnapshot, after: &CourseSnapshot) -> Value {
        changes(before, after).unwrap().into()
    }

    #[test]
    fn only_what_changed_is_told() {
        let after = CourseSnapshot { name: "Botany I".to_owned(), is_public: true, ..botany() };
        assert_eq!(changes_of(&botany(), &after), json!({"name": ["Botany", "Botany I"], "is_public": [false, true]}));
        assert_eq!(changes_of(&botany(), &botany()), json!({}));
    }

    #[test]
    fn a_new_course_has_no_old_values_and_no_blank_ones() {
        let expected = json!({"name": [null, "Botany"], "course_code": [null, "BOT"]});
        assert_eq!(changes_of(&CourseSnapshot::default(), &botany()), expected);
    }

    #[test]
    fn from_blank_to_blank_is_no_change() {
        let blank = CourseSnapshot { license: Some(" ".to_owned()), syllabus_body: Some(String::new()), ..botany() };
        assert_eq!(changes_of(&botany(), &blank), json!({}));
    }

    #[test]
    fn what_is_taken_away_leaves_null() {
        let before = CourseSnapshot { conclude_at: Timestamp::parse("2026-03-04T05:06:07Z"), ..botany() };
        assert_eq!(changes_of(&before, &botany()), json!({"conclude_at": ["2026-03-04T05:06:07Z", null]}));
    }

    #[test]
    fn a_course_that_moves_tells_both_accounts() {
        let before = CourseSnapshot { account_id: Some(AccountId(1)), ..botany() };
        let after = CourseSnapshot { account_id: Some(AccountId(7)), ..botany() };
        assert_eq!(changes_of(&before, &after), json!({"account_id": [1, 7]}));
    }

    #[test]
    fn long_texts_are_cut() {
        let after = CourseSnapshot { syllabus_body: Some("ä".repeat(1001)), ..botany() };
        assert_eq!(changes_of(&botany(), &after), json!({"syllabus_body": [null, "ä".repeat(1000)]}));
    }
}
