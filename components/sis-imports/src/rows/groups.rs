//! Rows of groups of users.

use serde::Deserialize;
use shared::Result;
use shared::ids::{AccountId, CourseId, UserGroupId};

use crate::rows::known::{lost_account, record_known_as};
use crate::rows::{Read, Target, Verdict, optional, required, status};
use shared::csv::Row;

pub(super) struct Group<'a> {
    id: &'a str,
    course: Option<&'a str>,
    account: Option<&'a str>,
    name: Option<&'a str>,
    status: &'static str,
}

/// The group as it is, and what the row says that it belongs to.
#[derive(Deserialize)]
struct KnownGroup {
    #[serde(rename = "group")]
    id: Option<UserGroupId>,
    name: Option<String>,
    workflow_state: Option<String>,
    course_id: Option<CourseId>,
    account_id: Option<AccountId>,
    /// The name of its own course or account, where that is deleted.
    lost_course: Option<String>,
    lost_account: Option<String>,
    course: Option<CourseId>,
    account: Option<AccountId>,
}

pub(super) fn read(row: &Row) -> Read<Group<'_>> {
    let id = required(row, "group_id", "a group")?;
    let what = format!("group {id}");
    let (course, account) = (optional(row, "course_id")?, optional(row, "account_id")?);
    if course.is_some() && account.is_some() {
        return Err(format!("Only one context is allowed for group {id}: a course or an account"));
    }
    let status = status(row, &["available", "active", "closed", "completed", "deleted"], &what)?;
    Ok(Group { id, course, account, name: optional(row, "name")?, status })
}

pub(super) async fn write(into: &Target<'_>, row: Group<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    if row.status == "deleted" {
        if let Some(id) = found.id.filter(|_| found.workflow_state.as_deref() != Some("deleted")) {
            let sql = "UPDATE groups SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1";
            into.db.execute(sql, (id, into.now)).await?;
        }
        return Ok(Verdict::Taken);
    }
    let (course, account) = match (row.course, row.account) {
        (Some(named), _) if found.course.is_none() => {
            return Ok(Verdict::Refused(format!("Course {named} doesn't exist for group {}", row.id)));
        }
        (_, Some(named)) if found.account.is_none() => {
            return Ok(Verdict::Refused(format!("Account {named} doesn't exist for group {}", row.id)));
        }
        (None, None) if found.id.is_some() => match (&found.lost_course, &found.lost_account) {
            (Some(lost), _) => {
                return Ok(Verdict::Refused(format!("Course {lost} doesn't exist for group {}", row.id)));
            }
            (_, Some(lost)) => {
                return Ok(Verdict::Refused(format!("Account {lost} doesn't exist for group {}", row.id)));
            }
            (None, None) => (found.course_id, found.account_id),
        },
        (None, None) => (None, Some(into.root)),
        _ => (found.course, found.account),
    };
    let Some(name) = row.name.map(str::to_owned).or(found.name.clone()) else {
        return Ok(Verdict::Refused(format!("No name given for group {}", row.id)));
    };
    let as_it_is = found.workflow_state.as_deref() == Some("available")
        && (found.course_id, found.account_id) == (course, account)
        && found.name.as_ref() == Some(&name);
    match found.id {
        Some(_) if as_it_is => {}
        Some(id) => {
            let sql = "UPDATE groups
                 SET name = ?2, course_id = ?3, account_id = ?4, workflow_state = 'available', updated_at = ?5
                 WHERE id = ?1";
            into.db.execute(sql, (id, name, course, account, into.now)).await?;
        }
        None => {
            let sql = "INSERT INTO groups
                     (root_account_id, course_id, account_id, name, sis_group_id, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
            into.db.execute(sql, (into.root, course, account, name, row.id, into.now)).await?;
        }
    }
    Ok(Verdict::Taken)
}

async fn find(into: &Target<'_>, row: &Group<'_>) -> Result<KnownGroup> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT g.id AS \"group\", g.name, g.workflow_state, g.course_id, g.account_id,
                (SELECT ifnull(lost.sis_course_id, CAST(lost.id AS TEXT)) FROM courses lost
                 WHERE lost.id = g.course_id AND lost.workflow_state = 'deleted') AS lost_course,
                ",
            lost_account!("g.account_id"),
            " AS lost_account,
                (SELECT id FROM courses
                 WHERE root_account_id = ?1 AND sis_course_id = ?3 AND workflow_state <> 'deleted') AS course,
                (SELECT id FROM accounts
                 WHERE root_account_id = ?1 AND sis_account_id = ?4 AND workflow_state <> 'deleted') AS account
         FROM (SELECT 1)
         LEFT JOIN groups g ON g.id = ",
            record_known_as!(Group, "?2")
        ),
        (into.root, row.id, row.course, row.account),
    );
    Ok(found.await?)
}
