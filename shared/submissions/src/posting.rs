//! The posting of grades: what students see of them, and of comments, and when.
//!
//! An assignment posts grades when they are given, or, as its course or it itself says, when somebody posts them. Work that is graded
//! anonymously is posted by hand, and until then graders do not see whose it is.

/// True if the grades of the assignment `assignments` (a name or alias of the table) are posted by hand, as an expression.
pub fn posts_manually(assignments: &str) -> String {
    let of_course = format!("(SELECT c.post_manually FROM courses c WHERE c.id = {assignments}.course_id)");
    posts_manually_or(assignments, &of_course)
}

/// The same, where it is known what the course says.
pub fn posts_manually_or(assignments: &str, of_course: &str) -> String {
    format!("({assignments}.anonymous_grading OR ifnull({assignments}.post_manually, {of_course}))")
}

/// True if the student sees the grade of a row of `submissions`, as an expression of the name or alias of the table; it is known
/// whether its grades are posted by hand.
pub fn is_row_posted(submissions: &str, posts_manually: &str) -> String {
    format!("(NOT {submissions}.is_hidden AND ({submissions}.posted_at IS NOT NULL OR NOT {posts_manually}))")
}

/// True if the student sees the grade of the work for the assignment, as an expression of these two; also where the assignment is
/// null.
pub fn is_posted(assignment: &str, user: &str) -> String {
    format!(
        "ifnull((SELECT CASE WHEN w.is_hidden THEN 0 WHEN w.posted_at IS NOT NULL THEN 1 ELSE NOT {} END
                 FROM assignments p LEFT JOIN submissions w ON w.assignment_id = p.id AND w.user_id = {user}
                 WHERE p.id = {assignment}), 1)",
        posts_manually("p")
    )
}

/// True if graders do not see whose work it is, as an expression of its assignment and its student.
pub fn is_anonymous(assignment: &str, user: &str) -> String {
    format!(
        "(ifnull((SELECT p.anonymous_grading FROM assignments p WHERE p.id = {assignment}), 0) AND NOT {})",
        is_posted(assignment, user)
    )
}

/// True if graders do not see whose some of the work is that was handed in for an assignment, as an expression of it.
pub fn hides_students(assignment: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM assignments p JOIN submissions w ON w.assignment_id = p.id
                 WHERE p.id = {assignment} AND p.anonymous_grading AND w.submitted_at IS NOT NULL
                   AND (w.is_hidden OR w.posted_at IS NULL))"
    )
}
