//! New quizzes of a package, with their items and banks.

use shared::db::{self, Bind};

use crate::import::quizzes::NewRows;
use crate::store::import::{Into, for_all, free_id};

/// Stores them. A row names another by its number, to which the first id of that one's table is added.
pub(super) async fn store(to: &Into<'_>, rows: NewRows, first_quiz: i64) -> db::Result<()> {
    let NewRows { banks, mut quizzes, questions, stimuli, entries, items, .. } = rows;
    let now = to.now;
    let first_bank = free_id(to.db, "item_banks", true).await?;
    let first_question = free_id(to.db, "question_items", true).await?;
    let first_stimulus = free_id(to.db, "stimuli", true).await?;
    // An item and what it holds never have the same id, and no item gets the id of one that is gone.
    let held = [(first_bank, banks.count()), (first_question, questions.count()), (first_stimulus, stimuli.count())];
    let after_held = held.map(|(first, count)| first.saturating_add(count)).into_iter().max().unwrap_or(1);
    let first_item = free_id(to.db, "quiz_items", true).await?.max(after_held);

    let bank = "INSERT INTO item_banks (id, root_account_id, course_id, title, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), ?3, ?4, value ->> 'title', ?5, ?5 FROM json_each(?1) ORDER BY key";
    let place = |first: i64| vec![first.value(), to.root_account.value(), to.course.value(), now.value()];
    for_all(to.db, banks, bank, place(first_bank)).await?;
    let assignment = "INSERT INTO assignments (id, root_account_id, course_id, name, description, points_possible,
             submission_types, grading_type, due_at, unlock_at, lock_at, anonymous_grading,
             post_manually, allowed_attempts, workflow_state, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), ?3, ?4, value ->> 'name', value ->> 'description',
                CAST(value ->> 'points' AS REAL), '[\"external_tool\"]', value ->> 'grading', value ->> 'due_at', value ->> 'unlock_at',
                value ->> 'lock_at', value ->> 'anonymous', value ->> 'post_manually', ifnull(value ->> 'attempts', -1),
                value ->> 'state', ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let lists = quizzes.lists();
    for_all(to.db, quizzes, assignment, place(first_quiz)).await?;
    for list in lists {
        let sql = "INSERT INTO new_quizzes (assignment_id, quiz_settings, created_at, updated_at)
             SELECT ?2 + (value ->> 'n'), value -> 'settings', ?3, ?3 FROM json_each(?1) ORDER BY key";
        to.db.execute(sql, (list, first_quiz, now)).await?;
    }
    let question = "INSERT INTO question_items (id, title, item_body, calculator_type, feedback, interaction_type_slug,
             interaction_data, properties, scoring_data, answer_feedback, scoring_algorithm, created_at, updated_at)
         SELECT ?2 + (value ->> 'n'), value ->> 'title', value ->> 'item_body', value ->> 'calculator_type',
                value -> 'feedback', value ->> 'slug', value -> 'interaction_data', value -> 'properties',
                value -> 'scoring_data', value -> 'answer_feedback', value ->> 'algorithm', ?3, ?3
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, questions, question, vec![first_question.value(), now.value()]).await?;
    let stimulus = "INSERT INTO stimuli (id, title, body, instructions, source_url, orientation, passage, created_at,
             updated_at)
         SELECT ?2 + (value ->> 'n'), value ->> 'title', value ->> 'body', value ->> 'instructions',
                value ->> 'source_url', value ->> 'orientation', value ->> 'passage', ?3, ?3
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, stimuli, stimulus, vec![first_stimulus.value(), now.value()]).await?;
    let entry = "INSERT INTO bank_entries (bank_id, question_item_id, stimulus_id, created_at, updated_at)
         SELECT ?2 + (value ->> 'bank'), ?3 + (value ->> 'question'), ?4 + (value ->> 'stimulus'), ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let firsts = vec![first_bank.value(), first_question.value(), first_stimulus.value()];
    for_all(to.db, entries, entry, [firsts.clone(), vec![now.value()]].concat()).await?;
    let item = "INSERT INTO quiz_items (id, assignment_id, position, points_possible, entry_type, question_item_id,
             stimulus_id, bank_id, sample_num, stimulus_quiz_entry_id)
         SELECT ?6 + (value ->> 'n'), ?5 + (value ->> 'quiz'), value ->> 'position',
                CAST(value ->> 'points' AS REAL), value ->> 'kind', ?3 + (value ->> 'question'),
                ?4 + (value ->> 'stimulus'), ?2 + (value ->> 'bank'), value ->> 'sample', ?6 + (value ->> 'about')
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, items, item, [firsts, vec![first_quiz.value(), first_item.value()]].concat()).await
}
