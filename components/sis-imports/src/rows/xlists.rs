//! Rows of cross-listings: sections that are taught in another course than their own.

use serde::Deserialize;
use shared::Result;
use shared::csv::Row;
use shared::ids::{CourseId, SectionId};

use crate::rows::known::{lost_account, record_known_as};
use crate::rows::sections::move_section;
use crate::rows::{Read, Target, Verdict, courses, required, status};

pub(super) struct Xlist<'a> {
    course: &'a str,
    section: &'a str,
    status: &'static str,
}

/// The section, and the course in which it is to be taught.
#[derive(Deserialize)]
struct KnownXlist {
    section: Option<SectionId>,
    course_id: Option<CourseId>,
    nonxlist_course_id: Option<CourseId>,
    /// The state of the course to which the section belongs.
    home_state: Option<String>,
    course: Option<CourseId>,
    course_state: Option<String>,
    /// The name of the account of the course to which the section belongs, where that is deleted; and of the other course's.
    lost_home_account: Option<String>,
    lost_account: Option<String>,
}

pub(super) fn read(row: &Row) -> Read<Xlist<'_>> {
    let course = required(row, "xlist_course_id", "a cross-listing")?;
    let section = required(row, "section_id", "a cross-listing")?;
    Ok(Xlist { course, section, status: status(row, &["active", "deleted"], "a cross-listing")? })
}

pub(super) async fn write(into: &Target<'_>, row: Xlist<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    let (Some(section), Some(at)) = (found.section, found.course_id) else {
        return Ok(Verdict::Refused(format!("A cross-listing referenced a non-existent section {}", row.section)));
    };
    if row.status == "deleted" {
        // A section that is taught in a third course has nothing to do with this one any more.
        if let (Some(home), true) = (found.nonxlist_course_id, found.course == Some(at)) {
            if found.home_state.as_deref() == Some("deleted") {
                if let Some(lost) = &found.lost_home_account {
                    return Ok(no_account(lost, &row));
                }
                courses::restore(into, home).await?;
            }
            move_section(into, section, at, home, None).await?;
        }
        return Ok(Verdict::Taken);
    }
    let home = found.nonxlist_course_id.unwrap_or(at);
    let course = match found.course {
        Some(course) => {
            if found.course_state.as_deref() == Some("deleted") {
                if let Some(lost) = &found.lost_account {
                    return Ok(no_account(lost, &row));
                }
                courses::restore(into, course).await?;
            }
            course
        }
        None => {
            if let Some(lost) = &found.lost_home_account {
                return Ok(no_account(lost, &row));
            }
            courses::insert_like(into, row.course, home).await?
        }
    };
    if course != at {
        move_section(into, section, at, course, Some(home).filter(|home| *home != course)).await?;
    }
    Ok(Verdict::Taken)
}

fn no_account(lost: &str, row: &Xlist<'_>) -> Verdict {
    Verdict::Refused(format!("Account {lost} doesn't exist for a cross-listing of section {}", row.section))
}

async fn find(into: &Target<'_>, row: &Xlist<'_>) -> Result<KnownXlist> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT s.id AS section, s.course_id, s.nonxlist_course_id, c.id AS course, c.workflow_state AS course_state,
                home.workflow_state AS home_state, ",
            lost_account!("home.account_id"),
            " AS lost_home_account, ",
            lost_account!("c.account_id"),
            " AS lost_account
         FROM (SELECT 1)
         LEFT JOIN course_sections s ON s.id = (
             SELECT id FROM course_sections
             WHERE root_account_id = ?1 AND sis_section_id = ?2 AND workflow_state <> 'deleted')
         LEFT JOIN courses home ON home.id = ifnull(s.nonxlist_course_id, s.course_id)
         LEFT JOIN courses c ON c.id = ",
            record_known_as!(Course, "?3")
        ),
        (into.root, row.section, row.course),
    );
    Ok(found.await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_cannot_be_without_is_said() {
        let refused = |pairs: &[(&str, &str)]| read(&Row::of(2, pairs)).err().unwrap();
        assert_eq!(refused(&[]), "No xlist_course_id given for a cross-listing");
        assert_eq!(refused(&[("xlist_course_id", "X")]), "No section_id given for a cross-listing");
        let row = [("xlist_course_id", "X"), ("section_id", "S"), ("status", "open")];
        assert_eq!(refused(&row), "Improper status \"open\" for a cross-listing");
    }
}
