-- Terms, sections that are taught in another course, and imports of which the difference is applied, which remove what they
-- do not name, and which are taken back.

CREATE TABLE enrollment_terms (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    sis_term_id TEXT,
    start_at TEXT,
    end_at TEXT,
    -- Dates for those who are enrolled in another way, as `{"StudentEnrollment": {"start_at": …, "end_at": …}}`.
    overrides TEXT NOT NULL DEFAULT '{}',
    -- The import that named it last.
    sis_import_id INTEGER,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX enrollment_terms_by_root_account ON enrollment_terms (root_account_id, id);
CREATE INDEX enrollment_terms_by_any_sis_id ON enrollment_terms (root_account_id, sis_term_id)
WHERE sis_term_id IS NOT NULL;
CREATE UNIQUE INDEX enrollment_terms_by_sis_id ON enrollment_terms (root_account_id, sis_term_id)
WHERE sis_term_id IS NOT NULL AND workflow_state <> 'deleted';

ALTER TABLE courses ADD COLUMN enrollment_term_id INTEGER REFERENCES enrollment_terms (id);
CREATE INDEX courses_by_term ON courses (enrollment_term_id, id) WHERE enrollment_term_id IS NOT NULL;

-- The import that named a record last; null where none has. No reference: an import may go before its records.
ALTER TABLE courses ADD COLUMN sis_import_id INTEGER;
ALTER TABLE course_sections ADD COLUMN sis_import_id INTEGER;
ALTER TABLE enrollments ADD COLUMN sis_import_id INTEGER;

-- The course of a section that is taught in another one.
ALTER TABLE course_sections ADD COLUMN nonxlist_course_id INTEGER REFERENCES courses (id);

-- A part of the state: of an import that is at work, or of one that has ended and is taken back.
ALTER TABLE sis_imports ADD COLUMN stage TEXT
CHECK (stage IN ('cleanup_batch', 'restoring', 'partially_restored', 'restored'));
-- 1 in a transaction that changes records for the import, and never outside of one: triggers look for it.
ALTER TABLE sis_imports ADD COLUMN at_work INTEGER NOT NULL DEFAULT 0 CHECK (at_work IN (0, 1));
-- Which of its rows are applied: while they are counted none yet, then those that differ, or all; with `none` they are all
-- applied, and the data set stays as it is.
ALTER TABLE sis_imports ADD COLUMN comparison TEXT
CHECK (comparison IN ('counting', 'difference', 'whole', 'none'));
ALTER TABLE sis_imports ADD COLUMN data_set_id INTEGER;
ALTER TABLE sis_imports ADD COLUMN diffed_against_import_id INTEGER;
-- How many rows differ, as far as they are counted.
ALTER TABLE sis_imports ADD COLUMN differences INTEGER NOT NULL DEFAULT 0;
-- How far the removal of what the import does not name has come.
ALTER TABLE sis_imports ADD COLUMN removal_term_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sis_imports ADD COLUMN removal_course_id INTEGER NOT NULL DEFAULT 0;
-- 1 while it is still known how records were before it.
ALTER TABLE sis_imports ADD COLUMN restorable INTEGER NOT NULL DEFAULT 0 CHECK (restorable IN (0, 1));
CREATE INDEX sis_imports_at_work ON sis_imports (at_work) WHERE at_work = 1;
CREATE INDEX sis_imports_restorable ON sis_imports (restorable, ended_at) WHERE restorable = 1;
ALTER TABLE sis_import_files ADD COLUMN bytes_compared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sis_import_files ADD COLUMN lines_compared INTEGER NOT NULL DEFAULT 0;

-- The rows that the imports of an identifier have applied. What one of them does not name any more has the number of an
-- older one.
CREATE TABLE sis_data_sets (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    identifier TEXT NOT NULL,
    -- The last import that was applied to its end, and the bytes of its files; null: there was none.
    sis_import_id INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (root_account_id, identifier)
) STRICT;
CREATE TABLE sis_data_set_rows (
    data_set_id INTEGER NOT NULL REFERENCES sis_data_sets (id),
    kind TEXT NOT NULL,
    -- The values by which a row is known.
    identity TEXT NOT NULL,
    -- All its values but the password.
    content TEXT NOT NULL,
    sis_import_id INTEGER NOT NULL,
    PRIMARY KEY (data_set_id, kind, identity)
) STRICT, WITHOUT ROWID;
CREATE INDEX sis_data_set_rows_by_import ON sis_data_set_rows (data_set_id, kind, sis_import_id);

-- The states that an import has changed, so that they can be counted and restored.
CREATE TABLE sis_import_changes (
    id INTEGER PRIMARY KEY,
    sis_import_id INTEGER NOT NULL REFERENCES sis_imports (id),
    record_type TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    -- Null: it was not there.
    previous_state TEXT,
    state TEXT NOT NULL,
    -- 1 if it was removed because the import did not name it.
    batch_mode INTEGER NOT NULL CHECK (batch_mode IN (0, 1))
) STRICT;
CREATE INDEX sis_import_changes_by_import ON sis_import_changes (sis_import_id, id);

CREATE TABLE sis_import_statistics (
    sis_import_id INTEGER NOT NULL REFERENCES sis_imports (id),
    record_type TEXT NOT NULL,
    changes INTEGER NOT NULL,
    created INTEGER NOT NULL,
    concluded INTEGER NOT NULL,
    deactivated INTEGER NOT NULL,
    restored INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    PRIMARY KEY (sis_import_id, record_type)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sis_import_changes_counted AFTER INSERT ON sis_import_changes BEGIN
    INSERT INTO sis_import_statistics
        (sis_import_id, record_type, changes, created, concluded, deactivated, restored, deleted)
    VALUES (
        new.sis_import_id, new.record_type, 1, new.previous_state IS NULL,
        new.previous_state IS NOT NULL AND new.state = 'completed',
        new.previous_state IS NOT NULL AND new.state = 'inactive',
        ifnull(new.previous_state IN ('deleted', 'completed', 'inactive')
               AND new.state NOT IN ('deleted', 'completed', 'inactive'), 0),
        new.previous_state IS NOT NULL AND new.state = 'deleted'
    )
    ON CONFLICT (sis_import_id, record_type) DO UPDATE SET
        changes = changes + 1, created = created + excluded.created, concluded = concluded + excluded.concluded,
        deactivated = deactivated + excluded.deactivated, restored = restored + excluded.restored,
        deleted = deleted + excluded.deleted;
END;

-- An import whose states are being restored, until they are.
CREATE TABLE sis_restorations (
    id INTEGER PRIMARY KEY,
    sis_import_id INTEGER NOT NULL UNIQUE REFERENCES sis_imports (id),
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    real_user_id INTEGER REFERENCES users (id),
    progress_id INTEGER NOT NULL REFERENCES progresses (id),
    batch_mode INTEGER NOT NULL CHECK (batch_mode IN (0, 1)),
    undelete_only INTEGER NOT NULL CHECK (undelete_only IN (0, 1)),
    unconclude_only INTEGER NOT NULL CHECK (unconclude_only IN (0, 1)),
    -- The last change comes first: where the first and the last one are, and up to which they are restored.
    changes_from INTEGER NOT NULL,
    changes_to INTEGER NOT NULL,
    restored_from INTEGER NOT NULL,
    lease TEXT,
    leased_until TEXT,
    -- How often work on it was begun since it moved on.
    attempts INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Each state that an import changes, by a row or by what follows from it.

CREATE TRIGGER accounts_created_by_import AFTER INSERT ON accounts BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Account', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER accounts_changed_by_import AFTER UPDATE OF workflow_state ON accounts
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Account', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER enrollment_terms_created_by_import AFTER INSERT ON enrollment_terms BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'EnrollmentTerm', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER enrollment_terms_changed_by_import AFTER UPDATE OF workflow_state ON enrollment_terms
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'EnrollmentTerm', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER users_created_by_import AFTER INSERT ON users BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'User', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER users_changed_by_import AFTER UPDATE OF workflow_state ON users
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'User', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER pseudonyms_created_by_import AFTER INSERT ON pseudonyms BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Pseudonym', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER pseudonyms_changed_by_import AFTER UPDATE OF workflow_state ON pseudonyms
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Pseudonym', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER courses_created_by_import AFTER INSERT ON courses BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Course', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER courses_changed_by_import AFTER UPDATE OF workflow_state ON courses
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Course', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER course_sections_created_by_import AFTER INSERT ON course_sections BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'CourseSection', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER course_sections_changed_by_import AFTER UPDATE OF workflow_state ON course_sections
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'CourseSection', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER enrollments_created_by_import AFTER INSERT ON enrollments BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Enrollment', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER enrollments_changed_by_import AFTER UPDATE OF workflow_state ON enrollments
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Enrollment', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER groups_created_by_import AFTER INSERT ON groups BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Group', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER groups_changed_by_import AFTER UPDATE OF workflow_state ON groups
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'Group', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER group_memberships_created_by_import AFTER INSERT ON group_memberships BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'GroupMembership', new.id, NULL, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;

CREATE TRIGGER group_memberships_changed_by_import AFTER UPDATE OF workflow_state ON group_memberships
WHEN new.workflow_state <> old.workflow_state BEGIN
    INSERT INTO sis_import_changes (sis_import_id, record_type, record_id, previous_state, state, batch_mode)
    SELECT id, 'GroupMembership', new.id, old.workflow_state, new.workflow_state, ifnull(stage = 'cleanup_batch', 0)
    FROM sis_imports WHERE at_work = 1;
END;
