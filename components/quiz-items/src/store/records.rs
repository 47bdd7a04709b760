//! Records as the wire has them, put together by the database, and answered in these very words: so a list is one statement,
//! whatever its items hold, and nobody reads it. Ids are text here.
//!
//! JSON that passes through a column is text to whoever reads it next, or is not, as the planner likes: so inside it is
//! read again by `json()`, and outside it is made text by `|| ''`. What lists are full of is joined from texts.

/// The record of `question_items q`.
pub(super) const QUESTION: &str = r#"concat(
    '{"id":"', q.id, '","title":', json_quote(q.title), ',"item_body":', json_quote(q.item_body),
    ',"calculator_type":', json_quote(q.calculator_type), ',"feedback":', q.feedback,
    ',"interaction_type_slug":', json_quote(q.interaction_type_slug), ',"interaction_data":', q.interaction_data,
    ',"properties":', q.properties, ',"scoring_data":', q.scoring_data, ',"answer_feedback":', q.answer_feedback,
    ',"scoring_algorithm":', json_quote(q.scoring_algorithm),
    ',"created_at":', json_quote(q.created_at), ',"updated_at":', json_quote(q.updated_at), '}')"#;

/// The record of `stimuli s`.
pub(super) const STIMULUS: &str = "json_object(
    'id', CAST(s.id AS TEXT), 'title', s.title, 'body', s.body, 'instructions', s.instructions, 'source_url', s.source_url,
    'orientation', s.orientation, 'passage', json(iif(s.passage, 'true', 'false')),
    'created_at', s.created_at, 'updated_at', s.updated_at)";

/// The record of `item_banks b`.
pub(super) const BANK: &str = "json_object(
    'id', CAST(b.id AS TEXT), 'title', b.title, 'archived', json(iif(b.archived, 'true', 'false')),
    'entry_count', (SELECT count(*) FROM bank_entries WHERE bank_id = b.id AND archived = 0),
    'item_entry_count', (SELECT count(question_item_id) FROM bank_entries WHERE bank_id = b.id AND archived = 0))";

/// The record of `bank_entries e`.
pub(super) fn bank_entry() -> String {
    format!(
        "json_object(
            'id', CAST(e.id AS TEXT), 'entry_type', iif(e.stimulus_id IS NULL, 'Item', 'Stimulus'),
            'archived', json(iif(e.archived, 'true', 'false')),
            'entry', json(iif(e.stimulus_id IS NULL,
                (SELECT {QUESTION} FROM question_items q WHERE q.id = e.question_item_id),
                (SELECT {STIMULUS} FROM stimuli s WHERE s.id = e.stimulus_id))),
            'bank_id', CAST(e.bank_id AS TEXT), 'created_at', e.created_at, 'updated_at', e.updated_at)"
    )
}
