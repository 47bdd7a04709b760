//! Rows of memberships of groups.

use serde::Deserialize;
use shared::Result;
use shared::ids::{GroupMembershipId, UserGroupId, UserId};

use crate::rows::known::record_known_as;
use crate::rows::{Read, Target, Verdict, required, status};
use shared::csv::Row;

pub(super) struct Membership<'a> {
    group: &'a str,
    user: &'a str,
    status: &'static str,
}

#[derive(Deserialize)]
struct KnownMembership {
    group: Option<UserGroupId>,
    user: Option<UserId>,
    membership: Option<GroupMembershipId>,
    workflow_state: Option<String>,
    /// The last membership that has ended, if there is none now.
    ended: Option<GroupMembershipId>,
    /// True if the user is in the group's course, if it is one of a course.
    takes_part: bool,
}

pub(super) fn read(row: &Row) -> Read<Membership<'_>> {
    let group = required(row, "group_id", "a group membership")?;
    let user = required(row, "user_id", "a group membership")?;
    let status = status(row, &["accepted", "active", "deleted"], &format!("a membership of group {group}"))?;
    Ok(Membership { group, user, status })
}

pub(super) async fn write(into: &Target<'_>, row: Membership<'_>) -> Result<Verdict> {
    let found = find(into, &row).await?;
    let Some(group) = found.group else {
        return Ok(Verdict::Refused(format!("Group {} not available", row.group)));
    };
    let Some(user) = found.user else {
        return Ok(Verdict::Refused(format!("User {} not available", row.user)));
    };
    match (row.status, found.membership) {
        ("deleted", Some(id)) => {
            let sql = "UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = ?2
                 WHERE id = ?1";
            into.db.execute(sql, (id, into.now)).await?;
        }
        ("deleted", None) => {}
        _ if !found.takes_part => {
            let why = format!("User {} does not take part in the course of group {}", row.user, row.group);
            return Ok(Verdict::Refused(why));
        }
        (_, Some(_)) if found.workflow_state.as_deref() == Some("accepted") => {}
        (_, known) => match known.or(found.ended) {
            Some(id) => {
                let sql = "UPDATE group_memberships SET workflow_state = 'accepted', updated_at = ?2 WHERE id = ?1";
                into.db.execute(sql, (id, into.now)).await?;
            }
            None => {
                let sql =
                    "INSERT INTO group_memberships (group_id, user_id, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)";
                into.db.execute(sql, (group, user, into.now)).await?;
            }
        },
    }
    Ok(Verdict::Taken)
}

/// Looks for what the row names. A membership may be deleted whose group or user is deleted already.
async fn find(into: &Target<'_>, row: &Membership<'_>) -> Result<KnownMembership> {
    let found = into.db.fetch_one(
        concat!(
            "SELECT g.id AS \"group\", p.user_id AS user, m.id AS membership, m.workflow_state,
                (SELECT max(ended.id) FROM group_memberships ended
                 WHERE ended.group_id = g.id AND ended.user_id = p.user_id AND ended.workflow_state = 'deleted') AS ended,
                g.course_id IS NULL OR EXISTS (
                    SELECT 1 FROM enrollments e
                    WHERE e.user_id = p.user_id AND e.course_id = g.course_id
                      AND e.workflow_state IN ('active', 'invited')
                ) AS takes_part
         FROM (SELECT 1)
         LEFT JOIN groups g ON g.id = ",
            record_known_as!(Group, "?2", deleted_if "?4"),
            "
         LEFT JOIN pseudonyms p ON p.id = ",
            record_known_as!(Pseudonym, "?3", deleted_if "?4"),
            "
         LEFT JOIN group_memberships m ON m.id = (
             SELECT id FROM group_memberships
             WHERE group_id = g.id AND user_id = p.user_id AND workflow_state <> 'deleted')"
        ),
        (into.root, row.group, row.user, row.status == "deleted"),
    );
    Ok(found.await?)
}
