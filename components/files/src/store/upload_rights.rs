//! The right behind an address that takes a file, judged once more when the bytes come.
//!
//! The second step of an upload has no token, and what the first step asked for may have ended since, in many ways: the
//! statement that claims the upload asks for it again.

use shared::auth::Right;
use shared::{administers_account, may_come_in};

/// True of a row of `uploads` whose user may still do what the first step asked for.
pub(crate) fn may_upload_sql() -> String {
    format!(
        "EXISTS (
             SELECT 1 FROM users u
             LEFT JOIN content_migrations m ON uploads.context_type = 'ContentMigration' AND m.id = uploads.context_id
             LEFT JOIN groups g ON uploads.context_type = 'Group' AND g.id = uploads.context_id
             LEFT JOIN accounts t ON g.course_id IS NULL AND t.id = g.account_id
             LEFT JOIN users o ON uploads.context_type = 'User' AND o.id = uploads.context_id
             LEFT JOIN assignments a ON a.id = uploads.assignment_id
             LEFT JOIN courses c ON c.id = CASE uploads.context_type WHEN 'Course' THEN uploads.context_id
                                           ELSE coalesce(m.course_id, g.course_id, a.course_id) END
             WHERE u.id = uploads.user_id AND {COMES_IN} AND {IS_THERE}
               AND (u.site_admin OR {ADMINISTERS} OR {IS_OWN} OR {IS_MEMBER} OR {has_role})
         )",
        has_role = has_role_sql(),
    )
}

const COMES_IN: &str = may_come_in!("u");

/// The course, the group with its account, or the user whose file it will be, was not deleted.
const IS_THERE: &str = "ifnull(c.workflow_state, '') <> 'deleted' AND ifnull(g.workflow_state, '') <> 'deleted'
               AND ifnull(t.workflow_state, '') <> 'deleted' AND ifnull(o.workflow_state, '') <> 'deleted'";

/// Nobody acts for those who administer the whole site but they themselves.
const ADMINISTERS: &str =
    administers_account!("u.id", "coalesce(c.account_id, g.account_id, iif(o.site_admin, NULL, o.root_account_id))");

/// A file for an assignment is one's own too, and needs an enrollment.
const IS_OWN: &str = "(o.id = u.id AND a.id IS NULL)";

const IS_MEMBER: &str = "EXISTS (
                   SELECT 1 FROM group_memberships p
                   WHERE p.group_id = g.id AND p.user_id = u.id AND p.workflow_state = 'accepted'
                     AND (g.course_id IS NULL OR EXISTS (
                         SELECT 1 FROM enrollments e
                         WHERE e.user_id = u.id AND e.course_id = g.course_id AND e.workflow_state = 'active')))";

/// The right in the course that each first step asks for.
fn has_role_sql() -> String {
    format!(
        "EXISTS (
                   SELECT 1 FROM enrollments e
                   WHERE e.user_id = u.id AND e.course_id = c.id AND e.workflow_state = 'active'
                     AND CASE uploads.context_type
                         WHEN 'Course' THEN e.type IN {files}
                         WHEN 'ContentMigration' THEN e.type IN {packages}
                         WHEN 'Group' THEN e.type IN {groups}
                         ELSE e.type IN {grades}
                             OR e.type = 'StudentEnrollment' AND o.id = u.id AND c.workflow_state = 'available' END)",
        files = Right::ManageAssignments.roles_sql(),
        packages = Right::Manage.roles_sql(),
        groups = Right::ManageGroups.roles_sql(),
        grades = Right::ManageGrades.roles_sql(),
    )
}
