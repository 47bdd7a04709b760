//! The new quiz that the path of a page names by its assignment.

use std::borrow::Cow;

use shared::Result;
use shared::needs::OfCourse;
use submissions::accommodations::given_sql;
use submissions::student_dates;

use crate::model::quiz_page::QuizPage;

/// The questions of the quiz `a` with their points, as an expression of JSON: of a bank the number of its questions that the quiz
/// does not ask beside the bank, of which sessions draw.
const QUESTIONS: &str = "(SELECT json_group_array(json_object(
        'points', i.points_possible, 'bank', i.bank_id, 'sample', i.sample_num,
        'available', iif(i.bank_id IS NULL, 1, (
            SELECT count(*) FROM bank_entries e
            WHERE e.bank_id = i.bank_id AND e.archived = 0 AND e.question_item_id IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM quiz_items o WHERE o.bank_entry_id = e.id AND o.assignment_id = a.id)))))
    FROM (SELECT i.points_possible, i.bank_id, i.sample_num
          FROM quiz_items i LEFT JOIN bank_entries held ON held.id = i.bank_entry_id
          WHERE i.assignment_id = a.id
            AND (i.question_item_id IS NOT NULL OR i.bank_id IS NOT NULL OR held.question_item_id IS NOT NULL)
          ORDER BY i.position) i)";

impl OfCourse for QuizPage {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        let given = |column| given_sql(column, "course.id", "a.id", "caller.user_id");
        let sql = format!(
            "SELECT a.name AS title, a.description AS instructions, a.points_possible, {},
                    a.workflow_state = 'published' AS published, n.quiz_settings, {} AS extra_time, {} AS extra_attempts,
                    {QUESTIONS} AS questions
             FROM assignments a JOIN new_quizzes n ON n.assignment_id = a.id
             WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'",
            student_dates::ASSIGNMENT.columns(Some("caller.user_id")),
            given("extra_time"),
            given("extra_attempts"),
        );
        Ok(sql.into())
    }
}
