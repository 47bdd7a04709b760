//! Classic quizzes of a package, with their questions, groups and banks.

use shared::db::{self, Bind};

use crate::import::quizzes::ClassicRows;
use crate::store::import::{Into, for_all, free_id};

/// Stores them. A row names another by its number, to which the first id of that one's table is added.
pub(super) async fn store(to: &Into<'_>, rows: ClassicRows, first_quiz: i64) -> db::Result<()> {
    let ClassicRows { banks, mut quizzes, groups, questions, are_graded_otherwise } = rows;
    let first_bank = free_id(to.db, "question_banks", false).await?;
    let first_group = free_id(to.db, "quiz_groups", true).await?;
    let bank = "INSERT INTO question_banks (id, root_account_id, course_id, title, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), ?3, ?4, value ->> 'title', ?5, ?5 FROM json_each(?1) ORDER BY key";
    let place = |first: i64| vec![first.value(), to.root_account.value(), to.course.value(), to.now.value()];
    for_all(to.db, banks, bank, place(first_bank)).await?;
    let lists = quizzes.lists();
    // A graded quiz counts its points anew for each question that it gets: so it becomes one when it has all of them.
    let quiz = "INSERT INTO quizzes (id, root_account_id, course_id, title, description, quiz_type, settings, due_at,
             lock_at, unlock_at, workflow_state, published_at, last_edited_at, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), ?3, ?4, value ->> 'title', value ->> 'description', 'practice_quiz',
                value -> 'settings', value ->> 'due_at', value ->> 'lock_at', value ->> 'unlock_at',
                iif(value ->> 'published', 'available', 'created'), iif(value ->> 'published', ?5, NULL), ?5, ?5, ?5
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, quizzes, quiz, place(first_quiz)).await?;
    let group = "INSERT INTO quiz_groups (id, quiz_id, name, pick_count, question_points, assessment_question_bank_id,
             position, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), ?3 + (value ->> 'quiz'), value ->> 'name', value ->> 'pick_count',
                CAST(value ->> 'points' AS REAL), ?4 + (value ->> 'bank'), value ->> 'position', ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let firsts = vec![first_group.value(), first_quiz.value(), first_bank.value(), to.now.value()];
    for_all(to.db, groups, group, firsts.clone()).await?;
    let question = "INSERT INTO quiz_questions (quiz_id, quiz_group_id, question_bank_id, position, question_name,
             question_type, question_text, points_possible, correct_comments, incorrect_comments, neutral_comments,
             answers, question_data, created_at, updated_at)
         SELECT ?3 + (value ->> 'quiz'), ?2 + (value ->> 'group'), ?4 + (value ->> 'bank'), value ->> 'position',
                value ->> 'question_name', value ->> 'question_type', value ->> 'question_text',
                CAST(value ->> 'points_possible' AS REAL), value ->> 'correct_comments',
                value ->> 'incorrect_comments', value ->> 'neutral_comments', value -> 'answers',
                value -> 'question_data', ?5, ?5
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, questions, question, firsts).await?;
    for list in lists {
        let sql = "UPDATE quizzes SET quiz_type = j.value ->> 'kind' FROM json_each(?1) j
             WHERE quizzes.id = ?2 + (j.value ->> 'n') AND j.value ->> 'kind' <> 'practice_quiz'";
        to.db.execute(sql, (&list, first_quiz)).await?;
        if are_graded_otherwise {
            to.db.execute(GRADING, (&list, first_quiz)).await?;
        }
    }
    Ok(())
}

/// The assignment of a quiz comes with the quiz, and then learns how it is graded. `CROSS JOIN` would make SQLite begin with all
/// assignments that there are.
const GRADING: &str = "UPDATE assignments
    SET grading_type = j.value ->> 'grading', anonymous_grading = j.value ->> 'anonymous', post_manually = j.value ->> 'post_manually',
        allowed_attempts = ifnull(j.value ->> 'attempts', -1)
    FROM json_each(?1) j JOIN quizzes q ON q.id = ?2 + (j.value ->> 'n')
    WHERE assignments.id = q.assignment_id";
