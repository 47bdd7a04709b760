//! Rows of enrollments. There are many of them, so that a batch is a few statements and not a few for each row.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::Result;
use shared::db::{self, IdRow, Json};
use shared::ids::{CourseId, SectionId, UserId};

use crate::rows::known::record_known_as;
use crate::rows::{Read, Target, Verdict, optional, status};
use shared::csv::Row;

/// The values of a row, as the statement that looks for its records reads it.
#[derive(Debug, Serialize)]
struct Enrollment<'a> {
    course: Option<&'a str>,
    section: Option<&'a str>,
    user: Option<&'a str>,
    integration: Option<&'a str>,
    observed: Option<&'a str>,
    /// True if it ends, whatever has ended before it.
    deleted: bool,
    #[serde(skip)]
    role: &'static str,
    #[serde(skip)]
    state: &'static str,
    #[serde(skip)]
    limited: Option<bool>,
}

/// The records that a row names, as far as they are there.
#[derive(Deserialize)]
struct KnownRecords {
    user: Option<UserId>,
    course: Option<CourseId>,
    section: Option<SectionId>,
    section_course: Option<CourseId>,
    /// The course to which the section belongs, if it is taught in another one.
    home: Option<CourseId>,
    observed: Option<UserId>,
}

/// An enrollment as it is to be.
#[derive(Debug, Clone, Serialize)]
struct Record {
    course: CourseId,
    section: SectionId,
    user: UserId,
    observed: Option<UserId>,
    role: &'static str,
    state: &'static str,
    limited: Option<bool>,
}

pub(super) async fn import(into: &Target<'_>, rows: &[&Row]) -> Result<Vec<Verdict>> {
    let read: Vec<_> = rows.iter().map(|row| self::read(row)).collect();
    let sought: Vec<_> = read.iter().filter_map(|row| row.as_ref().ok()).collect();
    let mut found = find(into, &sought).await?.into_iter();
    let (mut verdicts, mut records) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in &read {
        let record = match row {
            Ok(row) => record(into, row, found.next().ok_or(db::Error::NoRow)?).await?,
            Err(why) => Err(why.clone()),
        };
        verdicts.push(match record {
            Ok(record) => {
                records.extend(record);
                Verdict::Taken
            }
            Err(why) => Verdict::Refused(why),
        });
    }
    if into.ends_gone {
        records = without_named(into, records).await?;
    }
    for run in runs(records) {
        write(into, &run).await?;
    }
    Ok(verdicts)
}

fn read(row: &Row) -> Read<Enrollment<'_>> {
    let (course, section) = (optional(row, "course_id")?, optional(row, "section_id")?);
    let (user, integration) = (optional(row, "user_id")?, optional(row, "user_integration_id")?);
    if course.is_none() && section.is_none() {
        return Err("No course_id or section_id given for an enrollment".to_owned());
    }
    if user.is_none() && integration.is_none() {
        return Err("No user_id given for an enrollment".to_owned());
    }
    let role = role(&row.word("role").ok_or("No role given for an enrollment")?)?;
    let state = status(row, &["active", "inactive", "completed", "deleted"], "an enrollment")?;
    let observed = optional(row, "associated_user_id")?;
    if observed.is_some() && role != "ObserverEnrollment" {
        return Err("An associated_user_id is for an observer only".to_owned());
    }
    let limited = match row.word("limit_section_privileges").as_deref() {
        None => None,
        Some("true" | "t" | "yes" | "y" | "1") => Some(true),
        Some("false" | "f" | "no" | "n" | "0") => Some(false),
        Some(other) => return Err(format!("Improper limit_section_privileges \"{other}\" for an enrollment")),
    };
    let deleted = state == "deleted";
    Ok(Enrollment { course, section, user, integration, observed, deleted, role, state, limited })
}

fn role(word: &str) -> Read<&'static str> {
    match word {
        "student" | "studentenrollment" => Ok("StudentEnrollment"),
        "teacher" | "teacherenrollment" => Ok("TeacherEnrollment"),
        "ta" | "taenrollment" => Ok("TaEnrollment"),
        "designer" | "designerenrollment" => Ok("DesignerEnrollment"),
        "observer" | "observerenrollment" => Ok("ObserverEnrollment"),
        other => Err(format!("Improper role \"{other}\" for an enrollment")),
    }
}

