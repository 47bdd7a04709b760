-- Students on their way through new quizzes, and what a student is given beyond what a quiz allows.

-- A student's way through a new quiz, from its start until it is handed in; or a teacher's, who looks at what students see.
CREATE TABLE quiz_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    assignment_id INTEGER NOT NULL REFERENCES new_quizzes (assignment_id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    is_preview INTEGER NOT NULL DEFAULT 0 CHECK (is_preview IN (0, 1)),
    -- 1 is the student's first attempt.
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'taking' CHECK (state IN ('taking', 'submitted')),
    -- What was drawn, and the order of everything, follow from it.
    seed INTEGER NOT NULL,
    -- The items in the student's order: JSON, with the questions and stimuli by their ids.
    items TEXT NOT NULL,
    item_count INTEGER NOT NULL,
    points_possible REAL NOT NULL,
    -- The question that is looked at: 1 is the first.
    position INTEGER NOT NULL DEFAULT 1 CHECK (position >= 1),
    -- Questions with four choices or more have a wrong one less.
    has_fewer_choices INTEGER NOT NULL DEFAULT 0 CHECK (has_fewer_choices IN (0, 1)),
    started_at TEXT NOT NULL,
    end_at TEXT,
    submitted_at TEXT,
    -- Null before it is handed in.
    score REAL,
    -- False: somebody must read an answer.
    is_scored INTEGER CHECK (is_scored IN (0, 1)),
    -- When the student was shown results that are shown once.
    results_seen_at TEXT,
    -- What it became when it was handed in; a preview becomes nothing.
    quiz_attempt_id INTEGER REFERENCES quiz_attempts (id),
    CHECK ((state = 'submitted') = (submitted_at IS NOT NULL)),
    CHECK ((state = 'submitted') = (score IS NOT NULL)),
    CHECK ((state = 'submitted') = (is_scored IS NOT NULL))
) STRICT;
-- Nobody takes a quiz twice at once.
CREATE UNIQUE INDEX quiz_sessions_taking ON quiz_sessions (assignment_id, user_id, is_preview) WHERE state = 'taking';
CREATE INDEX quiz_sessions_by_user ON quiz_sessions (assignment_id, user_id, id);
CREATE INDEX quiz_sessions_by_quiz ON quiz_sessions (assignment_id, id);
CREATE INDEX quiz_sessions_of_course ON quiz_sessions (course_id, user_id) WHERE state = 'taking';
CREATE INDEX quiz_sessions_by_end ON quiz_sessions (end_at) WHERE state = 'taking' AND end_at IS NOT NULL;
CREATE INDEX quiz_sessions_by_attempt ON quiz_sessions (quiz_attempt_id) WHERE quiz_attempt_id IS NOT NULL;

-- What was answered, by the items of the session. When it is handed in there is a row for each question.
CREATE TABLE quiz_session_answers (
    session_id INTEGER NOT NULL REFERENCES quiz_sessions (id) ON DELETE CASCADE,
    item_id TEXT NOT NULL,
    -- 1 more with each change; 0: nothing was ever saved.
    version INTEGER NOT NULL CHECK (version >= 0),
    -- JSON; null: no answer.
    response TEXT,
    flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
    saved_at TEXT,
    -- Null while nobody has judged it.
    points REAL,
    -- What each piece of the answer is worth: JSON.
    parts TEXT,
    -- Who gave the points, if it was not a program.
    grader_id INTEGER REFERENCES users (id),
    comment TEXT,
    PRIMARY KEY (session_id, item_id)
) STRICT, WITHOUT ROWID;

-- What a student is given in a course, or at one of its new quizzes. Null: the quiz has nothing to say about it.
CREATE TABLE quiz_accommodations (
    id INTEGER PRIMARY KEY,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    -- Null: at all new quizzes of the course.
    assignment_id INTEGER REFERENCES new_quizzes (assignment_id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- In minutes.
    extra_time INTEGER CHECK (extra_time BETWEEN 0 AND 10080),
    extra_attempts INTEGER CHECK (extra_attempts BETWEEN 0 AND 1000),
    reduce_choices_enabled INTEGER CHECK (reduce_choices_enabled IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX quiz_accommodations_of_course ON quiz_accommodations (course_id, user_id) WHERE assignment_id IS NULL;
CREATE UNIQUE INDEX quiz_accommodations_of_quiz ON quiz_accommodations (assignment_id, user_id) WHERE assignment_id IS NOT NULL;
