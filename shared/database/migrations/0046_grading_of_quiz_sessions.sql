-- People grade sessions of new quizzes, question by question.

-- 1 more with each grading: of two graders at once one is told that the other was faster.
ALTER TABLE quiz_sessions ADD COLUMN grading_version INTEGER NOT NULL DEFAULT 0 CHECK (grading_version >= 0);
-- Points beside those of the answers.
ALTER TABLE quiz_sessions ADD COLUMN fudge_points REAL NOT NULL DEFAULT 0;
-- Who has graded last, and when; null: nobody but the program.
ALTER TABLE quiz_sessions ADD COLUMN grader_id INTEGER REFERENCES users (id);
ALTER TABLE quiz_sessions ADD COLUMN graded_at TEXT;
-- What waits for a person.
CREATE INDEX quiz_sessions_waiting ON quiz_sessions (assignment_id, id) WHERE is_scored = 0 AND is_preview = 0;

-- When the grader gave the points.
ALTER TABLE quiz_session_answers ADD COLUMN graded_at TEXT;
