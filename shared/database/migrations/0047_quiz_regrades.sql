-- Corrections of what is right in a question of a new quiz that was answered already, and what became of each attempt.

CREATE TABLE quiz_regrades (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assignment_id INTEGER NOT NULL REFERENCES new_quizzes (assignment_id),
    -- The item of the quiz, as sessions name it.
    item_id TEXT NOT NULL,
    question_item_id INTEGER NOT NULL REFERENCES question_items (id) ON DELETE CASCADE,
    -- Who has corrected it.
    user_id INTEGER NOT NULL REFERENCES users (id),
    option TEXT NOT NULL
        CHECK (option IN ('current_and_previous_correct', 'current_correct_only', 'full_credit', 'no_regrade')),
    previous_scoring_algorithm TEXT NOT NULL,
    -- JSON.
    previous_scoring_data TEXT NOT NULL,
    scoring_algorithm TEXT NOT NULL,
    -- JSON.
    scoring_data TEXT NOT NULL,
    -- The attempts that were handed in; those that ran when it began are counted when they are.
    attempt_count INTEGER NOT NULL,
    regraded_count INTEGER NOT NULL DEFAULT 0,
    changed_count INTEGER NOT NULL DEFAULT 0,
    -- The points for the question that all attempts together have more than before.
    points_change REAL NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    -- Null while attempts are due.
    completed_at TEXT
) STRICT;
CREATE INDEX quiz_regrades_by_quiz ON quiz_regrades (assignment_id, id);
CREATE INDEX quiz_regrades_by_question ON quiz_regrades (question_item_id);

CREATE TABLE quiz_regrade_attempts (
    regrade_id INTEGER NOT NULL REFERENCES quiz_regrades (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES quiz_sessions (id) ON DELETE CASCADE,
    -- `waiting` until the session is handed in.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'due', 'done')),
    -- Points for the question; null where a person has to judge it, or where the session has not asked it.
    points_before REAL,
    points_after REAL,
    score_before REAL,
    score_after REAL,
    -- A person has given the points: they stay.
    is_by_person INTEGER NOT NULL DEFAULT 0 CHECK (is_by_person IN (0, 1)),
    regraded_at TEXT,
    PRIMARY KEY (regrade_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX quiz_regrade_attempts_to_do ON quiz_regrade_attempts (regrade_id, session_id) WHERE state = 'due';
CREATE INDEX quiz_regrade_attempts_by_session ON quiz_regrade_attempts (session_id, state);

-- Who took the quiz when its key was corrected has the same as those who had handed in.
CREATE TRIGGER quiz_sessions_are_regraded AFTER UPDATE OF state ON quiz_sessions WHEN new.state = 'submitted'
BEGIN
    UPDATE quiz_regrade_attempts SET state = 'due' WHERE session_id = new.id AND state = 'waiting';
END;
