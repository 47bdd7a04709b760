//! Rows of terms, and of other dates for those who are enrolled in one in some way.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::db::Json;
use shared::ids::EnrollmentTermId;
use shared::{Result, Timestamp};

use crate::rows::dates::Dates;
use crate::rows::known::record_known_as;
use crate::rows::{Read, Target, Verdict, optional, required, status, verdict};
use shared::csv::Row;

pub(super) struct Term<'a> {
    id: &'a str,
    name: Option<&'a str>,
    dates: Dates,
    /// Those for whom the dates are; `None`: for all.
    enrollment_type: Option<&'static str>,
    status: &'static str,
    warning: Option<String>,
}

#[derive(Deserialize)]
struct KnownTerm {
    id: Option<EnrollmentTermId>,
    name: Option<String>,
    start_at: Option<Timestamp>,
    end_at: Option<Timestamp>,
    workflow_state: Option<String>,
    /// True if it has courses.
    in_use: bool,
    is_default: bool,
}

pub(super) fn read(row: &Row) -> Read<Term<'_>> {
    let id = required(row, "term_id", "a term")?;
    let what = format!("term {id}");
    let mut warning = None;
    Ok(Term {
        id,
        name: optional(row, "name")?,
        dates: Dates::of(row, &mut warning),
        enrollment_type: row.get("date_override_enrollment_type").map(|word| enrollment_type(word, id)).transpose()?,
        status: status(row, &["active", "deleted"], &what)?,
        warning,
    })
}

fn enrollment_type(word: &str, term: &str) -> Read<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "studentenrollment" => Ok("StudentEnrollment"),
        "teacherenrollment" => Ok("TeacherEnrollment"),
        "taenrollment" => Ok("TaEnrollment"),
        "designerenrollment" => Ok("DesignerEnrollment"),
        _ => Err(format!("Improper date_override_enrollment_type \"{word}\" for term {term}")),
    }
}

pub(super) async fn write(into: &Target<'_>, row: Term<'_>) -> Result<Verdict> {
    let found = find(into, row.id).await?;
    if let Some(enrollment_type) = row.enrollment_type {
        return write_override(into, row, found, enrollment_type).await;
    }
    if row.status == "deleted" {
        return delete(into, found, row.id).await;
    }
    let Some(name) = row.name.map(str::to_owned).or(found.name.clone()) else {
        return Ok(Verdict::Refused(format!("No name given for term {}", row.id)));
    };
    let current = Dates { start_at: found.start_at, end_at: found.end_at };
    let dates = match row.dates.over(current, &format!("term {}", row.id)) {
        Ok(dates) => dates,
        Err(why) => return Ok(Verdict::Refused(why)),
    };
    let as_it_is =
        found.workflow_state.as_deref() == Some("active") && found.name.as_ref() == Some(&name) && current == dates;
    let Dates { start_at, end_at } = dates;
    match found.id {
        Some(_) if as_it_is => {}
        Some(id) => {
            let sql = "UPDATE enrollment_terms
                 SET name = ?2, start_at = ?3, end_at = ?4, workflow_state = 'active', updated_at = ?5 WHERE id = ?1";
            into.db.execute(sql, (id, name, start_at, end_at, into.now)).await?;
        }
        None => {
            let sql = "INSERT INTO enrollment_terms
                     (root_account_id, sis_term_id, name, start_at, end_at, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
            into.db.execute(sql, (into.root, row.id, name, start_at, end_at, into.now)).await?;
        }
    }
    Ok(verdict(row.warning))
}

async fn find(into: &Target<'_>, sis_id: &str) -> Result<KnownTerm> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT t.id, t.name, t.start_at, t.end_at, t.workflow_state,
                EXISTS (SELECT 1 FROM courses c
                        WHERE c.enrollment_term_id = t.id AND c.workflow_state <> 'deleted') AS in_use,
                ifnull(t.is_default, 0) AS is_default
         FROM (SELECT 1)
         LEFT JOIN enrollment_terms t ON t.id = ",
            record_known_as!(EnrollmentTerm, "?2")
        ),
        (into.root, sis_id),
    );
    Ok(found.await?)
}

/// The dates replace those that were there: a blank one is none.
async fn write_override(
    into: &Target<'_>,
    row: Term<'_>,
    found: KnownTerm,
    enrollment_type: &'static str,
) -> Result<Verdict> {
    let Some(id) = found.id.filter(|_| found.workflow_state.as_deref() == Some("active")) else {
        // Where the term is gone, so are its dates.
        return Ok(match row.status {
            "deleted" => Verdict::Taken,
            _ => Verdict::Refused(format!("Term {} doesn't exist for dates of a {enrollment_type}", row.id)),
        });
    };
    let dates = match (row.status, row.dates.in_order(&format!("a {enrollment_type} of term {}", row.id))) {
        ("deleted", _) => Value::Null,
        (_, Ok(Dates { start_at, end_at })) => json!({ "start_at": start_at, "end_at": end_at }),
        (_, Err(why)) => return Ok(Verdict::Refused(why)),
    };
    let patch = Map::from_iter([(enrollment_type.to_owned(), dates)]);
    let sql = "UPDATE enrollment_terms SET overrides = json_patch(overrides, ?2), updated_at = ?3
         WHERE id = ?1 AND overrides <> json_patch(overrides, ?2)";
    into.db.execute(sql, (id, Json(patch), into.now)).await?;
    Ok(verdict(row.warning))
}

async fn delete(into: &Target<'_>, found: KnownTerm, sis_id: &str) -> Result<Verdict> {
    let Some(id) = found.id.filter(|_| found.workflow_state.as_deref() == Some("active")) else {
        return Ok(Verdict::Taken);
    };
    if found.is_default {
        return Ok(Verdict::Refused(format!("Term {sis_id} is the default term and cannot be deleted")));
    }
    if found.in_use {
        return Ok(Verdict::Refused(format!("Term {sis_id} has courses and cannot be deleted")));
    }
    let sql = "UPDATE enrollment_terms SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1";
    into.db.execute(sql, (id, into.now)).await?;
    Ok(Verdict::Taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_cannot_be_without_is_said() {
        let refused = |pairs: &[(&str, &str)]| read(&Row::of(2, pairs)).err().unwrap();
        assert_eq!(refused(&[]), "No term_id given for a term");
        assert_eq!(refused(&[("term_id", "T1")]), "Improper status \"\" for term T1");
        let row = [("term_id", "T1"), ("status", "active"), ("date_override_enrollment_type", "ObserverEnrollment")];
        assert!(refused(&row).contains("ObserverEnrollment"));
        let row = [("term_id", "T1"), ("status", "active"), ("date_override_enrollment_type", "studentenrollment")];
        assert_eq!(read(&Row::of(2, &row)).ok().unwrap().enrollment_type, Some("StudentEnrollment"));
    }
}
