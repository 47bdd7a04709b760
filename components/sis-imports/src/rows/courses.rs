//! Rows of courses. Each change leaves its events in the course's log.

use serde::Deserialize;
use shared::course_events::{self as events, Event};
use shared::courses::{LIVING_TERM, return_sections};
use shared::db::IdRow;
use shared::ids::{AccountId, CourseId, EnrollmentTermId};
use shared::{Result, Timestamp};
use uuid::Uuid;

use crate::rows::dates::Dates;
use crate::rows::known::{lost_account, record_known_as};
use crate::rows::{Read, Target, Verdict, optional, required, status, verdict};
use shared::csv::Row;

pub(super) struct Course<'a> {
    id: &'a str,
    short_name: Option<&'a str>,
    long_name: Option<&'a str>,
    account: Option<&'a str>,
    term: Option<&'a str>,
    dates: Dates,
    status: &'static str,
    warning: Option<String>,
}

/// The course as it is with its own account and term, and the account and the term that the row names.
#[derive(Deserialize)]
struct KnownCourse {
    account: Option<AccountId>,
    term: Option<EnrollmentTermId>,
    #[serde(rename = "course")]
    id: Option<CourseId>,
    #[serde(default)]
    account_id: Option<AccountId>,
    enrollment_term_id: Option<EnrollmentTermId>,
    /// The name of its own account, where that is deleted.
    lost_account: Option<String>,
    /// Its own term, or the default term where that is deleted.
    living_term: Option<EnrollmentTermId>,
    name: Option<String>,
    course_code: Option<String>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    workflow_state: Option<String>,
}

/// A course as it is to be.
#[derive(PartialEq)]
struct Record {
    account: AccountId,
    term: Option<EnrollmentTermId>,
    name: String,
    code: String,
    dates: Dates,
    state: &'static str,
}

pub(super) fn read(row: &Row) -> Read<Course<'_>> {
    let id = required(row, "course_id", "a course")?;
    let what = format!("course {id}");
    let mut warning = None;
    Ok(Course {
        id,
        short_name: optional(row, "short_name")?,
        long_name: optional(row, "long_name")?,
        account: optional(row, "account_id")?,
        term: optional(row, "term_id")?,
        dates: Dates::of(row, &mut warning),
        status: status(row, &["active", "published", "completed", "deleted"], &what)?,
        warning,
    })
}

pub(super) async fn write(into: &Target<'_>, row: Course<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    if row.status == "deleted" {
        return delete(into, found).await;
    }
    let account = match (row.account, found.account) {
        (Some(named), None) => {
            return Ok(Verdict::Refused(format!("Account {named} doesn't exist for course {}", row.id)));
        }
        (Some(_), account) => account,
        (None, _) => match &found.lost_account {
            Some(lost) => return Ok(Verdict::Refused(format!("Account {lost} doesn't exist for course {}", row.id))),
            None => found.account_id,
        },
    };
    let name = row.long_name.map(str::to_owned).or(found.name.clone());
    let Some(name) = name else {
        return Ok(Verdict::Refused(format!("No long_name given for course {}", row.id)));
    };
    let Some(code) = row.short_name.map(str::to_owned).or(found.course_code.clone()) else {
        return Ok(Verdict::Refused(format!("No short_name given for course {}", row.id)));
    };
    let current = Dates { start_at: found.start_at, end_at: found.end_at };
    let dates = match row.dates.over(current, &format!("course {}", row.id)) {
        Ok(dates) => dates,
        Err(why) => return Ok(Verdict::Refused(why)),
    };
    let unknown_term = row.term.filter(|_| found.term.is_none());
    let unknown_term = unknown_term.map(|term| format!("Term {term} doesn't exist for course {}", row.id));
    let record = Record {
        account: account.unwrap_or(into.root),
        term: found.term.or(found.living_term),
        name,
        code,
        dates,
        state: state(row.status, found.workflow_state.as_deref()),
    };
    match found.id {
        Some(id) => update(into, id, found, record).await?,
        None => insert(into, row.id, record).await?,
    }
    Ok(verdict(unknown_term.or(row.warning)))
}

/// The state that a row's status leads to. `active` lets a course be what it is, unless it had ended.
fn state(status: &str, current: Option<&str>) -> &'static str {
    match (status, current) {
        ("completed", _) => "completed",
        ("published", _) | (_, Some("available" | "completed")) => "available",
        _ => "unpublished",
    }
}

/// The events of a course that goes from one state to another, in its order.
pub(crate) fn steps(from: &str, to: &str) -> &'static [Event] {
    match (from, to) {
        ("completed", "available") => &[Event::Unconcluded],
        ("deleted", "unpublished") => &[Event::Restored],
        ("deleted", "available") => &[Event::Restored, Event::Published],
        ("deleted", "completed") => &[Event::Restored, Event::Concluded],
        (from, to) if from == to => &[],
        (_, "available") => &[Event::Published],
        (_, "completed") => &[Event::Concluded],
        (_, "deleted") => &[Event::Deleted],
        _ => &[Event::Claimed],
    }
}

