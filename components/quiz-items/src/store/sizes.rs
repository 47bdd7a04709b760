//! How much quizzes ask. What is judged is what a statement has written, so that a quiz that asks too much is never stored.

use questions::size::{MAX_QUIZ_BYTES, MAX_QUIZ_ITEMS, QUESTION_BYTES, STIMULUS_BYTES};
use serde::Deserialize;
use shared::db::BuiltJson;
use shared::{Error, Result};

/// A record as a statement has written it.
#[derive(Deserialize)]
#[serde(bound = "")]
pub(super) struct Written<T> {
    record: BuiltJson<T>,
    /// False where a quiz asks too much with it, and it is more than it was.
    fits: bool,
}

impl<T> Written<T> {
    /// 422 for what does not fit; `whose` says what it belongs to.
    pub(super) fn fitting(self, whose: &str) -> Result<BuiltJson<T>> {
        if self.fits {
            return Ok(self.record);
        }
        let message = format!(
            "is too large: with what is drawn from banks, a quiz has {MAX_QUIZ_ITEMS} questions and stimuli at most, \
             and {MAX_QUIZ_BYTES} bytes of them"
        );
        Err(Error::invalid(whose, "too_long", message))
    }
}

/// The condition that the quiz of that expression asks no more than it may. Where some questions of a bank are drawn, these may be its
/// largest.
pub(super) fn fits_sql(quiz: &str) -> String {
    format!(
        "(SELECT total(items) <= {MAX_QUIZ_ITEMS} AND total(bytes) <= {MAX_QUIZ_BYTES} FROM (
              SELECT count(*) AS items, total(ifnull({QUESTION_BYTES}, 0) + {STIMULUS_BYTES}) AS bytes
              FROM quiz_items i
              LEFT JOIN bank_entries held ON held.id = i.bank_entry_id
              LEFT JOIN question_items q ON q.id = ifnull(i.question_item_id, held.question_item_id)
              LEFT JOIN stimuli s ON s.id = ifnull(i.stimulus_id, held.stimulus_id)
              WHERE i.assignment_id = {quiz} AND i.bank_id IS NULL
              UNION ALL
              SELECT max(1, min(ifnull(i.sample_num, count(q.id)), count(q.id))),
                     min(ifnull(i.sample_num, count(q.id)) * max({QUESTION_BYTES}), total({QUESTION_BYTES}))
              FROM quiz_items i
              LEFT JOIN bank_entries e ON e.bank_id = i.bank_id AND e.archived = 0
              LEFT JOIN question_items q ON q.id = e.question_item_id
              WHERE i.assignment_id = {quiz} AND i.bank_id IS NOT NULL GROUP BY i.id))"
    )
}

/// The condition that each quiz fits that asks the entry `e` of a bank, by itself or with the bank.
pub(super) fn quizzes_fit_sql() -> String {
    let fits = fits_sql("asking.assignment_id");
    format!(
        "NOT EXISTS (
             SELECT 1 FROM (
                 SELECT i.assignment_id FROM quiz_items i WHERE i.bank_id = e.bank_id
                 UNION SELECT i.assignment_id FROM quiz_items i WHERE i.bank_entry_id = e.id) asking
             JOIN assignments a ON a.id = asking.assignment_id AND a.workflow_state <> 'deleted'
             WHERE NOT {fits})"
    )
}

/// The bytes of what `held` has of its own: a row that refers to a question or a stimulus.
pub(super) fn own_bytes_sql(held: &str) -> String {
    format!(
        "(ifnull((SELECT {QUESTION_BYTES} FROM question_items q WHERE q.id = {held}.question_item_id), 0)
          + ifnull((SELECT {STIMULUS_BYTES} FROM stimuli s WHERE s.id = {held}.stimulus_id), 0))"
    )
}
