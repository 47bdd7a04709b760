-- A regrade is of a new quiz or of a classic one, of a question or of all that a bank gives, and of a key or of points. No release has
-- had these tables: `schema_compatibility` stays as it is.
DROP TRIGGER quiz_sessions_are_regraded;
ALTER TABLE quiz_regrade_attempts RENAME TO quiz_former_regrade_attempts;
ALTER TABLE quiz_regrades RENAME TO quiz_former_regrades;

CREATE TABLE quiz_regrades (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assignment_id INTEGER REFERENCES new_quizzes (assignment_id),
    quiz_id INTEGER REFERENCES quizzes (id),
    -- As attempts name it: an item, `ITEM-ENTRY` of what a bank gave, or a classic question.
    item_id TEXT NOT NULL,
    -- Of a new quiz; null: all that the bank of the item gives.
    question_item_id INTEGER REFERENCES question_items (id) ON DELETE CASCADE,
    -- Where the question stands in a bank.
    bank_id INTEGER REFERENCES item_banks (id),
    bank_entry_id INTEGER REFERENCES bank_entries (id),
    -- Who has asked for it.
    user_id INTEGER NOT NULL REFERENCES users (id),
    option TEXT NOT NULL
        CHECK (option IN ('current_and_previous_correct', 'current_correct_only', 'full_credit', 'no_regrade')),
    -- The keys, with data as JSON; null of all that a bank gives.
    previous_scoring_algorithm TEXT,
    previous_scoring_data TEXT,
    scoring_algorithm TEXT,
    scoring_data TEXT,
    -- Null: the points are not other ones.
    previous_points_possible REAL,
    points_possible REAL,
    -- The attempts that were handed in; those that ran when it began are counted when they are.
    attempt_count INTEGER NOT NULL DEFAULT 0,
    regraded_count INTEGER NOT NULL DEFAULT 0,
    changed_count INTEGER NOT NULL DEFAULT 0,
    -- Attempts with points that a person has given, which stay.
    by_person_count INTEGER NOT NULL DEFAULT 0,
    -- The points for the question that all attempts together have more than before.
    points_change REAL NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    -- When no attempt was due for the first time; null: some have been since it began.
    completed_at TEXT,
    CHECK ((quiz_id IS NULL) <> (assignment_id IS NULL))
) STRICT;
INSERT INTO quiz_regrades
    (id, assignment_id, item_id, question_item_id, user_id, option, previous_scoring_algorithm, previous_scoring_data,
     scoring_algorithm, scoring_data, attempt_count, regraded_count, changed_count, by_person_count, points_change, created_at,
     completed_at)
SELECT id, assignment_id, item_id, question_item_id, user_id, option, previous_scoring_algorithm, previous_scoring_data,
       scoring_algorithm, scoring_data, attempt_count, regraded_count, changed_count,
       (SELECT count(*) FROM quiz_former_regrade_attempts w WHERE w.regrade_id = former.id AND w.is_by_person),
       points_change, created_at, completed_at
FROM quiz_former_regrades former;

CREATE TABLE quiz_regrade_attempts (
    id INTEGER PRIMARY KEY,
    regrade_id INTEGER NOT NULL REFERENCES quiz_regrades (id) ON DELETE CASCADE,
    -- Of a new quiz.
    session_id INTEGER REFERENCES quiz_sessions (id) ON DELETE CASCADE,
    -- Of a classic quiz.
    quiz_submission_id INTEGER REFERENCES quiz_submissions (id) ON DELETE CASCADE,
    attempt INTEGER,
    -- `waiting` until the attempt is handed in.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'due', 'done')),
    -- Points for the question; null where a person has to judge it, or where the attempt has not asked it.
    points_before REAL,
    points_after REAL,
    score_before REAL,
    score_after REAL,
    -- A person has given the points: they stay.
    is_by_person INTEGER NOT NULL DEFAULT 0 CHECK (is_by_person IN (0, 1)),
    regraded_at TEXT,
    CHECK ((session_id IS NULL) <> (quiz_submission_id IS NULL))
) STRICT;
INSERT INTO quiz_regrade_attempts
    (regrade_id, session_id, state, points_before, points_after, score_before, score_after, is_by_person, regraded_at)
SELECT regrade_id, session_id, state, points_before, points_after, score_before, score_after, is_by_person, regraded_at
FROM quiz_former_regrade_attempts;

DROP TABLE quiz_former_regrade_attempts;
DROP TABLE quiz_former_regrades;

CREATE INDEX quiz_regrades_by_assignment ON quiz_regrades (assignment_id, id) WHERE assignment_id IS NOT NULL;
CREATE INDEX quiz_regrades_by_quiz ON quiz_regrades (quiz_id, id) WHERE quiz_id IS NOT NULL;
CREATE INDEX quiz_regrades_by_question ON quiz_regrades (question_item_id) WHERE question_item_id IS NOT NULL;
CREATE INDEX quiz_regrade_attempts_by_regrade ON quiz_regrade_attempts (regrade_id, state, id);
CREATE INDEX quiz_regrade_attempts_by_session ON quiz_regrade_attempts (session_id, state) WHERE session_id IS NOT NULL;
CREATE INDEX quiz_regrade_attempts_by_submission ON quiz_regrade_attempts (quiz_submission_id, attempt)
WHERE quiz_submission_id IS NOT NULL;
CREATE INDEX quiz_regrade_sessions_to_do ON quiz_regrade_attempts (regrade_id, id)
WHERE state = 'due' AND session_id IS NOT NULL;
CREATE INDEX quiz_regrade_submissions_to_do ON quiz_regrade_attempts (regrade_id, id)
WHERE state = 'due' AND quiz_submission_id IS NOT NULL;

-- Who took the quiz when its key was corrected has the same as those who had handed in.
CREATE TRIGGER quiz_sessions_are_regraded AFTER UPDATE OF state ON quiz_sessions WHEN new.state = 'submitted'
BEGIN
    UPDATE quiz_regrade_attempts SET state = 'due' WHERE session_id = new.id AND state = 'waiting';
END;
CREATE TRIGGER quiz_submissions_are_regraded AFTER UPDATE OF workflow_state ON quiz_submissions
WHEN old.workflow_state = 'untaken' AND new.workflow_state <> 'untaken'
BEGIN
    UPDATE quiz_regrade_attempts SET state = 'due'
    WHERE quiz_submission_id = new.id AND attempt = new.attempt AND state = 'waiting';
END;

-- The score of an attempt at a classic quiz before it was regraded for the first time; null: it never was, or has the same.
ALTER TABLE quiz_submissions ADD COLUMN score_before_regrade REAL;
ALTER TABLE quiz_submission_versions ADD COLUMN score_before_regrade REAL;
