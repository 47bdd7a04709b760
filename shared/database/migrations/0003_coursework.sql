-- Assignments, new quizzes with their items and banks, classic quizzes with their questions, groups and banks.
--
-- The id of a record that is gone is never given out again: AUTOINCREMENT where records are deleted.

CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    name TEXT NOT NULL,
    description TEXT,
    points_possible REAL,
    grading_type TEXT NOT NULL DEFAULT 'points',
    submission_types TEXT NOT NULL DEFAULT '["none"]',
    assignment_group_id INTEGER,
    due_at TEXT,
    unlock_at TEXT,
    lock_at TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'unpublished' CHECK (workflow_state IN ('unpublished', 'published', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX assignments_by_course ON assignments (course_id, id);

-- A new quiz is known by its assignment.
CREATE TABLE new_quizzes (
    assignment_id INTEGER PRIMARY KEY REFERENCES assignments (id),
    quiz_settings TEXT NOT NULL DEFAULT '{}',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE question_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT,
    item_body TEXT NOT NULL,
    calculator_type TEXT NOT NULL DEFAULT 'none',
    feedback TEXT NOT NULL DEFAULT '{}',
    interaction_type_slug TEXT NOT NULL,
    interaction_data TEXT NOT NULL,
    properties TEXT NOT NULL DEFAULT '{}',
    scoring_data TEXT NOT NULL,
    answer_feedback TEXT NOT NULL DEFAULT '{}',
    scoring_algorithm TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE stimuli (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT,
    body TEXT,
    instructions TEXT,
    source_url TEXT,
    orientation TEXT NOT NULL DEFAULT 'left' CHECK (orientation IN ('top', 'left')),
    passage INTEGER NOT NULL DEFAULT 0 CHECK (passage IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE item_banks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    title TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX item_banks_by_course ON item_banks (course_id, id);

CREATE TABLE bank_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bank_id INTEGER NOT NULL REFERENCES item_banks (id),
    question_item_id INTEGER REFERENCES question_items (id),
    stimulus_id INTEGER REFERENCES stimuli (id),
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((question_item_id IS NULL) <> (stimulus_id IS NULL))
) STRICT;
CREATE INDEX bank_entries_by_bank ON bank_entries (bank_id, id);
CREATE INDEX bank_entries_by_question ON bank_entries (question_item_id) WHERE question_item_id IS NOT NULL;

-- The items of a new quiz: each is a question or stimulus of its own, or one of a bank, or a whole bank.
CREATE TABLE quiz_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    assignment_id INTEGER NOT NULL REFERENCES new_quizzes (assignment_id),
    position INTEGER NOT NULL,
    points_possible REAL NOT NULL,
    entry_type TEXT NOT NULL CHECK (entry_type IN ('Item', 'Stimulus', 'BankEntry', 'Bank')),
    question_item_id INTEGER REFERENCES question_items (id),
    stimulus_id INTEGER REFERENCES stimuli (id),
    bank_entry_id INTEGER REFERENCES bank_entries (id),
    bank_id INTEGER REFERENCES item_banks (id),
    sample_num INTEGER,
    stimulus_quiz_entry_id INTEGER REFERENCES quiz_items (id) ON DELETE SET NULL,
    CHECK (
        (entry_type = 'Item') = (question_item_id IS NOT NULL)
        AND (entry_type = 'Stimulus') = (stimulus_id IS NOT NULL)
        AND (entry_type = 'BankEntry') = (bank_entry_id IS NOT NULL)
        AND (entry_type = 'Bank') = (bank_id IS NOT NULL)
    )
) STRICT;
CREATE UNIQUE INDEX quiz_items_by_position ON quiz_items (assignment_id, position);
CREATE INDEX quiz_items_by_stimulus ON quiz_items (stimulus_quiz_entry_id) WHERE stimulus_quiz_entry_id IS NOT NULL;
CREATE INDEX quiz_items_by_question ON quiz_items (question_item_id) WHERE question_item_id IS NOT NULL;
CREATE INDEX quiz_items_by_bank_entry ON quiz_items (bank_entry_id) WHERE bank_entry_id IS NOT NULL;
CREATE INDEX quiz_items_by_bank ON quiz_items (bank_id) WHERE bank_id IS NOT NULL;

CREATE TABLE quiz_attempts (
    id INTEGER PRIMARY KEY,
    assignment_id INTEGER NOT NULL REFERENCES new_quizzes (assignment_id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    attempt INTEGER NOT NULL,
    responses TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (assignment_id, user_id, attempt)
) STRICT;

-- Images of hot-spot questions. Their bytes lie in the key-value store.
CREATE TABLE media_objects (
    id TEXT PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    -- The name of its bytes in the key-value store.
    blob TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE quizzes (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    title TEXT NOT NULL,
    description TEXT,
    quiz_type TEXT NOT NULL DEFAULT 'practice_quiz'
        CHECK (quiz_type IN ('practice_quiz', 'assignment', 'graded_survey', 'survey')),
    -- The rest of the settings, as the API names them.
    settings TEXT NOT NULL DEFAULT '{}',
    due_at TEXT,
    lock_at TEXT,
    unlock_at TEXT,
    -- What students see: the quiz as it was when it was published last. Null: never published.
    published_at TEXT,
    last_edited_at TEXT NOT NULL,
    version_number INTEGER NOT NULL DEFAULT 1,
    workflow_state TEXT NOT NULL DEFAULT 'created'
        CHECK (workflow_state IN ('created', 'edited', 'unpublished', 'available', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX quizzes_by_course ON quizzes (course_id, id);

-- A bank belongs to a course, to an account, or to a user.
CREATE TABLE question_banks (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER REFERENCES courses (id),
    account_id INTEGER REFERENCES accounts (id),
    user_id INTEGER REFERENCES users (id),
    title TEXT NOT NULL,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((course_id IS NOT NULL) + (account_id IS NOT NULL) + (user_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX question_banks_by_course ON question_banks (course_id, id);

CREATE TABLE quiz_groups (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    quiz_id INTEGER NOT NULL REFERENCES quizzes (id),
    name TEXT,
    pick_count INTEGER NOT NULL DEFAULT 0,
    question_points REAL,
    assessment_question_bank_id INTEGER REFERENCES question_banks (id),
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX quiz_groups_by_quiz ON quiz_groups (quiz_id, position, id);

CREATE TABLE quiz_questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    quiz_id INTEGER REFERENCES quizzes (id),
    question_bank_id INTEGER REFERENCES question_banks (id),
    quiz_group_id INTEGER REFERENCES quiz_groups (id) ON DELETE SET NULL,
    position INTEGER,
    question_name TEXT NOT NULL DEFAULT 'Question',
    question_type TEXT NOT NULL DEFAULT 'text_only_question',
    question_text TEXT NOT NULL DEFAULT '',
    points_possible REAL,
    correct_comments TEXT NOT NULL DEFAULT '',
    incorrect_comments TEXT NOT NULL DEFAULT '',
    neutral_comments TEXT NOT NULL DEFAULT '',
    answers TEXT NOT NULL DEFAULT '[]',
    -- What only some types of questions have, as the API names it.
    question_data TEXT NOT NULL DEFAULT '{}',
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((quiz_id IS NULL) <> (question_bank_id IS NULL))
) STRICT;
CREATE INDEX quiz_questions_by_quiz ON quiz_questions (quiz_id, position, id) WHERE quiz_id IS NOT NULL;
CREATE INDEX quiz_questions_by_group ON quiz_questions (quiz_group_id, position) WHERE quiz_group_id IS NOT NULL;
CREATE INDEX quiz_questions_by_bank ON quiz_questions (question_bank_id, id) WHERE question_bank_id IS NOT NULL;

-- A classic quiz knows when its questions or groups were changed last.
CREATE TRIGGER quiz_groups_inserted AFTER INSERT ON quiz_groups BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;
CREATE TRIGGER quiz_groups_updated AFTER UPDATE ON quiz_groups BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;
CREATE TRIGGER quiz_groups_deleted BEFORE DELETE ON quiz_groups BEGIN
    UPDATE quiz_questions SET workflow_state = 'deleted' WHERE quiz_id = old.quiz_id AND quiz_group_id IS old.id;
    UPDATE quizzes SET last_edited_at = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE id = old.quiz_id;
END;
CREATE TRIGGER quiz_questions_inserted AFTER INSERT ON quiz_questions WHEN new.quiz_id IS NOT NULL BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;
CREATE TRIGGER quiz_questions_updated AFTER UPDATE ON quiz_questions WHEN new.quiz_id IS NOT NULL BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;
