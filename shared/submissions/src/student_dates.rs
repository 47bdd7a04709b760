//! The dates of an assignment as they are for a student: of several overrides the most lenient date counts, and none is more
//! lenient than any.

/// True if the override `o` is for the user: of a section or a group of the user, or naming the user.
fn is_for(user: &str) -> String {
    format!(
        "(o.course_section_id IN (
              SELECT part.course_section_id FROM enrollments part
              WHERE part.user_id = {user} AND part.course_id = o.course_id AND part.type = 'StudentEnrollment'
                AND part.workflow_state IN ('active', 'completed', 'inactive'))
          OR o.group_id IN (
              SELECT member.group_id FROM group_memberships member
              WHERE member.user_id = {user} AND member.workflow_state = 'accepted')
          OR EXISTS (
              SELECT 1 FROM assignment_override_students named
              WHERE named.assignment_id = o.assignment_id AND named.user_id = {user}
                AND named.assignment_override_id = o.id))"
    )
}

/// The date `name` of the assignment for the user, as an expression: `choice` of those that overrides have, or else that of
/// `table`, which is the assignment or its quiz.
fn date(table: &str, name: &str, choice: &str, assignment: &str, user: &str) -> String {
    format!(
        "(SELECT CASE WHEN count(*) = 0 THEN {table}.{name} WHEN count(*) = count(o.{name}) THEN {choice}(o.{name}) END
          FROM assignment_overrides o
          WHERE o.assignment_id = {assignment} AND o.has_{name} AND {})",
        is_for(user)
    )
}

/// When the work is due.
pub fn due_at(table: &str, assignment: &str, user: &str) -> String {
    date(table, "due_at", "max", assignment, user)
}

/// When it is closed.
pub fn lock_at(table: &str, assignment: &str, user: &str) -> String {
    date(table, "lock_at", "max", assignment, user)
}

/// The three dates as columns of their names.
pub fn columns(table: &str, assignment: &str, user: Option<&str>) -> String {
    let Some(user) = user else { return format!("{table}.due_at, {table}.unlock_at, {table}.lock_at") };
    format!(
        "{} AS due_at, {} AS unlock_at, {} AS lock_at",
        due_at(table, assignment, user),
        date(table, "unlock_at", "min", assignment, user),
        lock_at(table, assignment, user)
    )
}

/// True if an override of the assignment is for the user.
pub fn is_named(assignment: &str, user: &str) -> String {
    format!("EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.assignment_id = {assignment} AND {})", is_for(user))
}

#[cfg(test)]
mod tests {
    use super::due_at;
    use crate::store::select;

    #[test]
    fn work_is_late_by_the_date_of_its_student() {
        let words = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_student = format!("{} AS due_at", words(&due_at("a", "a.id", "s.user_id")));
        assert!(words(&select()).contains(&of_student), "{of_student}");
    }
}
