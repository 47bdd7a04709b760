//! What students are given beyond others at new quizzes: time, attempts, fewer choices.

/// What a student is given of a column of `quiz_accommodations`: at the quiz, or else in its course, or else 0. Of all are
/// given expressions.
pub fn given_sql(column: &str, course: &str, quiz: &str, user: &str) -> String {
    format!(
        "coalesce(
             (SELECT g.{column} FROM quiz_accommodations g WHERE g.assignment_id = {quiz} AND g.user_id = {user}),
             (SELECT g.{column} FROM quiz_accommodations g
              WHERE g.course_id = {course} AND g.user_id = {user} AND g.assignment_id IS NULL),
             0)"
    )
}