async fn find(into: &Target<'_>, row: &Course<'_>) -> Result<KnownCourse> {
    const KNOWN: &str = record_known_as!(Course, "?2");
    const LOST: &str = lost_account!("courses.account_id");
    let sql = format!(
        "SELECT a.id AS account, t.id AS term, courses.id AS course, courses.account_id, courses.enrollment_term_id,
                {LOST} AS lost_account, {LIVING_TERM} AS living_term, courses.name, courses.course_code,
                courses.start_at, courses.end_at, courses.workflow_state
         FROM (SELECT 1)
         LEFT JOIN courses ON courses.id = {KNOWN}
         LEFT JOIN accounts a ON a.id = (
             SELECT id FROM accounts
             WHERE root_account_id = ?1 AND sis_account_id = ?3 AND workflow_state <> 'deleted')
         LEFT JOIN enrollment_terms t ON t.id = (
             SELECT id FROM enrollment_terms
             WHERE root_account_id = ?1 AND sis_term_id = ?4 AND workflow_state <> 'deleted')"
    );
    Ok(into.db.fetch_one(&sql, (into.root, row.id, row.account, row.term)).await?)
}

/// A course gets its sections from their own file, or when somebody is enrolled in none in particular.
async fn insert(into: &Target<'_>, sis_id: &str, record: Record) -> Result<()> {
    let Record { account, term, name, code, dates: Dates { start_at, end_at }, state } = record;
    let uuid = Uuid::new_v4().to_string();
    let made = into.db.fetch_one(
        "INSERT INTO courses
             (root_account_id, account_id, name, course_code, sis_course_id, uuid, start_at, end_at, workflow_state,
              created_at, updated_at, enrollment_term_id, sis_import_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12) RETURNING id",
        (into.root, account, name, code, sis_id, uuid, start_at, end_at, state, into.now, term, into.import),
    );
    let IdRow { id } = made.await?;
    events::created(into.db, into.author, id).await?;
    happened(into, id, steps("unpublished", state)).await
}

/// The course in which a section is to be taught that has none of this id yet: as that to which the section belongs.
pub(super) async fn insert_like(into: &Target<'_>, sis_id: &str, model: CourseId) -> Result<CourseId> {
    let uuid = Uuid::new_v4().to_string();
    let sql = format!(
        "INSERT INTO courses
             (root_account_id, account_id, name, course_code, sis_course_id, uuid, start_at, end_at, workflow_state,
              created_at, updated_at, enrollment_term_id, sis_import_id)
         SELECT root_account_id, account_id, name, course_code, ?2, ?3, start_at, end_at, 'unpublished',
                ?4, ?4, {LIVING_TERM}, ?5
         FROM courses WHERE id = ?1 RETURNING id"
    );
    let inserted = into.db.fetch_one(&sql, (model, sis_id, uuid, into.now, into.import));
    let IdRow { id } = inserted.await?;
    events::created(into.db, into.author, id).await?;
    Ok(id)
}

/// Brings a deleted course back, unpublished. Its account lives.
pub(super) async fn restore(into: &Target<'_>, id: CourseId) -> Result<()> {
    let sql = format!(
        "UPDATE courses SET workflow_state = 'unpublished', enrollment_term_id = {LIVING_TERM}, updated_at = ?2
         WHERE id = ?1"
    );
    into.db.execute(&sql, (id, into.now)).await?;
    happened(into, id, &[Event::Restored]).await
}

async fn update(into: &Target<'_>, id: CourseId, found: KnownCourse, record: Record) -> Result<()> {
    let KnownCourse { account_id, enrollment_term_id, name, course_code, start_at, end_at, workflow_state, .. } = found;
    let from = workflow_state.unwrap_or_default();
    let as_it_is = account_id == Some(record.account)
        && enrollment_term_id == record.term
        && name.as_ref() == Some(&record.name)
        && course_code.as_ref() == Some(&record.code)
        && Dates { start_at, end_at } == record.dates
        && from == record.state;
    if as_it_is {
        return Ok(());
    }
    let before = events::snapshot(into.db, id).await?;
    let Record { account, term, name, code, dates: Dates { start_at, end_at }, state } = record;
    into.db
        .execute(
            "UPDATE courses
             SET account_id = ?2, name = ?3, course_code = ?4, start_at = ?5, end_at = ?6, workflow_state = ?7,
                 updated_at = ?8, enrollment_term_id = ?9
             WHERE id = ?1",
            (id, account, name, code, start_at, end_at, state, into.now, term),
        )
        .await?;
    happened(into, id, steps(&from, state)).await?;
    events::updated(into.db, into.author, id, &before).await
}

async fn delete(into: &Target<'_>, found: KnownCourse) -> Result<Verdict> {
    if let Some(id) = found.id.filter(|_| found.workflow_state.as_deref() != Some("deleted")) {
        let sql = "UPDATE courses SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1";
        into.db.execute(sql, (id, into.now)).await?;
        return_sections(into.db, &[id], into.now).await?;
        happened(into, id, &[Event::Deleted]).await?;
    }
    Ok(Verdict::Taken)
}

async fn happened(into: &Target<'_>, id: CourseId, steps: &[Event]) -> Result<()> {
    for event in steps {
        events::happened(into.db, into.author, id, *event).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_active_course_stays_as_published_as_it_is() {
        for (status, current, to) in [
            ("active", None, "unpublished"),
            ("active", Some("unpublished"), "unpublished"),
            ("active", Some("available"), "available"),
            ("active", Some("completed"), "available"),
            ("active", Some("deleted"), "unpublished"),
            ("published", None, "available"),
            ("published", Some("completed"), "available"),
            ("completed", Some("available"), "completed"),
        ] {
            assert_eq!(state(status, current), to, "{status} {current:?}");
        }
    }

    #[test]
    fn each_step_is_told() {
        assert_eq!(steps("unpublished", "available"), [Event::Published]);
        assert_eq!(steps("completed", "available"), [Event::Unconcluded]);
        assert_eq!(steps("deleted", "completed"), [Event::Restored, Event::Concluded]);
        assert_eq!(steps("available", "available"), []);
    }
}
