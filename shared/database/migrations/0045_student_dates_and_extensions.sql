-- What a student has of a classic quiz beyond what it allows everybody; null: nothing was said of it.
CREATE TABLE quiz_extensions (
    quiz_id INTEGER NOT NULL REFERENCES quizzes (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    extra_attempts INTEGER,
    -- In minutes.
    extra_time INTEGER,
    manually_unlocked INTEGER CHECK (manually_unlocked IN (0, 1)),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (quiz_id, user_id)
) STRICT, WITHOUT ROWID;

-- Dates of an assignment that are others for a section, for a group, or, where it names neither, for single students.
CREATE TABLE assignment_overrides (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    title TEXT,
    course_section_id INTEGER REFERENCES course_sections (id),
    group_id INTEGER REFERENCES groups (id),
    -- A date counts where it is one of the override: also none.
    has_due_at INTEGER NOT NULL DEFAULT 0 CHECK (has_due_at IN (0, 1)),
    due_at TEXT,
    has_unlock_at INTEGER NOT NULL DEFAULT 0 CHECK (has_unlock_at IN (0, 1)),
    unlock_at TEXT,
    has_lock_at INTEGER NOT NULL DEFAULT 0 CHECK (has_lock_at IN (0, 1)),
    lock_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK (course_section_id IS NULL OR group_id IS NULL)
) STRICT;
CREATE INDEX assignment_overrides_by_assignment ON assignment_overrides (assignment_id, id);
CREATE UNIQUE INDEX assignment_overrides_by_section ON assignment_overrides (assignment_id, course_section_id)
WHERE course_section_id IS NOT NULL;
CREATE UNIQUE INDEX assignment_overrides_by_group ON assignment_overrides (assignment_id, group_id)
WHERE group_id IS NOT NULL;

-- A student is named by one override of an assignment at most.
CREATE TABLE assignment_override_students (
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    assignment_override_id INTEGER NOT NULL REFERENCES assignment_overrides (id) ON DELETE CASCADE,
    PRIMARY KEY (assignment_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_override_students_by_override ON assignment_override_students (assignment_override_id, user_id);