/// Looks for what the rows name, in their order. Without a section the course's first one is meant. What is deleted is found
/// where an enrollment is deleted: the files of an institution say of a user who has left, or of a course that is gone, that both
/// are.
async fn find(into: &Target<'_>, rows: &[&Enrollment<'_>]) -> Result<Vec<KnownRecords>> {
    let found = into.db.fetch_all(
        concat!(
            "SELECT u.user_id AS user, c.id AS course, s.id AS section, sc.id AS section_course,
                s.nonxlist_course_id AS home, o.user_id AS observed
         FROM json_each(?2) r
         LEFT JOIN pseudonyms u ON u.id = CASE
             WHEN r.value ->> 'user' IS NOT NULL THEN ",
            record_known_as!(Pseudonym, "r.value ->> 'user'", deleted_if "r.value ->> 'deleted'"),
            "
             ELSE (
                 SELECT id FROM pseudonyms
                 WHERE root_account_id = ?1 AND integration_id = r.value ->> 'integration'
                   AND integration_id IS NOT NULL AND (workflow_state = 'active' OR r.value ->> 'deleted')
                 ORDER BY workflow_state = 'active' DESC, id LIMIT 1)
         END
         LEFT JOIN pseudonyms o ON o.id = ",
            record_known_as!(Pseudonym, "r.value ->> 'observed'", deleted_if "r.value ->> 'deleted'"),
            "
         LEFT JOIN courses c ON c.id = ",
            record_known_as!(Course, "r.value ->> 'course'", deleted_if "r.value ->> 'deleted'"),
            "
         LEFT JOIN course_sections s ON s.id = CASE
             WHEN r.value ->> 'section' IS NOT NULL THEN ",
            record_known_as!(CourseSection, "r.value ->> 'section'", deleted_if "r.value ->> 'deleted'"),
            "
             ELSE (
                 SELECT id FROM course_sections WHERE course_id = c.id AND workflow_state = 'active'
                 ORDER BY default_section DESC, id LIMIT 1)
         END
         LEFT JOIN courses sc ON sc.id = s.course_id AND (sc.workflow_state <> 'deleted' OR r.value ->> 'deleted')
         ORDER BY r.key"
        ),
        (into.root, Json(rows)),
    );
    Ok(found.await?)
}

/// `None`: in a course without sections there is nobody whose enrollment could be deleted.
async fn record(into: &Target<'_>, row: &Enrollment<'_>, found: KnownRecords) -> Result<Read<Option<Record>>> {
    let Enrollment { role, state, limited, .. } = *row;
    let KnownRecords { user, course, section, section_course, home, observed } = found;
    // A section that is taught elsewhere is still known by the course to which it belongs.
    let course = if course.is_some() && course == home { section_course } else { course };
    let named =
        |what, id: Option<&str>| format!("An enrollment referenced a non-existent {what} {}", id.unwrap_or_default());
    if row.course.is_some() && course.is_none() {
        return Ok(Err(named("course", row.course)));
    }
    if row.section.is_some() && section_course.is_none() {
        return Ok(Err(named("section", row.section)));
    }
    let Some(user) = user else {
        return Ok(Err(named("user", row.user.or(row.integration))));
    };
    if row.observed.is_some() && observed.is_none() {
        return Ok(Err(named("associated user", row.observed)));
    }
    let (course, section) = match (course.or(section_course), section) {
        (Some(course), Some(section)) => (course, section),
        (Some(_), None) if state == "deleted" => return Ok(Ok(None)),
        (Some(course), None) => (course, first_section(into, course).await?),
        (None, _) => return Ok(Err(named("course", row.course))),
    };
    if section_course.is_some_and(|of_section| of_section != course) {
        let (course, section) = (row.course.unwrap_or_default(), row.section.unwrap_or_default());
        return Ok(Err(format!("Section {section} is not a section of course {course}")));
    }
    Ok(Ok(Some(Record { course, section, user, observed, role, state, limited })))
}

