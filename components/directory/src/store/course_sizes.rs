//! The SQL that measures what is in courses.

/// The most records, and the most bytes of text, that a copied course and the one that it is copied into may have together: a
/// copy is one transaction, for which all others wait.
pub(super) const MAX_RECORDS: i64 = 20_000;
pub(super) const MAX_BYTES: i64 = 100 * 1024 * 1024;

/// One row of two courses, which are `?1` and `?2`: how many `records` they have together, and how many `bytes` of text. The
/// length of a text stands before it: none is read for it.
pub(super) const OF_BOTH: &str = "
    SELECT total(records) AS records, total(bytes) AS bytes FROM (
        SELECT count(*) AS records, total(octet_length(title) + octet_length(body)) AS bytes FROM wiki_pages
        WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted'
        UNION ALL
        SELECT count(*), total(octet_length(name) + ifnull(octet_length(description), 0)) FROM assignments
        WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted'
        UNION ALL
        SELECT count(*), total(octet_length(title) + ifnull(octet_length(description), 0) + octet_length(settings)) FROM quizzes
        WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted'
        UNION ALL
        SELECT count(*), 0 FROM quiz_groups
        WHERE quiz_id IN (SELECT id FROM quizzes WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted')
        UNION ALL
        SELECT count(*), 0 FROM question_banks WHERE course_id IN (?1, ?2) AND workflow_state = 'active'
        UNION ALL
        SELECT count(*), total(octet_length(question_text) + octet_length(answers) + octet_length(question_data)
                               + octet_length(correct_comments) + octet_length(incorrect_comments)
                               + octet_length(neutral_comments))
        FROM quiz_questions
        WHERE workflow_state = 'active'
          AND (quiz_id IN (SELECT id FROM quizzes WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted')
               OR question_bank_id IN (
                   SELECT id FROM question_banks WHERE course_id IN (?1, ?2) AND workflow_state = 'active'))
        UNION ALL
        SELECT count(*) + count(q.id) + count(s.id),
               total(ifnull(octet_length(q.item_body) + octet_length(q.interaction_data) + octet_length(q.scoring_data)
                            + octet_length(q.properties) + octet_length(q.feedback) + octet_length(q.answer_feedback), 0)
                     + ifnull(octet_length(s.body), 0) + ifnull(octet_length(s.instructions), 0))
        FROM (
            SELECT question_item_id, stimulus_id FROM quiz_items
            WHERE assignment_id IN (SELECT id FROM assignments WHERE course_id IN (?1, ?2) AND workflow_state <> 'deleted')
            UNION ALL
            SELECT question_item_id, stimulus_id FROM bank_entries
            WHERE bank_id IN (SELECT id FROM item_banks WHERE course_id IN (?1, ?2))
        ) entry
        LEFT JOIN question_items q ON q.id = entry.question_item_id
        LEFT JOIN stimuli s ON s.id = entry.stimulus_id
        UNION ALL
        SELECT count(*), 0 FROM folders
        WHERE context_type = 'Course' AND context_id IN (?1, ?2) AND workflow_state = 'visible'
        UNION ALL
        SELECT count(*), 0 FROM attachments
        WHERE context_type = 'Course' AND context_id IN (?1, ?2) AND workflow_state = 'available'
    )";
