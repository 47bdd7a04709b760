-- Groups of users, and imports of what an institution's other systems know.

-- A group belongs to a course, or to an account itself: then `course_id` is null.
CREATE TABLE groups (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER REFERENCES accounts (id),
    course_id INTEGER REFERENCES courses (id),
    name TEXT NOT NULL,
    description TEXT,
    sis_group_id TEXT,
    is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    join_level TEXT NOT NULL DEFAULT 'invitation_only'
        CHECK (join_level IN ('parent_context_auto_join', 'parent_context_request', 'invitation_only')),
    max_membership INTEGER,
    workflow_state TEXT NOT NULL DEFAULT 'available' CHECK (workflow_state IN ('available', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((account_id IS NULL) <> (course_id IS NULL))
) STRICT;
CREATE INDEX groups_by_course ON groups (course_id, id) WHERE course_id IS NOT NULL;
CREATE INDEX groups_by_account ON groups (account_id, id) WHERE account_id IS NOT NULL;
CREATE UNIQUE INDEX groups_by_sis_id ON groups (root_account_id, sis_group_id)
WHERE sis_group_id IS NOT NULL AND workflow_state <> 'deleted';

CREATE TABLE group_memberships (
    id INTEGER PRIMARY KEY,
    group_id INTEGER NOT NULL REFERENCES groups (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    moderator INTEGER NOT NULL DEFAULT 0 CHECK (moderator IN (0, 1)),
    workflow_state TEXT NOT NULL DEFAULT 'accepted' CHECK (workflow_state IN ('accepted', 'requested', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX group_memberships_by_user ON group_memberships (user_id, group_id);
CREATE UNIQUE INDEX group_memberships_once ON group_memberships (group_id, user_id) WHERE workflow_state <> 'deleted';

-- An import reads an upload, which is a CSV file or a zip of them, row by row. What it has read and what it has changed
-- are written in the same transactions, so that it goes on where a crash has cut it off.
CREATE TABLE sis_imports (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    workflow_state TEXT NOT NULL DEFAULT 'initializing' CHECK (
        workflow_state IN ('initializing', 'created', 'importing', 'imported', 'imported_with_messages', 'failed',
                           'failed_with_messages', 'aborted')
    ),
    -- The name of the upload's bytes in the key-value store; null: they are gone.
    upload TEXT,
    upload_size INTEGER NOT NULL DEFAULT 0,
    upload_name TEXT,
    -- How the caller wants it done.
    options TEXT NOT NULL DEFAULT '{}',
    -- Whether the upload's files are known: `sis_import_files`.
    prepared INTEGER NOT NULL DEFAULT 0 CHECK (prepared IN (0, 1)),
    progress INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    -- How many rows of each kind were taken.
    counts TEXT NOT NULL DEFAULT '{}',
    -- Who works on it at the moment, and until when nobody else may.
    lease TEXT,
    leased_until TEXT,
    -- How often work on it was begun since it moved on.
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sis_imports_by_account ON sis_imports (root_account_id, id);
CREATE INDEX sis_imports_to_do ON sis_imports (root_account_id, id) WHERE workflow_state IN ('created', 'importing');
CREATE INDEX sis_imports_to_clean_up ON sis_imports (id) WHERE upload IS NOT NULL;

CREATE TABLE sis_import_files (
    id INTEGER PRIMARY KEY,
    sis_import_id INTEGER NOT NULL REFERENCES sis_imports (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- Their order, whatever it was in the zip.
    ordinal INTEGER NOT NULL,
    -- The name of its bytes in the key-value store.
    blob TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- How much of it is imported.
    bytes_read INTEGER NOT NULL DEFAULT 0,
    lines_read INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sis_import_files_by_import ON sis_import_files (sis_import_id, ordinal, id);

CREATE TABLE sis_import_errors (
    id INTEGER PRIMARY KEY,
    sis_import_id INTEGER NOT NULL REFERENCES sis_imports (id),
    file TEXT,
    -- The line where the row begins.
    row INTEGER,
    message TEXT NOT NULL,
    row_info TEXT,
    -- Whether the row was passed over: otherwise it was taken, but not all that it says.
    failure INTEGER NOT NULL CHECK (failure IN (0, 1))
) STRICT;
CREATE INDEX sis_import_errors_by_import ON sis_import_errors (sis_import_id, id);

-- Deleted records are found by the ids that institutions gave them, because imports bring them back.
CREATE INDEX accounts_by_any_sis_id ON accounts (root_account_id, sis_account_id) WHERE sis_account_id IS NOT NULL;
CREATE INDEX courses_by_any_sis_id ON courses (root_account_id, sis_course_id) WHERE sis_course_id IS NOT NULL;
CREATE INDEX course_sections_by_any_sis_id ON course_sections (root_account_id, sis_section_id)
WHERE sis_section_id IS NOT NULL;
CREATE INDEX groups_by_any_sis_id ON groups (root_account_id, sis_group_id) WHERE sis_group_id IS NOT NULL;
CREATE INDEX pseudonyms_by_any_sis_id ON pseudonyms (root_account_id, sis_user_id) WHERE sis_user_id IS NOT NULL;
CREATE INDEX pseudonyms_by_integration_id ON pseudonyms (root_account_id, integration_id)
WHERE integration_id IS NOT NULL;
