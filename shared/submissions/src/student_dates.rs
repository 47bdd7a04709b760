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

/// What has the dates, by its names in a statement.
#[derive(Debug, Clone, Copy)]
pub struct Dated {
    table: &'static str,
    assignment: &'static str,
    /// True if students may have other dates.
    has_overrides: &'static str,
}

/// The assignment `a`.
pub const ASSIGNMENT: Dated = Dated { table: "a", assignment: "a.id", has_overrides: "a.has_overrides" };
/// The classic quiz `z`, whose overrides are those of its assignment.
pub const QUIZ: Dated =
    Dated { table: "z", assignment: "z.assignment_id", has_overrides: "z.assignment_id IS NOT NULL" };

impl Dated {
    /// The date `name` for the user, as an expression: `choice` of those that overrides have, or else its own.
    fn date(self, name: &str, choice: &str, user: &str) -> String {
        let Self { table, assignment, has_overrides } = self;
        format!(
            "iif({has_overrides}, (
              SELECT CASE WHEN count(*) = 0 THEN {table}.{name} WHEN count(*) = count(o.{name}) THEN {choice}(o.{name}) END
              FROM assignment_overrides o
              WHERE o.assignment_id = {assignment} AND o.has_{name} AND {}), {table}.{name})",
            is_for(user)
        )
    }

    /// When the work is due.
    pub fn due_at(self, user: &str) -> String {
        self.date("due_at", "max", user)
    }

    /// When it is opened.
    pub fn unlock_at(self, user: &str) -> String {
        self.date("unlock_at", "min", user)
    }

    /// When it is closed.
    pub fn lock_at(self, user: &str) -> String {
        self.date("lock_at", "max", user)
    }

    /// The three dates as columns of their names.
    pub fn columns(self, user: Option<&str>) -> String {
        let table = self.table;
        let Some(user) = user else { return format!("{table}.due_at, {table}.unlock_at, {table}.lock_at") };
        let [due_at, unlock_at, lock_at] = [self.due_at(user), self.unlock_at(user), self.lock_at(user)];
        format!("{due_at} AS due_at, {unlock_at} AS unlock_at, {lock_at} AS lock_at")
    }
}

/// True if an override of the assignment is for the user.
pub fn is_named(assignment: &str, user: &str) -> String {
    format!("EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.assignment_id = {assignment} AND {})", is_for(user))
}

/// True if a classic quiz `z` is for a student, or for everybody where none is named: some quizzes are for those alone for whom there
/// are overrides of its dates.
pub fn is_quiz_for(student: Option<&str>) -> String {
    const IS_FOR_SOME: &str = "ifnull(z.settings ->> 'only_visible_to_overrides', 0)";
    match student {
        Some(student) => format!("(NOT {IS_FOR_SOME} OR {})", is_named("z.assignment_id", student)),
        None => format!("NOT {IS_FOR_SOME}"),
    }
}

#[cfg(test)]
mod tests {
    use super::ASSIGNMENT;
    use crate::store::select;

    #[test]
    fn work_is_late_by_the_date_of_its_student() {
        let words = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_student = format!("{} AS due_at", words(&ASSIGNMENT.due_at("s.user_id")));
        assert!(words(&select()).contains(&of_student), "{of_student}");
    }
}
