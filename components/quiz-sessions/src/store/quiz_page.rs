//! The new quiz that the path of a page names by its assignment.

use std::borrow::Cow;

use shared::Result;
use shared::needs::OfCourse;
use submissions::accommodations::given_sql;
use submissions::student_dates;

use crate::model::quiz_page::QuizPage;
use crate::store::quizzes::items_sql;

impl OfCourse for QuizPage {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        let given = |column| given_sql(column, "course.id", "a.id", "caller.user_id");
        let sql = format!(
            "SELECT a.name AS title, a.description AS instructions, a.points_possible, {},
                    a.workflow_state = 'published' AS published, n.quiz_settings, {} AS extra_time, {} AS extra_attempts,
                    {} AS items
             FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
             WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'",
            student_dates::ASSIGNMENT.columns(Some("caller.user_id")),
            given("extra_time"),
            given("extra_attempts"),
            items_sql(),
        );
        Ok(sql.into())
    }
}
