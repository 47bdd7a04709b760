-- Accounts, users, courses, sections, enrollments. A root account is a tenant: every row names its own.

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    parent_account_id INTEGER REFERENCES accounts (id),
    root_account_id INTEGER NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
    sis_account_id TEXT,
    default_time_zone TEXT NOT NULL DEFAULT 'America/Denver',
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    uuid TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX accounts_by_parent ON accounts (parent_account_id, id);
CREATE INDEX accounts_by_uuid ON accounts (uuid);
CREATE UNIQUE INDEX accounts_by_sis_id ON accounts (root_account_id, sis_account_id)
WHERE sis_account_id IS NOT NULL AND workflow_state <> 'deleted';

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    sortable_name TEXT NOT NULL,
    short_name TEXT NOT NULL,
    email TEXT,
    locale TEXT,
    time_zone TEXT,
    site_admin INTEGER NOT NULL DEFAULT 0 CHECK (site_admin IN (0, 1)),
    workflow_state TEXT NOT NULL DEFAULT 'registered' CHECK (workflow_state IN ('registered', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX users_by_root_account ON users (root_account_id, id);

-- Logins. A user may have several; a deleted one frees its name.
CREATE TABLE pseudonyms (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    unique_id TEXT NOT NULL COLLATE NOCASE,
    sis_user_id TEXT,
    integration_id TEXT,
    password_hash TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX pseudonyms_by_user ON pseudonyms (user_id);
CREATE UNIQUE INDEX pseudonyms_by_unique_id ON pseudonyms (root_account_id, unique_id) WHERE workflow_state = 'active';
CREATE UNIQUE INDEX pseudonyms_by_sis_id ON pseudonyms (root_account_id, sis_user_id)
WHERE sis_user_id IS NOT NULL AND workflow_state = 'active';

CREATE TABLE account_admins (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    role TEXT NOT NULL DEFAULT 'AccountAdmin',
    created_at TEXT NOT NULL,
    UNIQUE (user_id, account_id)
) STRICT;
CREATE INDEX account_admins_by_account ON account_admins (account_id, id);

CREATE TABLE courses (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    course_code TEXT NOT NULL,
    sis_course_id TEXT,
    uuid TEXT NOT NULL,
    start_at TEXT,
    end_at TEXT,
    is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    public_description TEXT,
    syllabus_body TEXT,
    license TEXT,
    default_view TEXT NOT NULL DEFAULT 'modules',
    time_zone TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'unpublished'
        CHECK (workflow_state IN ('unpublished', 'available', 'completed', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX courses_by_account ON courses (account_id, id);
CREATE INDEX courses_by_uuid ON courses (uuid);
CREATE INDEX courses_by_root_account ON courses (root_account_id, id);
CREATE UNIQUE INDEX courses_by_sis_id ON courses (root_account_id, sis_course_id)
WHERE sis_course_id IS NOT NULL AND workflow_state <> 'deleted';

CREATE TABLE course_sections (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    name TEXT NOT NULL,
    sis_section_id TEXT,
    integration_id TEXT,
    start_at TEXT,
    end_at TEXT,
    restrict_enrollments_to_section_dates INTEGER NOT NULL DEFAULT 0,
    default_section INTEGER NOT NULL DEFAULT 0 CHECK (default_section IN (0, 1)),
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX course_sections_by_course ON course_sections (course_id, id);
CREATE UNIQUE INDEX course_sections_by_sis_id ON course_sections (root_account_id, sis_section_id)
WHERE sis_section_id IS NOT NULL AND workflow_state <> 'deleted';

CREATE TABLE enrollments (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    course_section_id INTEGER NOT NULL REFERENCES course_sections (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    associated_user_id INTEGER REFERENCES users (id),
    type TEXT NOT NULL CHECK (
        type IN ('StudentEnrollment', 'TeacherEnrollment', 'TaEnrollment', 'DesignerEnrollment', 'ObserverEnrollment')
    ),
    limit_privileges_to_course_section INTEGER NOT NULL DEFAULT 0,
    workflow_state TEXT NOT NULL DEFAULT 'invited'
        CHECK (workflow_state IN ('active', 'invited', 'inactive', 'completed', 'rejected', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX enrollments_by_course ON enrollments (course_id, id);
CREATE INDEX enrollments_by_user ON enrollments (user_id, course_id);
CREATE UNIQUE INDEX enrollments_once ON enrollments (course_section_id, user_id, type, ifnull(associated_user_id, 0))
WHERE workflow_state <> 'deleted';

-- The first tenant and its administrator, who is also the site's.
INSERT INTO accounts (id, name, root_account_id, uuid, created_at, updated_at)
VALUES (1, 'Lectern', 1, lower(hex(randomblob(16))), strftime('%Y-%m-%dT%H:%M:%SZ'), strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO users (id, root_account_id, name, sortable_name, short_name, site_admin, created_at, updated_at)
VALUES (1, 1, 'Admin', 'Admin', 'Admin', 1, strftime('%Y-%m-%dT%H:%M:%SZ'), strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO pseudonyms (user_id, root_account_id, unique_id, created_at)
VALUES (1, 1, 'admin', strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO account_admins (account_id, user_id, created_at)
VALUES (1, 1, strftime('%Y-%m-%dT%H:%M:%SZ'));