/// The section of a course that has none yet.
async fn first_section(into: &Target<'_>, course: CourseId) -> Result<SectionId> {
    let sql = "SELECT id FROM course_sections WHERE course_id = ?1 AND workflow_state = 'active'
         ORDER BY default_section DESC, id LIMIT 1";
    if let Some(IdRow { id }) = into.db.fetch(sql, (course,)).await? {
        return Ok(id);
    }
    let made = into.db.fetch_one(
        "INSERT INTO course_sections (root_account_id, course_id, name, default_section, created_at, updated_at)
         SELECT root_account_id, id, name, 1, ?2, ?2 FROM courses WHERE id = ?1 RETURNING id",
        (course, into.now),
    );
    let IdRow { id } = made.await?;
    Ok(id)
}

/// Without the enrollments that the files of the import name: a row may be gone only because the same enrollment is written in
/// another way, with another word for its role, or with its section beside its course.
async fn without_named(into: &Target<'_>, records: Vec<Record>) -> Result<Vec<Record>> {
    #[derive(Deserialize)]
    struct NamedRecord {
        is_named: bool,
    }
    let sql = "SELECT EXISTS (
             SELECT 1 FROM enrollments e
             WHERE e.course_section_id = r.value ->> 'section' AND e.user_id = r.value ->> 'user'
               AND e.type = r.value ->> 'role' AND ifnull(e.associated_user_id, 0) = ifnull(r.value ->> 'observed', 0)
               AND e.workflow_state <> 'deleted' AND e.sis_import_id = ?2) AS is_named
         FROM json_each(?1) r ORDER BY r.key";
    let named: Vec<NamedRecord> = into.db.fetch_all(sql, (Json(&records), into.import)).await?;
    Ok(records.into_iter().zip(named).filter(|(_, row)| !row.is_named).map(|(record, _)| record).collect())
}

/// Parts of the rows in which no enrollment comes twice: what a later row says counts.
fn runs(records: Vec<Record>) -> Vec<Vec<Record>> {
    let (mut runs, mut run, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for record in records {
        let key = (record.section, record.user, record.role, record.observed);
        if !seen.insert(key) {
            runs.push(std::mem::take(&mut run));
            seen = BTreeSet::from([key]);
        }
        run.push(record);
    }
    runs.push(run);
    runs
}

/// Only what is not so already is written; who was enrolled so before has that enrollment again, with its id. A row that does not
/// say whether somebody is kept to the section leaves it.
async fn write(into: &Target<'_>, records: &[Record]) -> Result<()> {
    const SAME: &str = "same.course_section_id = r.section AND same.user_id = r.user AND same.type = r.role
        AND ifnull(same.associated_user_id, 0) = ifnull(r.observed, 0)";
    let of = |is_meant: fn(&Record) -> bool| records.iter().filter(|record| is_meant(record)).collect::<Vec<_>>();
    let deleted = of(|record| record.state == "deleted");
    let plain = of(|record| record.state != "deleted" && record.limited.is_none());
    let limited = of(|record| record.state != "deleted" && record.limited.is_some());
    for (records, limit, or_limit) in [
        (plain, "limit_privileges_to_course_section", ""),
        (
            limited,
            "excluded.limit_privileges_to_course_section",
            "OR limit_privileges_to_course_section <> excluded.limit_privileges_to_course_section",
        ),
    ] {
        if records.is_empty() {
            continue;
        }
        let sql = format!(
            "WITH r (course, section, user, observed, role, state, limited) AS MATERIALIZED (
                 SELECT value ->> 'course', value ->> 'section', value ->> 'user', value ->> 'observed', value ->> 'role',
                        value ->> 'state', ifnull(value ->> 'limited', 0)
                 FROM json_each(?2)
             )
             INSERT INTO enrollments
                 (id, root_account_id, course_id, course_section_id, user_id, associated_user_id, type, workflow_state,
                  limit_privileges_to_course_section, created_at, updated_at, sis_import_id)
             SELECT iif(EXISTS (SELECT 1 FROM enrollments same WHERE {SAME} AND same.workflow_state <> 'deleted'), NULL,
                        (SELECT max(same.id) FROM enrollments same WHERE {SAME} AND same.workflow_state = 'deleted')),
                    ?1, r.course, r.section, r.user, r.observed, r.role, r.state, r.limited, ?3, ?3, ?4
             FROM r WHERE true
             ON CONFLICT (course_section_id, user_id, type, ifnull(associated_user_id, 0))
             WHERE workflow_state <> 'deleted'
             DO UPDATE SET workflow_state = excluded.workflow_state, updated_at = excluded.updated_at,
                           limit_privileges_to_course_section = {limit}
             WHERE workflow_state <> excluded.workflow_state {or_limit}
             ON CONFLICT (id) DO UPDATE SET course_id = excluded.course_id, workflow_state = excluded.workflow_state,
                           updated_at = excluded.updated_at, limit_privileges_to_course_section = {limit}"
        );
        into.db.execute(&sql, (into.root, Json(records), into.now, into.import)).await?;
    }
    mark(into, records).await?;
    if deleted.is_empty() {
        return Ok(());
    }
    let sql = "UPDATE enrollments SET workflow_state = 'deleted', updated_at = ?2
         FROM json_each(?1) r
         WHERE course_section_id = r.value ->> 'section' AND user_id = r.value ->> 'user'
           AND enrollments.type = r.value ->> 'role'
           AND ifnull(associated_user_id, 0) = ifnull(r.value ->> 'observed', 0) AND workflow_state <> 'deleted'";
    Ok(into.db.execute(sql, (Json(deleted), into.now)).await?)
}

/// Marks the enrollments that the import names, as other records are (`marks`). What is compared is marked by each import, so that
/// it is known what its files name ([`without_named`]).
async fn mark(into: &Target<'_>, records: &[Record]) -> Result<()> {
    let sql = "UPDATE enrollments SET sis_import_id = ?2
         FROM json_each(?1) r
         WHERE course_section_id = r.value ->> 'section' AND user_id = r.value ->> 'user'
           AND enrollments.type = r.value ->> 'role'
           AND ifnull(associated_user_id, 0) = ifnull(r.value ->> 'observed', 0) AND workflow_state <> 'deleted'
           AND (sis_import_id IS NULL OR ?3 AND sis_import_id <> ?2)";
    let is_compared = into.options.diffing_data_set_identifier.is_some() && !into.ends_gone;
    let marks_all = into.options.batch_mode == Some(true) || is_compared;
    Ok(into.db.execute(sql, (Json(records), into.import, marks_all)).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_error(pairs: &[(&str, &str)]) -> String {
        read(&Row::of(2, pairs)).unwrap_err()
    }

    #[test]
    fn what_a_row_cannot_be_without_is_said() {
        for (pairs, words) in [
            (&[("user_id", "U")][..], "No course_id or section_id"),
            (&[("course_id", "C")], "No user_id"),
            (&[("course_id", "C"), ("user_id", "U")], "No role"),
            (&[("course_id", "C"), ("user_id", "U"), ("role", "guest")], "Improper role \"guest\""),
            (&[("course_id", "C"), ("user_id", "U"), ("role", "student")], "Improper status \"\""),
        ] {
            assert!(read_error(pairs).starts_with(words), "{pairs:?}");
        }
        let row = [("course_id", "C"), ("user_id", "U"), ("role", "student"), ("status", "active")];
        assert!(read(&Row::of(2, &row)).is_ok());
        assert!(read_error(&[&row[..], &[("associated_user_id", "V")]].concat()).contains("for an observer only"));
        assert!(read_error(&[&row[..], &[("limit_section_privileges", "maybe")]].concat()).contains("maybe"));
    }

    #[test]
    fn a_later_row_for_the_same_enrollment_comes_later() {
        let record = |user, state| Record {
            course: CourseId(1),
            section: SectionId(1),
            user: UserId(user),
            observed: None,
            role: "StudentEnrollment",
            state,
            limited: None,
        };
        let runs = runs(vec![record(1, "active"), record(2, "active"), record(1, "deleted"), record(3, "active")]);
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    }
}
