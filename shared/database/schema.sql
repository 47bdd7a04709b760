-- What a new database is made of: what all migrations together leave, which older databases are brought to one by one.
-- `cargo xtask generate` writes it from them.

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
, badge_issuers TEXT NOT NULL DEFAULT 'staff' CHECK (badge_issuers IN ('everyone', 'staff', 'admins'))) STRICT;
CREATE INDEX accounts_by_parent ON accounts (parent_account_id, id);
CREATE INDEX accounts_by_uuid ON accounts (uuid);
CREATE UNIQUE INDEX accounts_by_sis_id ON accounts (root_account_id, sis_account_id)
WHERE sis_account_id IS NOT NULL AND workflow_state <> 'deleted';
CREATE INDEX accounts_by_any_sis_id ON accounts (root_account_id, sis_account_id) WHERE sis_account_id IS NOT NULL;

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
, kept_given_name TEXT, kept_family_name TEXT, kept_email TEXT, kept_login_id TEXT, kept_sis_user_id TEXT, kept_integration_id TEXT, kept_record TEXT) STRICT;
CREATE INDEX users_by_root_account ON users (root_account_id, id);
CREATE INDEX users_by_sortable_name ON users (root_account_id, lower(sortable_name), id);

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
, suspended INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1))) STRICT;
CREATE INDEX pseudonyms_by_user ON pseudonyms (user_id);
CREATE UNIQUE INDEX pseudonyms_by_sis_id ON pseudonyms (root_account_id, sis_user_id)
WHERE sis_user_id IS NOT NULL AND workflow_state = 'active';
CREATE INDEX pseudonyms_by_any_sis_id ON pseudonyms (root_account_id, sis_user_id) WHERE sis_user_id IS NOT NULL;
CREATE INDEX pseudonyms_by_integration_id ON pseudonyms (root_account_id, integration_id)
WHERE integration_id IS NOT NULL;
CREATE UNIQUE INDEX pseudonyms_by_unique_id ON pseudonyms (unique_id, root_account_id) WHERE workflow_state = 'active';
CREATE INDEX pseudonyms_suspended ON pseudonyms (user_id) WHERE suspended = 1;

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
, enrollment_term_id INTEGER REFERENCES enrollment_terms (id), sis_import_id INTEGER, post_manually INTEGER NOT NULL DEFAULT 0 CHECK (post_manually IN (0, 1))) STRICT;
CREATE INDEX courses_by_account ON courses (account_id, id);
CREATE INDEX courses_by_uuid ON courses (uuid);
CREATE INDEX courses_by_root_account ON courses (root_account_id, id);
CREATE UNIQUE INDEX courses_by_sis_id ON courses (root_account_id, sis_course_id)
WHERE sis_course_id IS NOT NULL AND workflow_state <> 'deleted';
CREATE INDEX courses_by_any_sis_id ON courses (root_account_id, sis_course_id) WHERE sis_course_id IS NOT NULL;
CREATE INDEX courses_by_term ON courses (enrollment_term_id, id) WHERE enrollment_term_id IS NOT NULL;
CREATE INDEX courses_by_name ON courses (root_account_id, lower(name), id);
CREATE INDEX courses_by_sis_id_or_none ON courses (root_account_id, ifnull(sis_course_id, ''), id);

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
, sis_import_id INTEGER, nonxlist_course_id INTEGER REFERENCES courses (id)) STRICT;
CREATE INDEX course_sections_by_course ON course_sections (course_id, id);
CREATE UNIQUE INDEX course_sections_by_sis_id ON course_sections (root_account_id, sis_section_id)
WHERE sis_section_id IS NOT NULL AND workflow_state <> 'deleted';
CREATE INDEX course_sections_by_any_sis_id ON course_sections (root_account_id, sis_section_id)
WHERE sis_section_id IS NOT NULL;
CREATE INDEX course_sections_by_home ON course_sections (nonxlist_course_id) WHERE nonxlist_course_id IS NOT NULL;

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
, sis_import_id INTEGER) STRICT;
CREATE INDEX enrollments_by_course ON enrollments (course_id, id);
CREATE INDEX enrollments_by_user ON enrollments (user_id, course_id);
CREATE UNIQUE INDEX enrollments_once ON enrollments (course_section_id, user_id, type, ifnull(associated_user_id, 0))
WHERE workflow_state <> 'deleted';
CREATE INDEX enrollments_of_teachers ON enrollments (course_id, user_id)
WHERE type IN ('TeacherEnrollment', 'TaEnrollment') AND workflow_state = 'active';
CREATE INDEX enrollments_ended ON enrollments (course_section_id, user_id, type) WHERE workflow_state = 'deleted';
CREATE INDEX enrollments_of_students ON enrollments (course_id, user_id, course_section_id)
WHERE type = 'StudentEnrollment' AND workflow_state IN ('active', 'completed', 'inactive');

CREATE TABLE developer_keys (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    -- Whom the client acts for with its own credentials; null: it may act for users who allow it, only.
    user_id INTEGER REFERENCES users (id),
    redirect_uris TEXT NOT NULL DEFAULT '[]',
    -- Null: its tokens may call everything.
    scopes TEXT,
    push_topic_arn TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX developer_keys_by_account ON developer_keys (account_id, id);
CREATE INDEX developer_keys_by_root_account ON developer_keys (root_account_id, id) WHERE workflow_state = 'active';

CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    developer_key_id INTEGER REFERENCES developer_keys (id),
    refresh_token_id INTEGER REFERENCES refresh_tokens (id),
    purpose TEXT,
    -- Null: it may call everything.
    scopes TEXT,
    hint TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    last_used_at TEXT,
    revoked_at TEXT
, key_version INTEGER NOT NULL DEFAULT 0, real_user_id INTEGER REFERENCES users (id), made_through_key_id INTEGER REFERENCES developer_keys (id), made_through_refresh_token_id INTEGER REFERENCES refresh_tokens (id)) STRICT;
CREATE INDEX access_tokens_by_user ON access_tokens (user_id, id);
CREATE INDEX access_tokens_by_refresh_token ON access_tokens (refresh_token_id) WHERE refresh_token_id IS NOT NULL;
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX access_tokens_made_through ON access_tokens (made_through_refresh_token_id) WHERE made_through_refresh_token_id IS NOT NULL;
CREATE INDEX access_tokens_by_revocation ON access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX access_tokens_ending ON access_tokens (root_account_id, expires_at)
WHERE expires_at IS NOT NULL AND purpose IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE refresh_tokens (
    id INTEGER PRIMARY KEY,
    developer_key_id INTEGER NOT NULL REFERENCES developer_keys (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    scopes TEXT,
    created_at TEXT NOT NULL,
    revoked_at TEXT
, last_used_at TEXT) STRICT;
CREATE INDEX refresh_tokens_by_use ON refresh_tokens (last_used_at) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_by_user ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_by_revocation ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE authorization_codes (
    id INTEGER PRIMARY KEY,
    developer_key_id INTEGER NOT NULL REFERENCES developer_keys (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    code_hash TEXT NOT NULL UNIQUE,
    redirect_uri TEXT NOT NULL,
    -- What PKCE's verifier must hash to; null: the client did not ask for that.
    code_challenge TEXT,
    scopes TEXT,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    -- What its first use gave, and a second one takes back.
    refresh_token_id INTEGER REFERENCES refresh_tokens (id)
) STRICT;
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX authorization_codes_by_refresh_token ON authorization_codes (refresh_token_id) WHERE refresh_token_id IS NOT NULL;
CREATE INDEX authorization_codes_unused ON authorization_codes (user_id) WHERE used_at IS NULL;

CREATE TABLE login_failures (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    unique_id TEXT NOT NULL COLLATE NOCASE,
    failed_at TEXT NOT NULL
, network TEXT NOT NULL DEFAULT '', is_known INTEGER NOT NULL DEFAULT 0 CHECK (is_known IN (0, 1))) STRICT;
CREATE INDEX login_failures_by_login ON login_failures (root_account_id, unique_id, failed_at);
CREATE INDEX login_failures_by_time ON login_failures (failed_at);
CREATE INDEX login_failures_by_network ON login_failures (network, failed_at);
CREATE INDEX login_failures_by_tenant ON login_failures (root_account_id, failed_at);

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
, allowed_attempts INTEGER NOT NULL DEFAULT -1, lti_context_id TEXT, alerted_due_at TEXT, post_manually INTEGER CHECK (post_manually IN (0, 1)), anonymous_grading INTEGER NOT NULL DEFAULT 0 CHECK (anonymous_grading IN (0, 1)), position INTEGER NOT NULL DEFAULT 0, has_overrides INTEGER NOT NULL DEFAULT 0 CHECK (has_overrides IN (0, 1))) STRICT;
CREATE INDEX assignments_to_alert ON assignments (due_at)
WHERE workflow_state = 'published' AND due_at IS NOT NULL AND alerted_due_at IS NOT due_at;
CREATE INDEX assignments_by_course ON assignments (course_id, id, workflow_state);

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
CREATE INDEX media_objects_by_blob ON media_objects (blob);
CREATE INDEX media_objects_by_course ON media_objects (course_id, id);

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
, assignment_id INTEGER REFERENCES assignments (id)) STRICT;
CREATE INDEX quizzes_by_course ON quizzes (course_id, id);
CREATE UNIQUE INDEX quizzes_by_assignment ON quizzes (assignment_id) WHERE assignment_id IS NOT NULL;

CREATE TABLE question_banks (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER REFERENCES courses (id),
    account_id INTEGER REFERENCES accounts (id),
    user_id INTEGER REFERENCES users (id),
    title TEXT NOT NULL,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, questions_held INTEGER NOT NULL DEFAULT 0,
    CHECK ((course_id IS NOT NULL) + (account_id IS NOT NULL) + (user_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX question_banks_by_course ON question_banks (course_id, id);
CREATE INDEX question_banks_by_user ON question_banks (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX question_banks_by_account ON question_banks (account_id, id) WHERE account_id IS NOT NULL;

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
CREATE INDEX quiz_groups_by_bank ON quiz_groups (assessment_question_bank_id) WHERE assessment_question_bank_id IS NOT NULL;

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

CREATE TABLE course_events (
    id TEXT PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Where the course stood when it happened.
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    user_id INTEGER REFERENCES users (id),
    event_type TEXT NOT NULL CHECK (
        event_type IN ('created', 'updated', 'concluded', 'unconcluded', 'published', 'claimed', 'deleted', 'restored',
                       'copied_from', 'copied_to', 'reset_from', 'reset_to')
    ),
    event_source TEXT NOT NULL CHECK (event_source IN ('manual', 'sis', 'api')),
    -- What changed: the old and the new value of each field.
    event_data TEXT NOT NULL DEFAULT '{}',
    -- The other course of a copy or a reset.
    partner_course_id INTEGER REFERENCES courses (id),
    sis_batch_id INTEGER,
    request_id TEXT,
    -- With microseconds.
    created_at TEXT NOT NULL, real_user_id INTEGER REFERENCES users (id),
    CHECK ((event_type IN ('copied_from', 'copied_to', 'reset_from', 'reset_to')) = (partner_course_id IS NOT NULL))
) STRICT;
CREATE INDEX course_events_by_course ON course_events (course_id, created_at DESC, id DESC);
CREATE INDEX course_events_by_account ON course_events (account_id, created_at DESC, id DESC);
CREATE INDEX course_events_by_time ON course_events (created_at);
CREATE INDEX course_events_by_request ON course_events (request_id) WHERE request_id IS NOT NULL;

CREATE TABLE course_event_cuts (
    id INTEGER PRIMARY KEY,
    -- The time of the last event that was cut off, and how many went with it.
    last_event_at TEXT NOT NULL,
    events INTEGER NOT NULL,
    cut_at TEXT NOT NULL
) STRICT;

CREATE TABLE content_migrations (
    id INTEGER PRIMARY KEY,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    migration_type TEXT NOT NULL,
    source_course_id INTEGER REFERENCES courses (id),
    workflow_state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT
, upload_id INTEGER REFERENCES uploads (id), attachment_id INTEGER REFERENCES attachments (id), progress_id INTEGER REFERENCES progresses (id), settings TEXT NOT NULL DEFAULT '{}', lease TEXT, leased_until TEXT, attempts INTEGER NOT NULL DEFAULT 0, root_account_id INTEGER REFERENCES accounts (id)) STRICT;
CREATE INDEX content_migrations_by_course ON content_migrations (course_id, id);
CREATE INDEX content_migrations_to_do ON content_migrations (id)
WHERE workflow_state IN ('pre_processing', 'pre_processed', 'running');
CREATE INDEX content_migrations_by_upload ON content_migrations (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX content_migrations_failed ON content_migrations (finished_at) WHERE workflow_state = 'failed';
CREATE INDEX content_migrations_by_root_account ON content_migrations (root_account_id, id);
CREATE INDEX content_migrations_by_file ON content_migrations (attachment_id) WHERE attachment_id IS NOT NULL;

CREATE TABLE copied_records (
    kind TEXT NOT NULL,
    old_id INTEGER NOT NULL,
    new_id INTEGER NOT NULL,
    PRIMARY KEY (kind, old_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE throttle_hits (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX throttle_hits_by_key ON throttle_hits (key, until);
CREATE INDEX throttle_hits_by_end ON throttle_hits (until);

CREATE TABLE feature_flags (
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    feature TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('on', 'off')),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (account_id, feature)
) STRICT;

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
CREATE INDEX groups_by_any_sis_id ON groups (root_account_id, sis_group_id) WHERE sis_group_id IS NOT NULL;

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
CREATE INDEX group_memberships_ended ON group_memberships (group_id, user_id) WHERE workflow_state = 'deleted';

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
, real_user_id INTEGER REFERENCES users (id), stage TEXT
CHECK (stage IN ('cleanup_batch', 'restoring', 'partially_restored', 'restored')), at_work INTEGER NOT NULL DEFAULT 0 CHECK (at_work IN (0, 1)), comparison TEXT
CHECK (comparison IN ('counting', 'difference', 'whole', 'none')), data_set_id INTEGER, diffed_against_import_id INTEGER, differences INTEGER NOT NULL DEFAULT 0, removal_term_id INTEGER NOT NULL DEFAULT 0, removal_course_id INTEGER NOT NULL DEFAULT 0, restorable INTEGER NOT NULL DEFAULT 0 CHECK (restorable IN (0, 1)), errors_blob TEXT, errors_uuid TEXT, errors_size INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX sis_imports_by_account ON sis_imports (root_account_id, id);
CREATE INDEX sis_imports_to_do ON sis_imports (root_account_id, id) WHERE workflow_state IN ('created', 'importing');
CREATE INDEX sis_imports_to_clean_up ON sis_imports (id) WHERE upload IS NOT NULL;
CREATE INDEX sis_imports_by_upload ON sis_imports (upload) WHERE upload IS NOT NULL;
CREATE INDEX sis_imports_at_work ON sis_imports (at_work) WHERE at_work = 1;
CREATE INDEX sis_imports_restorable ON sis_imports (restorable, ended_at) WHERE restorable = 1;
CREATE INDEX sis_imports_by_errors_blob ON sis_imports (errors_blob) WHERE errors_blob IS NOT NULL;
CREATE INDEX sis_imports_failed ON sis_imports (ended_at)
WHERE workflow_state IN ('failed', 'failed_with_messages');

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
, bytes_compared INTEGER NOT NULL DEFAULT 0, lines_compared INTEGER NOT NULL DEFAULT 0, uuid TEXT, has_passwords INTEGER NOT NULL DEFAULT 0 CHECK (has_passwords IN (0, 1))) STRICT;
CREATE INDEX sis_import_files_by_import ON sis_import_files (sis_import_id, ordinal, id);
CREATE INDEX sis_import_files_by_blob ON sis_import_files (blob);

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

CREATE TABLE polls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Whoever asks.
    user_id INTEGER NOT NULL REFERENCES users (id),
    question TEXT NOT NULL,
    description TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX polls_by_user ON polls (user_id, created_at DESC, id DESC);

CREATE TABLE poll_choices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    is_correct INTEGER NOT NULL DEFAULT 0 CHECK (is_correct IN (0, 1)),
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX poll_choices_by_poll ON poll_choices (poll_id, position, id);

CREATE TABLE poll_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    -- Null: the whole course is asked.
    course_section_id INTEGER REFERENCES course_sections (id),
    -- Whether submissions are taken.
    is_published INTEGER NOT NULL DEFAULT 0 CHECK (is_published IN (0, 1)),
    -- Whether everybody in it sees the results.
    has_public_results INTEGER NOT NULL DEFAULT 0 CHECK (has_public_results IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, join_code TEXT, hides_results INTEGER NOT NULL DEFAULT 0 CHECK (hides_results IN (0, 1))) STRICT;
CREATE INDEX poll_sessions_by_poll ON poll_sessions (poll_id, id);
CREATE INDEX poll_sessions_by_course ON poll_sessions (course_id, is_published, id);
CREATE UNIQUE INDEX poll_sessions_by_join_code ON poll_sessions (join_code) WHERE join_code IS NOT NULL;

CREATE TABLE poll_submissions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_session_id INTEGER NOT NULL REFERENCES poll_sessions (id) ON DELETE CASCADE,
    poll_choice_id INTEGER NOT NULL REFERENCES poll_choices (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    UNIQUE (poll_session_id, user_id)
) STRICT;
CREATE INDEX poll_submissions_by_choice ON poll_submissions (poll_choice_id);

CREATE TABLE poll_results (
    poll_session_id INTEGER NOT NULL REFERENCES poll_sessions (id) ON DELETE CASCADE,
    poll_choice_id INTEGER NOT NULL REFERENCES poll_choices (id) ON DELETE CASCADE,
    submissions INTEGER NOT NULL CHECK (submissions >= 0),
    PRIMARY KEY (poll_session_id, poll_choice_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX poll_results_by_choice ON poll_results (poll_choice_id);

CREATE TABLE communication_channels (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    type TEXT NOT NULL CHECK (type IN ('email', 'sms', 'push')),
    address TEXT NOT NULL COLLATE NOCASE,
    position INTEGER NOT NULL,
    workflow_state TEXT NOT NULL CHECK (workflow_state IN ('unconfirmed', 'active', 'retired')),
    -- Whether it is told by default: so is who was the user's first when that was asked. Null: nobody has asked yet.
    told_by_default INTEGER CHECK (told_by_default IN (0, 1)),
    bounce_count INTEGER NOT NULL DEFAULT 0,
    last_bounce_at TEXT,
    last_bounce_summary TEXT,
    last_transient_bounce_at TEXT,
    last_transient_bounce_summary TEXT,
    last_suppression_bounce_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (user_id, type, address)
) STRICT;
CREATE INDEX communication_channels_by_user ON communication_channels (user_id, position, id);
CREATE INDEX communication_channels_by_address ON communication_channels (address, type)
WHERE workflow_state <> 'retired';

CREATE TABLE confirmation_codes (
    channel_id INTEGER PRIMARY KEY REFERENCES communication_channels (id),
    code_hash TEXT NOT NULL UNIQUE,
    tries INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX confirmation_codes_by_expiry ON confirmation_codes (expires_at);

CREATE TABLE push_endpoints (
    id INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    access_token_id INTEGER NOT NULL REFERENCES access_tokens (id),
    token TEXT NOT NULL COLLATE NOCASE,
    -- What the push service calls the device; null until something is sent to it.
    endpoint_arn TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (access_token_id, token)
) STRICT;
CREATE INDEX push_endpoints_by_channel ON push_endpoints (channel_id, id);

CREATE TABLE notification_policies (
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    notification TEXT NOT NULL,
    frequency TEXT NOT NULL CHECK (frequency IN ('immediately', 'daily', 'weekly', 'never')),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (channel_id, notification)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    -- The device, where the channel is a push channel. It may be gone before the message is.
    push_endpoint_id INTEGER REFERENCES push_endpoints (id) ON DELETE SET NULL,
    type TEXT NOT NULL CHECK (type IN ('email', 'sms', 'push')),
    recipient TEXT NOT NULL,
    notification TEXT NOT NULL,
    -- What it is about: an untried message is replaced by a newer one of the same notification about the same.
    asset TEXT,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    -- Whether the body holds a secret, which is not kept once it is sent.
    confidential INTEGER NOT NULL DEFAULT 0 CHECK (confidential IN (0, 1)),
    -- The digest that it is a part of; null: it is a message of its own.
    digest TEXT CHECK (digest IN ('daily', 'weekly')),
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('gathered', 'queued', 'sent', 'dead')),
    -- When to send it, or the digest; null: its user's time zone has not been looked at yet.
    due_at TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Who is sending it. Who is not back when it is due again has lost it.
    lease TEXT,
    -- Why the last attempt failed.
    failure TEXT,
    -- What the transport calls it.
    reference TEXT,
    created_at TEXT NOT NULL,
    sent_at TEXT
) STRICT;
CREATE INDEX messages_due ON messages (type, due_at, id) WHERE state = 'queued';
CREATE INDEX messages_leased ON messages (lease) WHERE lease IS NOT NULL;
CREATE INDEX messages_gathered ON messages (due_at, channel_id, digest) WHERE state = 'gathered';
CREATE INDEX messages_by_channel ON messages (channel_id, digest) WHERE state IN ('gathered', 'queued');
CREATE INDEX messages_shown ON messages (root_account_id, id) WHERE state <> 'gathered';
CREATE INDEX messages_by_endpoint ON messages (push_endpoint_id) WHERE push_endpoint_id IS NOT NULL;
CREATE INDEX messages_by_end ON messages (created_at) WHERE state IN ('sent', 'dead');
CREATE UNIQUE INDEX messages_once ON messages (channel_id, ifnull(push_endpoint_id, 0), notification, asset, ifnull(digest, ''))
WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued');
CREATE INDEX messages_by_reference ON messages (reference, id) WHERE reference IS NOT NULL;
CREATE INDEX messages_dead ON messages (id) WHERE state = 'dead';
CREATE INDEX messages_dead_by_account ON messages (root_account_id, id) WHERE state = 'dead';
CREATE INDEX messages_waiting_about ON messages (asset, notification)
WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued');

CREATE TABLE folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    context_type TEXT NOT NULL CHECK (context_type IN ('Course', 'Group', 'User')),
    context_id INTEGER NOT NULL,
    parent_folder_id INTEGER REFERENCES folders (id),
    name TEXT NOT NULL,
    position INTEGER,
    locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
    hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    lock_at TEXT,
    unlock_at TEXT,
    -- Its files are handed in: they are not changed by hand.
    for_submissions INTEGER NOT NULL DEFAULT 0 CHECK (for_submissions IN (0, 1)),
    workflow_state TEXT NOT NULL DEFAULT 'visible' CHECK (workflow_state IN ('visible', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX folders_by_context ON folders (context_type, context_id, id);
CREATE UNIQUE INDEX folders_root ON folders (context_type, context_id)
WHERE parent_folder_id IS NULL AND workflow_state <> 'deleted';
CREATE UNIQUE INDEX folders_by_name ON folders (parent_folder_id, name COLLATE NOCASE)
WHERE parent_folder_id IS NOT NULL AND workflow_state <> 'deleted';
CREATE INDEX folders_by_parent ON folders (parent_folder_id);
CREATE INDEX folders_there ON folders (context_type, context_id) WHERE workflow_state = 'visible';

CREATE TABLE attachments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    context_type TEXT NOT NULL CHECK (context_type IN ('Course', 'Group', 'User', 'ContentExport', 'ContentMigration')),
    context_id INTEGER NOT NULL,
    -- Null: it is shown where it belongs to, and in no folder.
    folder_id INTEGER REFERENCES folders (id),
    user_id INTEGER REFERENCES users (id),
    -- As it was uploaded, and as it is shown.
    filename TEXT NOT NULL,
    display_name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- The name of its bytes in the key-value store. Several files may share them.
    blob TEXT NOT NULL,
    uuid TEXT NOT NULL UNIQUE,
    locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
    hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    lock_at TEXT,
    unlock_at TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'available' CHECK (workflow_state IN ('available', 'deleted')),
    created_at TEXT NOT NULL,
    modified_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, assignment_id INTEGER REFERENCES assignments (id)) STRICT;
CREATE INDEX attachments_by_context ON attachments (context_type, context_id, id);
CREATE INDEX attachments_by_blob ON attachments (blob);
CREATE INDEX attachments_to_remove ON attachments (updated_at) WHERE workflow_state = 'deleted' AND blob <> '';
CREATE UNIQUE INDEX attachments_by_name ON attachments (folder_id, display_name COLLATE NOCASE)
WHERE folder_id IS NOT NULL AND workflow_state = 'available';
CREATE INDEX attachments_there ON attachments (context_type, context_id, size) WHERE workflow_state = 'available';

CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    context_type TEXT NOT NULL,
    context_id INTEGER NOT NULL,
    folder_id INTEGER REFERENCES folders (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    content_type TEXT,
    -- The greatest size, in bytes.
    size_limit INTEGER NOT NULL,
    on_duplicate TEXT NOT NULL DEFAULT 'overwrite' CHECK (on_duplicate IN ('overwrite', 'rename')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    attachment_id INTEGER REFERENCES attachments (id)
, assignment_id INTEGER REFERENCES assignments (id), claim TEXT, claimed_until TEXT, blob TEXT) STRICT;
CREATE INDEX uploads_by_expiry ON uploads (expires_at);
CREATE INDEX uploads_by_blob ON uploads (blob) WHERE blob IS NOT NULL;
CREATE INDEX uploads_pending_by_owner ON uploads (context_type, context_id) WHERE attachment_id IS NULL;
CREATE INDEX uploads_pending_by_user ON uploads (user_id) WHERE attachment_id IS NULL;
CREATE INDEX uploads_by_user ON uploads (user_id, expires_at, attachment_id);
CREATE INDEX uploads_by_file ON uploads (attachment_id) WHERE attachment_id IS NOT NULL;

CREATE TABLE wiki_pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    -- The title as part of an address.
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '',
    editing_roles TEXT NOT NULL DEFAULT 'teachers',
    front_page INTEGER NOT NULL DEFAULT 0 CHECK (front_page IN (0, 1)),
    last_edited_by INTEGER REFERENCES users (id),
    workflow_state TEXT NOT NULL DEFAULT 'unpublished' CHECK (workflow_state IN ('active', 'unpublished', 'deleted')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX wiki_pages_by_url ON wiki_pages (course_id, url) WHERE workflow_state <> 'deleted';
CREATE UNIQUE INDEX wiki_pages_front ON wiki_pages (course_id) WHERE front_page AND workflow_state <> 'deleted';
CREATE INDEX wiki_pages_by_course ON wiki_pages (course_id);

CREATE TABLE progresses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    context_type TEXT NOT NULL,
    context_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id),
    tag TEXT NOT NULL,
    completion REAL NOT NULL DEFAULT 0 CHECK (completion BETWEEN 0 AND 100),
    workflow_state TEXT NOT NULL DEFAULT 'queued'
        CHECK (workflow_state IN ('queued', 'running', 'completed', 'failed')),
    message TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX progresses_by_context ON progresses (context_type, context_id);

CREATE TABLE content_exports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    context_type TEXT NOT NULL CHECK (context_type IN ('Course', 'Group', 'User')),
    context_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id),
    export_type TEXT NOT NULL CHECK (export_type IN ('common_cartridge', 'qti', 'zip')),
    -- What was asked for: the selection, the version of the format.
    settings TEXT NOT NULL DEFAULT '{}',
    skip_notifications INTEGER NOT NULL DEFAULT 0 CHECK (skip_notifications IN (0, 1)),
    progress_id INTEGER NOT NULL REFERENCES progresses (id),
    attachment_id INTEGER REFERENCES attachments (id),
    workflow_state TEXT NOT NULL DEFAULT 'created'
        CHECK (workflow_state IN ('created', 'exporting', 'exported', 'failed')),
    -- Who works on it, for how long nobody else may, and how often it was begun.
    lease TEXT,
    leased_until TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    -- After this the package is not given out any more.
    expires_at TEXT NOT NULL
, issues TEXT NOT NULL DEFAULT '[]', is_private INTEGER CHECK (is_private IN (0, 1))) STRICT;
CREATE INDEX content_exports_by_context ON content_exports (context_type, context_id, id);
CREATE INDEX content_exports_to_do ON content_exports (id) WHERE workflow_state IN ('created', 'exporting');
CREATE INDEX content_exports_by_expiry ON content_exports (expires_at) WHERE attachment_id IS NOT NULL;
CREATE INDEX content_exports_kept ON content_exports (user_id, id) WHERE attachment_id IS NOT NULL;
CREATE INDEX content_exports_by_attachment ON content_exports (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX content_exports_under_way ON content_exports (user_id, leased_until) WHERE workflow_state IN ('created', 'exporting');
CREATE INDEX content_exports_failed ON content_exports (created_at) WHERE workflow_state = 'failed';
CREATE INDEX content_exports_by_account ON content_exports (root_account_id, id);
CREATE INDEX content_exports_by_file ON content_exports (attachment_id) WHERE attachment_id IS NOT NULL;

CREATE TABLE migration_issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    content_migration_id INTEGER NOT NULL REFERENCES content_migrations (id),
    description TEXT NOT NULL,
    issue_type TEXT NOT NULL CHECK (issue_type IN ('todo', 'warning', 'error')),
    error_message TEXT,
    fix_issue_html_url TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'resolved')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX migration_issues_by_migration ON migration_issues (content_migration_id, id);

CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- Null: nothing was handed in yet.
    attempt INTEGER,
    submission_type TEXT,
    body TEXT,
    url TEXT,
    submitted_at TEXT,
    score REAL,
    grade TEXT,
    excused INTEGER NOT NULL DEFAULT 0 CHECK (excused IN (0, 1)),
    grader_id INTEGER REFERENCES users (id),
    graded_at TEXT,
    -- The attempt that the grade is of.
    graded_attempt INTEGER,
    workflow_state TEXT NOT NULL DEFAULT 'unsubmitted'
        CHECK (workflow_state IN ('unsubmitted', 'submitted', 'pending_review', 'graded')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, points_deducted REAL, late_policy_status TEXT
CHECK (late_policy_status IN ('none', 'late', 'missing', 'extended')), seconds_late_override INTEGER, posted_at TEXT, is_hidden INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)), anonymous_id TEXT, kept_submitted_at TEXT,
    UNIQUE (assignment_id, user_id)
) STRICT;
CREATE INDEX submissions_by_course ON submissions (course_id, user_id);
CREATE INDEX submissions_graded ON submissions (course_id, id) WHERE score IS NOT NULL;
CREATE INDEX submissions_by_anonymous_id ON submissions (assignment_id, anonymous_id);
CREATE INDEX submissions_handed_in ON submissions (assignment_id) WHERE attempt IS NOT NULL;

CREATE TABLE submission_versions (
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    attempt INTEGER NOT NULL,
    submission_type TEXT NOT NULL,
    body TEXT,
    url TEXT,
    submitted_at TEXT NOT NULL,
    score REAL,
    grade TEXT,
    PRIMARY KEY (submission_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE submission_attachments (
    submission_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    position INTEGER NOT NULL,
    attachment_id INTEGER NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (submission_id, attempt, position),
    FOREIGN KEY (submission_id, attempt) REFERENCES submission_versions (submission_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_attachments_by_file ON submission_attachments (attachment_id);

CREATE TABLE submission_comments (
    id INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    author_id INTEGER NOT NULL REFERENCES users (id),
    attempt INTEGER,
    comment TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX submission_comments_by_submission ON submission_comments (submission_id, id);

CREATE TABLE quiz_submissions (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    quiz_id INTEGER NOT NULL REFERENCES quizzes (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    submission_id INTEGER REFERENCES submissions (id),
    attempt INTEGER NOT NULL DEFAULT 1,
    -- Whoever answers must know it.
    validation_token TEXT NOT NULL,
    -- The questions as they were when the attempt began.
    questions TEXT NOT NULL,
    -- Answers and flags by the questions' ids.
    answers TEXT NOT NULL DEFAULT '{}',
    quiz_points_possible REAL NOT NULL,
    score REAL,
    kept_score REAL,
    fudge_points REAL NOT NULL DEFAULT 0,
    started_at TEXT NOT NULL,
    end_at TEXT,
    finished_at TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'untaken' CHECK (workflow_state IN ('untaken', 'pending_review', 'complete')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, results_seen_attempt INTEGER, score_before_regrade REAL, hand_in_beginnings INTEGER NOT NULL DEFAULT 0, hand_in_begun_at TEXT,
    UNIQUE (quiz_id, user_id)
) STRICT;
CREATE INDEX quiz_submissions_running ON quiz_submissions (hand_in_beginnings, end_at)
WHERE workflow_state = 'untaken' AND end_at IS NOT NULL;

CREATE TABLE quiz_submission_versions (
    quiz_submission_id INTEGER NOT NULL REFERENCES quiz_submissions (id),
    attempt INTEGER NOT NULL,
    questions TEXT NOT NULL,
    answers TEXT NOT NULL,
    score REAL NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT NOT NULL, score_before_regrade REAL,
    PRIMARY KEY (quiz_submission_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE live_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The same in every delivery.
    uuid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- What subscriptions look for: the assignment, its course, and the account that the course stands in.
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER REFERENCES courses (id),
    assignment_id INTEGER REFERENCES assignments (id),
    -- SUBMISSION_CREATED, … as subscriptions name it.
    event_type TEXT NOT NULL,
    -- Milliseconds since 1970 began. No two events have the same, and a later one has more.
    event_time INTEGER NOT NULL,
    -- Who did it, where and by which request: JSON.
    cause TEXT NOT NULL,
    -- What happened: JSON.
    data TEXT NOT NULL
, recorded_at TEXT) STRICT;

CREATE TABLE tool_proxies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT,
    sealed_secret TEXT NOT NULL,
    capabilities TEXT NOT NULL DEFAULT '[]',
    created_at TEXT NOT NULL,
    deleted_at TEXT
, kept_deliveries INTEGER NOT NULL DEFAULT 0, subscription_methods TEXT, sealed_previous_secret TEXT, previous_secret_until TEXT, tokens_since INTEGER) STRICT;
CREATE INDEX tool_proxies_by_account ON tool_proxies (account_id, id) WHERE deleted_at IS NULL;
CREATE INDEX tool_proxies_by_seal ON tool_proxies (sealed_secret);
CREATE INDEX tool_proxies_by_previous_seal ON tool_proxies (sealed_previous_secret)
WHERE sealed_previous_secret IS NOT NULL;

CREATE TABLE tool_proxy_assertions (
    tool_proxy_id INTEGER NOT NULL REFERENCES tool_proxies (id),
    jti TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (tool_proxy_id, jti)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_proxy_assertions_by_expiry ON tool_proxy_assertions (expires_at);

CREATE TABLE webhook_subscriptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    tool_proxy_id INTEGER NOT NULL REFERENCES tool_proxies (id),
    context_type TEXT NOT NULL CHECK (context_type IN ('account', 'course', 'assignment')),
    context_id INTEGER NOT NULL,
    event_types TEXT NOT NULL,
    format TEXT NOT NULL CHECK (format IN ('live-event', 'caliper')),
    transport_type TEXT NOT NULL CHECK (transport_type IN ('https', 'sqs')),
    url TEXT NOT NULL,
    -- The parameters as they were given: so they are shown.
    parameters TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    -- The secret before, which signs too until that moment.
    sealed_previous_secret TEXT,
    previous_secret_until TEXT,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'deleted')),
    disabled_because TEXT,
    -- When the first failure came that no success has followed.
    failing_since TEXT,
    -- The receiver asked to be left alone until then.
    held_until TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, kept_deliveries INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX webhook_subscriptions_by_tool ON webhook_subscriptions (tool_proxy_id, id);
CREATE INDEX webhook_subscriptions_present ON webhook_subscriptions (tool_proxy_id, id) WHERE status <> 'deleted';
CREATE INDEX webhook_subscriptions_ended ON webhook_subscriptions (updated_at) WHERE status = 'deleted';
CREATE INDEX webhook_subscriptions_by_account ON webhook_subscriptions (root_account_id, id) WHERE status <> 'deleted';
CREATE INDEX webhook_subscriptions_by_seal ON webhook_subscriptions (sealed_secret);
CREATE INDEX webhook_subscriptions_by_previous_seal ON webhook_subscriptions (sealed_previous_secret)
WHERE sealed_previous_secret IS NOT NULL;
CREATE INDEX webhook_subscriptions_by_context ON webhook_subscriptions (context_type, context_id) WHERE status <> 'deleted';

CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- By this the receiver knows a repetition: it never changes.
    message_id TEXT NOT NULL UNIQUE DEFAULT ('msg_' || lower(hex(randomblob(16)))),
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    subscription_id INTEGER NOT NULL REFERENCES webhook_subscriptions (id),
    -- Null: a test.
    event_id INTEGER REFERENCES live_events (id),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    -- How many attempts were made since it was due first, or since it was sent again by hand.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When it is due; while it is leased, when the lease ends.
    next_at TEXT NOT NULL,
    -- Who sends it at the moment.
    lease TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT, kept_for_tool_id INTEGER REFERENCES tool_proxies (id), earlier_attempts INTEGER NOT NULL DEFAULT 0, tool_proxy_id INTEGER REFERENCES tool_proxies (id), event_type TEXT NOT NULL DEFAULT 'TEST',
    UNIQUE (event_id, subscription_id)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (subscription_id, next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (lease, subscription_id, next_at) WHERE lease IS NOT NULL;
CREATE INDEX webhook_deliveries_by_subscription ON webhook_deliveries (subscription_id, id);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (root_account_id, id);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (root_account_id, status, id);
CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (subscription_id, id) WHERE status = 'dead';
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (subscription_id, id) WHERE kept_for_tool_id IS NOT NULL;
CREATE INDEX webhook_deliveries_kept_for_tool ON webhook_deliveries (kept_for_tool_id, id) WHERE kept_for_tool_id IS NOT NULL;
CREATE INDEX webhook_deliveries_kept_of_account ON webhook_deliveries (root_account_id, id) WHERE kept_for_tool_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_tool ON webhook_deliveries (tool_proxy_id, id);
CREATE INDEX webhook_deliveries_by_tool_and_type ON webhook_deliveries (tool_proxy_id, event_type, id);
CREATE INDEX webhook_deliveries_dead_of_tool ON webhook_deliveries (tool_proxy_id, id) WHERE status = 'dead';

CREATE TABLE webhook_attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    attempted_at TEXT NOT NULL,
    latency_ms INTEGER NOT NULL,
    -- The receiver's answer; null: there was none.
    response_status INTEGER,
    response_body TEXT,
    -- Why it was a failure; null: it was none.
    error TEXT
, request_headers TEXT, request_body TEXT, request_bytes INTEGER, reason TEXT) STRICT;
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id);

CREATE TABLE ai_experiences (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    title TEXT NOT NULL,
    description TEXT,
    facts TEXT,
    learning_objectives TEXT NOT NULL,
    pedagogical_guidance TEXT NOT NULL,
    evaluation_metrics TEXT NOT NULL DEFAULT '[]',
    workflow_state TEXT NOT NULL DEFAULT 'unpublished' CHECK (workflow_state IN ('unpublished', 'published', 'deleted')),
    -- Counts the edits: an evaluation that was made before the last one is stale.
    version INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX ai_experiences_by_course ON ai_experiences (course_id, id);

CREATE TABLE ai_conversations (
    id INTEGER PRIMARY KEY,
    ai_experience_id INTEGER NOT NULL REFERENCES ai_experiences (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    uuid TEXT NOT NULL UNIQUE,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'ended', 'completed', 'deleted')),
    all_objectives_met INTEGER NOT NULL DEFAULT 0 CHECK (all_objectives_met IN (0, 1)),
    progress TEXT,
    evaluation TEXT,
    -- The version of the experience that was evaluated.
    evaluated_version INTEGER,
    -- While the model is asked for the answer to a message, nobody else asks it.
    answering_until TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, lease TEXT) STRICT;
CREATE UNIQUE INDEX ai_conversations_active ON ai_conversations (ai_experience_id, user_id)
WHERE workflow_state = 'active';
CREATE INDEX ai_conversations_by_user ON ai_conversations (ai_experience_id, user_id, id);

CREATE TABLE ai_messages (
    id INTEGER PRIMARY KEY,
    ai_conversation_id INTEGER NOT NULL REFERENCES ai_conversations (id),
    uuid TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('User', 'Assistant')),
    text TEXT NOT NULL,
    -- The name that the client gave its message, so that it can be sent again.
    idempotency_key TEXT,
    -- The message that this one answers.
    answers INTEGER UNIQUE REFERENCES ai_messages (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX ai_messages_by_conversation ON ai_messages (ai_conversation_id, id);
CREATE UNIQUE INDEX ai_messages_once ON ai_messages (ai_conversation_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;

CREATE TABLE ai_message_feedback (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    ai_message_id INTEGER NOT NULL REFERENCES ai_messages (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    vote TEXT NOT NULL CHECK (vote IN ('liked', 'disliked')),
    feedback_message TEXT,
    created_at TEXT NOT NULL, ai_experience_id INTEGER REFERENCES ai_experiences (id),
    UNIQUE (ai_message_id, user_id)
) STRICT;
CREATE INDEX ai_message_feedback_by_experience ON ai_message_feedback (ai_experience_id, id);
CREATE INDEX ai_message_feedback_by_vote ON ai_message_feedback (ai_experience_id, vote, id);

CREATE TABLE ai_usage (
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    month TEXT NOT NULL,
    tokens INTEGER NOT NULL, conversations INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0, failed_calls INTEGER NOT NULL DEFAULT 0, last_failure TEXT,
    PRIMARY KEY (root_account_id, month)
) STRICT;

CREATE TABLE error_reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Null: nobody in particular.
    user_id INTEGER REFERENCES users (id),
    subject TEXT NOT NULL,
    message TEXT,
    comments TEXT,
    backtrace TEXT,
    category TEXT,
    url TEXT,
    email TEXT,
    user_perceived_severity TEXT,
    context_asset_string TEXT,
    -- With commas between them.
    user_roles TEXT,
    -- JSON.
    http_env TEXT NOT NULL,
    workflow_state TEXT NOT NULL DEFAULT 'open' CHECK (workflow_state IN ('open', 'closed')),
    -- What those who work on it tell each other.
    note TEXT,
    updated_by_id INTEGER REFERENCES users (id),
    closed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, bytes INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX error_reports_by_user ON error_reports (user_id, id);
CREATE INDEX error_reports_by_creation ON error_reports (created_at);
CREATE INDEX error_reports_by_day ON error_reports (user_id, created_at, bytes);
CREATE INDEX error_reports_by_account ON error_reports (root_account_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX error_reports_by_state ON error_reports (root_account_id, workflow_state, id) WHERE user_id IS NOT NULL;

CREATE TABLE error_report_forwards (
    report_id INTEGER PRIMARY KEY REFERENCES error_reports (id) ON DELETE CASCADE,
    -- By this the receiver knows a repetition: it never changes.
    message_id TEXT NOT NULL UNIQUE DEFAULT ('msg_' || lower(hex(randomblob(16)))),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When it is due; while it is leased, when the lease ends.
    next_at TEXT NOT NULL,
    -- Who sends it at the moment.
    lease TEXT,
    error TEXT
) STRICT;
CREATE INDEX error_report_forwards_due ON error_report_forwards (next_at) WHERE status = 'pending';
CREATE INDEX error_report_forwards_leased ON error_report_forwards (lease) WHERE lease IS NOT NULL;

CREATE TABLE mastery_credentials (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- The only schools that it reads of; null: all.
    school_ids TEXT,
    expires_at TEXT,
    revoked_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX mastery_credentials_by_account ON mastery_credentials (account_id, id);

CREATE TABLE mastery_tokens (
    hash TEXT PRIMARY KEY,
    credential_id INTEGER NOT NULL REFERENCES mastery_credentials (id),
    scopes TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX mastery_tokens_by_credential ON mastery_tokens (credential_id);
CREATE INDEX mastery_tokens_by_end ON mastery_tokens (expires_at);

CREATE TABLE mastery_subjects (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_subjects_in_order ON mastery_subjects (district_id, ordinal);

CREATE TABLE mastery_schools (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    nces_school_id TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_schools_in_order ON mastery_schools (district_id, ordinal);
CREATE INDEX mastery_schools_by_name ON mastery_schools (district_id, name, id);
CREATE INDEX mastery_schools_by_creation ON mastery_schools (district_id, created_at, id);
CREATE INDEX mastery_schools_latest_first ON mastery_schools (district_id, created_at DESC, id);
CREATE INDEX mastery_schools_by_nces ON mastery_schools (district_id, nces_school_id, id);

CREATE TABLE mastery_teachers (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    first_name TEXT,
    last_name TEXT NOT NULL,
    email TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_teachers_in_order ON mastery_teachers (district_id, ordinal);
CREATE INDEX mastery_teachers_by_name ON mastery_teachers (district_id, last_name, id);
CREATE INDEX mastery_teachers_by_school ON mastery_teachers (district_id, school_id, id);
CREATE INDEX mastery_teachers_by_creation ON mastery_teachers (district_id, created_at, id);
CREATE INDEX mastery_teachers_latest_first ON mastery_teachers (district_id, created_at DESC, id);

CREATE TABLE mastery_sections (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    name TEXT NOT NULL,
    period TEXT,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_sections_in_order ON mastery_sections (district_id, ordinal);
CREATE INDEX mastery_sections_by_name ON mastery_sections (district_id, name, id);
CREATE INDEX mastery_sections_by_school ON mastery_sections (district_id, school_id, id);
CREATE INDEX mastery_sections_by_creation ON mastery_sections (district_id, created_at, id);
CREATE INDEX mastery_sections_latest_first ON mastery_sections (district_id, created_at DESC, id);
CREATE INDEX mastery_sections_archived ON mastery_sections (district_id, archived, id);

CREATE TABLE mastery_classrooms (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    school_id INTEGER REFERENCES mastery_schools (id),
    teacher_id INTEGER REFERENCES mastery_teachers (id),
    title TEXT NOT NULL,
    subject TEXT,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_classrooms_in_order ON mastery_classrooms (district_id, ordinal);
CREATE INDEX mastery_classrooms_by_title ON mastery_classrooms (district_id, title, id);
CREATE INDEX mastery_classrooms_by_school ON mastery_classrooms (district_id, school_id, id);
CREATE INDEX mastery_classrooms_by_teacher ON mastery_classrooms (district_id, teacher_id, id);
CREATE INDEX mastery_classrooms_by_creation ON mastery_classrooms (district_id, created_at, id);
CREATE INDEX mastery_classrooms_latest_first ON mastery_classrooms (district_id, created_at DESC, id);
CREATE INDEX mastery_classrooms_archived ON mastery_classrooms (district_id, archived, id);

CREATE TABLE mastery_objectives (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    name TEXT NOT NULL,
    description TEXT,
    grade TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_objectives_in_order ON mastery_objectives (district_id, ordinal);

CREATE TABLE mastery_class_objectives (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    classroom_id INTEGER NOT NULL REFERENCES mastery_classrooms (id),
    objective_id INTEGER NOT NULL REFERENCES mastery_objectives (id),
    name TEXT NOT NULL,
    class_objective_type TEXT,
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_class_objectives_in_order ON mastery_class_objectives (district_id, ordinal);
CREATE INDEX mastery_class_objectives_by_name ON mastery_class_objectives (district_id, name, id);
CREATE INDEX mastery_class_objectives_by_classroom ON mastery_class_objectives (classroom_id, objective_id);
CREATE INDEX mastery_class_objectives_available ON mastery_class_objectives (district_id, available, id);
CREATE INDEX mastery_class_objectives_by_type ON mastery_class_objectives (district_id, class_objective_type, id);

CREATE TABLE mastery_materials (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    teacher_id INTEGER REFERENCES mastery_teachers (id),
    title TEXT,
    description TEXT,
    privacy_level INTEGER NOT NULL DEFAULT 1,
    draft INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1)),
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_materials_in_order ON mastery_materials (district_id, ordinal);
CREATE INDEX mastery_materials_by_title ON mastery_materials (district_id, title, id);
CREATE INDEX mastery_materials_by_change ON mastery_materials (district_id, updated_at, id);
CREATE INDEX mastery_materials_latest_change_first ON mastery_materials (district_id, updated_at DESC, id);
CREATE INDEX mastery_materials_by_creation ON mastery_materials (district_id, created_at, id);
CREATE INDEX mastery_materials_latest_first ON mastery_materials (district_id, created_at DESC, id);
CREATE INDEX mastery_materials_by_subject ON mastery_materials (district_id, subject_id, id);
CREATE INDEX mastery_materials_by_objective ON mastery_materials (district_id, objective_id, id);
CREATE INDEX mastery_materials_draft ON mastery_materials (district_id, draft, id);
CREATE INDEX mastery_materials_available ON mastery_materials (district_id, available, id);

CREATE TABLE mastery_items (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    material_id INTEGER NOT NULL REFERENCES mastery_materials (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    position INTEGER NOT NULL,
    title TEXT,
    item_type INTEGER,
    points INTEGER,
    dok INTEGER,
    -- The question of this service whose answers are scores of the item too.
    question_id INTEGER REFERENCES quiz_questions (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_items_in_order ON mastery_items (district_id, ordinal);
CREATE INDEX mastery_items_by_material ON mastery_items (material_id, id);

CREATE TABLE mastery_banks (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    bank_type INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_banks_in_order ON mastery_banks (district_id, ordinal);
CREATE INDEX mastery_banks_by_name ON mastery_banks (district_id, name, id);

CREATE TABLE mastery_passages (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    title TEXT,
    body TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_passages_in_order ON mastery_passages (district_id, ordinal);
CREATE INDEX mastery_passages_by_bank ON mastery_passages (bank_id, id);
CREATE INDEX mastery_passages_by_creation ON mastery_passages (bank_id, created_at, id);
CREATE INDEX mastery_passages_latest_first ON mastery_passages (bank_id, created_at DESC, id);

CREATE TABLE mastery_questions (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    passage_id INTEGER REFERENCES mastery_passages (id),
    item_type INTEGER,
    points INTEGER,
    stem TEXT,
    dok INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_questions_in_order ON mastery_questions (district_id, ordinal);
CREATE INDEX mastery_questions_by_bank ON mastery_questions (bank_id, id);
CREATE INDEX mastery_questions_by_creation ON mastery_questions (bank_id, created_at, id);
CREATE INDEX mastery_questions_latest_first ON mastery_questions (bank_id, created_at DESC, id);

CREATE TABLE mastery_curriculum_maps (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    title TEXT NOT NULL,
    description TEXT,
    privacy_level INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_curriculum_maps_in_order ON mastery_curriculum_maps (district_id, ordinal);
CREATE INDEX mastery_curriculum_maps_by_title ON mastery_curriculum_maps (district_id, title, id);

CREATE TABLE mastery_map_entries (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    curriculum_map_id INTEGER NOT NULL REFERENCES mastery_curriculum_maps (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    material_id INTEGER REFERENCES mastery_materials (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_map_entries_in_order ON mastery_map_entries (district_id, ordinal);
CREATE INDEX mastery_map_entries_by_map ON mastery_map_entries (curriculum_map_id, id);

CREATE TABLE mastery_pathways (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    subject_id INTEGER REFERENCES mastery_subjects (id),
    name TEXT NOT NULL,
    available INTEGER NOT NULL DEFAULT 1 CHECK (available IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_pathways_in_order ON mastery_pathways (district_id, ordinal);
CREATE INDEX mastery_pathways_by_name ON mastery_pathways (district_id, name, id);

CREATE TABLE mastery_assessments (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    classroom_id INTEGER NOT NULL REFERENCES mastery_classrooms (id),
    material_id INTEGER NOT NULL REFERENCES mastery_materials (id),
    objective_id INTEGER REFERENCES mastery_objectives (id),
    title TEXT,
    -- The quiz of this service in which it is taken.
    quiz_id INTEGER REFERENCES quizzes (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_assessments_in_order ON mastery_assessments (district_id, ordinal);
CREATE INDEX mastery_assessments_by_classroom ON mastery_assessments (classroom_id, id);

CREATE TABLE mastery_item_scores (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    assessment_id INTEGER NOT NULL REFERENCES mastery_assessments (id),
    item_id INTEGER NOT NULL REFERENCES mastery_items (id),
    points_earned REAL NOT NULL,
    points_possible REAL NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_item_scores_in_order ON mastery_item_scores (district_id, ordinal);
CREATE INDEX mastery_item_scores_by_item ON mastery_item_scores (assessment_id, item_id);

CREATE TABLE badge_users (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    entity_id TEXT NOT NULL UNIQUE,
    marketing_opt_in INTEGER NOT NULL DEFAULT 0 CHECK (marketing_opt_in IN (0, 1)),
    agreed_terms_version INTEGER
) STRICT;

CREATE TABLE badge_images (
    name TEXT PRIMARY KEY,
    content_type TEXT NOT NULL CHECK (content_type IN ('image/png', 'image/svg+xml')),
    size INTEGER NOT NULL,
    created_at TEXT NOT NULL
, root_account_id INTEGER REFERENCES accounts (id), user_id INTEGER REFERENCES users (id), unused_since TEXT) STRICT, WITHOUT ROWID;
CREATE INDEX badge_images_by_user ON badge_images (user_id, size);
CREATE INDEX badge_images_by_tenant ON badge_images (root_account_id, size);
CREATE INDEX badge_images_unused ON badge_images (unused_since) WHERE unused_since IS NOT NULL;

CREATE TABLE badge_issuers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    description TEXT NOT NULL,
    url TEXT NOT NULL,
    image TEXT REFERENCES badge_images (name),
    extensions TEXT NOT NULL DEFAULT '{}',
    -- How many awards it has made, those that are gone among them: the next one's place in its status lists.
    next_status_index INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, status_changes INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX badge_issuers_by_image ON badge_issuers (image) WHERE image IS NOT NULL;

CREATE TABLE badge_staff (
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES badge_users (user_id),
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'staff')),
    PRIMARY KEY (issuer_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_staff_by_user ON badge_staff (user_id, issuer_id);

CREATE TABLE badge_classes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    image TEXT NOT NULL REFERENCES badge_images (name),
    image_alt_text TEXT,
    achievement_type TEXT,
    criteria_url TEXT,
    criteria_narrative TEXT,
    alignments TEXT NOT NULL DEFAULT '[]',
    tags TEXT NOT NULL DEFAULT '[]',
    -- How long an award is good: so many days, weeks, months or years.
    expires TEXT,
    extensions TEXT NOT NULL DEFAULT '{}',
    archived_at TEXT,
    archival_note TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT has_criteria CHECK (criteria_url IS NOT NULL OR criteria_narrative IS NOT NULL)
) STRICT;
CREATE INDEX badge_classes_by_issuer ON badge_classes (issuer_id, created_at DESC, id DESC);
CREATE INDEX badge_classes_by_change ON badge_classes (issuer_id, updated_at, id);
CREATE INDEX badge_classes_by_image ON badge_classes (image);

CREATE TABLE badge_assertions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class_id INTEGER NOT NULL REFERENCES badge_classes (id) ON DELETE CASCADE,
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    recipient_type TEXT NOT NULL CHECK (recipient_type IN ('email', 'url', 'telephone', 'openBadgeId')),
    recipient_identity TEXT NOT NULL,
    recipient_hashed INTEGER NOT NULL CHECK (recipient_hashed IN (0, 1)),
    salt TEXT NOT NULL,
    issued_on TEXT NOT NULL,
    expires TEXT,
    narrative TEXT,
    evidence TEXT NOT NULL DEFAULT '[]',
    extensions TEXT NOT NULL DEFAULT '{}',
    acceptance TEXT NOT NULL DEFAULT 'Unaccepted' CHECK (acceptance IN ('Unaccepted', 'Accepted', 'Rejected')),
    revoked_at TEXT,
    revocation_reason TEXT,
    -- Where its bit stands in the issuer's status lists.
    status_index INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (issuer_id, status_index)
) STRICT;
CREATE INDEX badge_assertions_by_issuer ON badge_assertions (issuer_id, created_at DESC, id DESC);
CREATE INDEX badge_assertions_by_class ON badge_assertions (class_id, created_at DESC, id DESC);
CREATE INDEX badge_assertions_by_recipient ON badge_assertions (recipient_identity, recipient_type);
CREATE INDEX badge_assertions_by_change ON badge_assertions (issuer_id, updated_at, id);

CREATE TABLE badge_imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    entity_id TEXT NOT NULL UNIQUE,
    open_badge_id TEXT NOT NULL,
    recipient_type TEXT NOT NULL,
    recipient_identity TEXT NOT NULL,
    assertion TEXT NOT NULL,
    badge TEXT NOT NULL,
    issuer TEXT NOT NULL,
    image TEXT REFERENCES badge_images (name),
    acceptance TEXT NOT NULL DEFAULT 'Accepted' CHECK (acceptance IN ('Unaccepted', 'Accepted')),
    created_at TEXT NOT NULL, pending INTEGER NOT NULL DEFAULT 0 CHECK (pending IN (0, 1)),
    CONSTRAINT badge_imports_once UNIQUE (user_id, open_badge_id)
) STRICT;
CREATE INDEX badge_imports_by_image ON badge_imports (image) WHERE image IS NOT NULL;

CREATE TABLE badge_collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES badge_users (user_id),
    entity_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    -- Null: it is not published.
    share_hash TEXT UNIQUE,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX badge_collections_by_user ON badge_collections (user_id, id);

CREATE TABLE badge_collection_entries (
    collection_id INTEGER NOT NULL REFERENCES badge_collections (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    assertion_id INTEGER REFERENCES badge_assertions (id) ON DELETE CASCADE,
    import_id INTEGER REFERENCES badge_imports (id) ON DELETE CASCADE,
    CHECK ((assertion_id IS NULL) <> (import_id IS NULL)),
    PRIMARY KEY (collection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_collection_entries_by_assertion ON badge_collection_entries (assertion_id)
WHERE assertion_id IS NOT NULL;
CREATE INDEX badge_collection_entries_by_import ON badge_collection_entries (import_id) WHERE import_id IS NOT NULL;

CREATE TABLE badge_signing_keys (
    id INTEGER PRIMARY KEY,
    thumbprint TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    -- The seed of the private key, sealed with the service's own secret.
    sealed_seed TEXT NOT NULL,
    created_at TEXT NOT NULL
, root_account_id INTEGER REFERENCES accounts (id), retired_at TEXT, withdrawn_at TEXT, algorithm TEXT NOT NULL DEFAULT 'EdDSA' CHECK (algorithm IN ('EdDSA', 'RS256'))) STRICT;
CREATE UNIQUE INDEX badge_signing_keys_current ON badge_signing_keys (root_account_id, algorithm) WHERE retired_at IS NULL;

CREATE TABLE badge_refresh_tokens (
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    access_token_id INTEGER NOT NULL REFERENCES access_tokens (id),
    scopes TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT
) STRICT;
CREATE INDEX badge_refresh_tokens_by_access_token ON badge_refresh_tokens (access_token_id);
CREATE INDEX badge_refresh_tokens_by_expiry ON badge_refresh_tokens (expires_at);

CREATE TABLE login_networks (
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    unique_id TEXT NOT NULL COLLATE NOCASE,
    network TEXT NOT NULL,
    last_used_at TEXT NOT NULL,
    PRIMARY KEY (root_account_id, unique_id, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_networks_by_time ON login_networks (last_used_at);

CREATE TABLE password_check_slots (
    slot INTEGER PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT;

CREATE TABLE spent_forms (
    token_hash TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_forms_by_time ON spent_forms (expires_at);

CREATE TABLE authentication_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Whom it concerns; null where a login is nobody's.
    user_id INTEGER,
    -- Who did it, where that is somebody else.
    real_user_id INTEGER,
    pseudonym_id INTEGER,
    developer_key_id INTEGER,
    access_token_id INTEGER,
    -- Where it came from; empty: not known.
    network TEXT NOT NULL DEFAULT '',
    -- With microseconds.
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX authentication_events_by_account ON authentication_events (root_account_id, created_at, id);
CREATE INDEX authentication_events_by_user ON authentication_events (user_id, created_at, id);
CREATE INDEX authentication_events_by_login ON authentication_events (pseudonym_id, created_at, id);
CREATE INDEX authentication_events_by_token ON authentication_events (access_token_id, user_id, created_at) WHERE access_token_id IS NOT NULL;
CREATE INDEX authentication_events_by_time ON authentication_events (created_at);

CREATE TABLE blobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    -- In bytes; while it is written, what is set aside for it.
    size INTEGER NOT NULL CHECK (size >= 0),
    -- When somebody wrote to it last.
    touched_at TEXT NOT NULL,
    -- It is being removed: nothing may name it any more.
    removing INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1))
) STRICT;

CREATE TABLE blob_totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bytes INTEGER NOT NULL,
    searched_to INTEGER NOT NULL DEFAULT 0
, blobs INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE courses_to_sanitize (
    course_id INTEGER PRIMARY KEY REFERENCES courses (id)
) STRICT;

CREATE TABLE page_views (
    -- The id by which the answer, the log and the events call the request.
    id TEXT PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    real_user_id INTEGER REFERENCES users (id),
    http_method TEXT NOT NULL,
    -- Without the query, in which a token may stand.
    path TEXT NOT NULL,
    remote_ip TEXT,
    user_agent TEXT,
    -- A token of the API, or a page of ours that a log-in or a link has opened.
    credential TEXT NOT NULL CHECK (credential IN ('access_token', 'page')),
    developer_key_id INTEGER REFERENCES developer_keys (id),
    -- With microseconds, as events have it: no later than the first of them.
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX page_views_by_time ON page_views (created_at);

CREATE TABLE badge_claim_codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class_id INTEGER NOT NULL REFERENCES badge_classes (id) ON DELETE CASCADE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    entity_id TEXT NOT NULL UNIQUE,
    -- The code itself is told once, to who makes it.
    code_hash TEXT NOT NULL UNIQUE,
    name TEXT,
    max_uses INTEGER NOT NULL CHECK (max_uses > 0),
    uses INTEGER NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
    expires_at TEXT,
    revoked_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX badge_claim_codes_by_class ON badge_claim_codes (class_id, created_at DESC, id DESC);

CREATE TABLE badge_claims (
    code_id INTEGER NOT NULL REFERENCES badge_claim_codes (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    assertion_id INTEGER NOT NULL REFERENCES badge_assertions (id) ON DELETE CASCADE,
    claimed_at TEXT NOT NULL,
    PRIMARY KEY (code_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_claims_by_assertion ON badge_claims (assertion_id);

CREATE TABLE badge_status_lists (
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    list INTEGER NOT NULL,
    form TEXT NOT NULL,
    -- A hash of all that the list says beside the moment of signing.
    state TEXT NOT NULL,
    credential TEXT NOT NULL,
    signed_at TEXT NOT NULL,
    PRIMARY KEY (issuer_id, list, form)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_registrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- The way in which the tool registers: dynamic registration, or a tool proxy.
    version TEXT NOT NULL CHECK (version IN ('lti_1_3', 'lti_2')),
    -- Where the administrator sends the tool the invitation.
    initiation_url TEXT NOT NULL,
    -- Invited, then pending until an administrator has decided.
    status TEXT NOT NULL DEFAULT 'invited' CHECK (status IN ('invited', 'pending', 'approved', 'refused')),
    -- By this an LTI 2 tool knows its invitation: the registration key, and the name of its profile.
    uuid TEXT NOT NULL UNIQUE,
    -- The registration token of an LTI 1.3 tool, as a hash.
    token_hash TEXT UNIQUE,
    -- The registration password of an LTI 2 tool, which signs with it.
    sealed_password TEXT,
    invited_until TEXT NOT NULL,
    -- The token with which an LTI 1.3 tool reads its registration, as a hash.
    access_token_hash TEXT UNIQUE,
    -- The tool, from when it has registered.
    tool_proxy_id INTEGER UNIQUE REFERENCES tool_proxies (id),
    -- The capabilities that it asks for: a JSON list.
    capabilities TEXT NOT NULL DEFAULT '[]',
    -- What it has said of itself: JSON.
    configuration TEXT NOT NULL DEFAULT '{}',
    invited_by INTEGER NOT NULL REFERENCES users (id),
    decided_by INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    registered_at TEXT,
    decided_at TEXT
) STRICT;
CREATE INDEX tool_registrations_by_account ON tool_registrations (account_id, id);
CREATE INDEX tool_registrations_by_status ON tool_registrations (account_id, status, id);
CREATE INDEX tool_registrations_open ON tool_registrations (root_account_id) WHERE status IN ('invited', 'pending');
CREATE INDEX tool_registrations_lapsed ON tool_registrations (invited_until) WHERE status = 'invited';
CREATE INDEX tool_registrations_by_seal ON tool_registrations (sealed_password) WHERE sealed_password IS NOT NULL;

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
, is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1))) STRICT;
CREATE INDEX enrollment_terms_by_root_account ON enrollment_terms (root_account_id, id);
CREATE INDEX enrollment_terms_by_any_sis_id ON enrollment_terms (root_account_id, sis_term_id)
WHERE sis_term_id IS NOT NULL;
CREATE UNIQUE INDEX enrollment_terms_by_sis_id ON enrollment_terms (root_account_id, sis_term_id)
WHERE sis_term_id IS NOT NULL AND workflow_state <> 'deleted';
CREATE UNIQUE INDEX enrollment_terms_default ON enrollment_terms (root_account_id) WHERE is_default = 1;

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
CREATE INDEX sis_import_changes_by_record ON sis_import_changes (sis_import_id, record_type, record_id, id);

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
, at_work INTEGER NOT NULL DEFAULT 0 CHECK (at_work IN (0, 1)), stage INTEGER NOT NULL DEFAULT 0, record_id INTEGER NOT NULL DEFAULT 0, looked_at INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE mastery_bank_shares (
    id INTEGER PRIMARY KEY,
    district_id INTEGER NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    bank_id INTEGER NOT NULL REFERENCES mastery_banks (id),
    shared_with_id INTEGER NOT NULL REFERENCES accounts (id),
    active INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (district_id, source_id)
) STRICT;
CREATE UNIQUE INDEX mastery_bank_shares_in_order ON mastery_bank_shares (district_id, ordinal);
CREATE INDEX mastery_bank_shares_by_reader ON mastery_bank_shares (shared_with_id, bank_id);

CREATE TABLE sis_sticky_fields (
    record_type TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    -- The column.
    field TEXT NOT NULL,
    PRIMARY KEY (record_type, record_id, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_registration_nonces (
    tool_registration_id INTEGER NOT NULL REFERENCES tool_registrations (id),
    nonce TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (tool_registration_id, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_registration_nonces_by_expiry ON tool_registration_nonces (expires_at);

CREATE TABLE ticks (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ended_at TEXT,
    failed_areas INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tenant_storage (
    root_account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE event_totals (
    figure TEXT NOT NULL,
    kind TEXT NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (figure, kind)
) STRICT, WITHOUT ROWID;

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
    quiz_attempt_id INTEGER REFERENCES quiz_attempts (id), grading_version INTEGER NOT NULL DEFAULT 0 CHECK (grading_version >= 0), fudge_points REAL NOT NULL DEFAULT 0, grader_id INTEGER REFERENCES users (id), graded_at TEXT, hand_in_beginnings INTEGER NOT NULL DEFAULT 0, hand_in_begun_at TEXT,
    CHECK ((state = 'submitted') = (submitted_at IS NOT NULL)),
    CHECK ((state = 'submitted') = (score IS NOT NULL)),
    CHECK ((state = 'submitted') = (is_scored IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX quiz_sessions_taking ON quiz_sessions (assignment_id, user_id, is_preview) WHERE state = 'taking';
CREATE INDEX quiz_sessions_by_user ON quiz_sessions (assignment_id, user_id, id);
CREATE INDEX quiz_sessions_by_quiz ON quiz_sessions (assignment_id, id);
CREATE INDEX quiz_sessions_of_course ON quiz_sessions (course_id, user_id) WHERE state = 'taking';
CREATE INDEX quiz_sessions_by_attempt ON quiz_sessions (quiz_attempt_id) WHERE quiz_attempt_id IS NOT NULL;
CREATE INDEX quiz_sessions_waiting ON quiz_sessions (assignment_id, id) WHERE is_scored = 0 AND is_preview = 0;
CREATE INDEX quiz_sessions_by_end ON quiz_sessions (hand_in_beginnings, end_at)
WHERE state = 'taking' AND end_at IS NOT NULL AND is_preview = 0;

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
    comment TEXT, graded_at TEXT,
    PRIMARY KEY (session_id, item_id)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX assignment_overrides_of_section ON assignment_overrides (course_section_id) WHERE course_section_id IS NOT NULL;
CREATE INDEX assignment_overrides_of_group ON assignment_overrides (group_id) WHERE group_id IS NOT NULL;

CREATE TABLE assignment_override_students (
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    assignment_override_id INTEGER NOT NULL REFERENCES assignment_overrides (id) ON DELETE CASCADE,
    PRIMARY KEY (assignment_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_override_students_by_override ON assignment_override_students (assignment_override_id, user_id);

CREATE TABLE late_policies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    course_id INTEGER NOT NULL UNIQUE REFERENCES courses (id),
    missing_submission_deduction_enabled INTEGER NOT NULL CHECK (missing_submission_deduction_enabled IN (0, 1)),
    missing_submission_deduction REAL NOT NULL,
    late_submission_deduction_enabled INTEGER NOT NULL CHECK (late_submission_deduction_enabled IN (0, 1)),
    late_submission_deduction REAL NOT NULL,
    late_submission_interval TEXT NOT NULL CHECK (late_submission_interval IN ('hour', 'day')),
    late_submission_minimum_percent_enabled INTEGER NOT NULL CHECK (late_submission_minimum_percent_enabled IN (0, 1)),
    late_submission_minimum_percent REAL NOT NULL,
    -- Another one after each change from which other grades follow.
    revision INTEGER NOT NULL DEFAULT 0,
    -- Submissions with greater ids are to be graded anew; null: none is.
    regraded_to INTEGER DEFAULT 0,
    -- When the tick looks for what is missing; null: never.
    look_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX late_policies_to_regrade ON late_policies (id) WHERE regraded_to IS NOT NULL;
CREATE INDEX late_policies_to_look_at ON late_policies (look_at) WHERE look_at IS NOT NULL;

CREATE TABLE quiz_reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    quiz_id INTEGER REFERENCES quizzes (id),
    assignment_id INTEGER REFERENCES new_quizzes (assignment_id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    report_type TEXT NOT NULL CHECK (report_type IN ('student_analysis', 'item_analysis')),
    format TEXT NOT NULL CHECK (format IN ('csv', 'json')),
    includes_all_versions INTEGER NOT NULL CHECK (includes_all_versions IN (0, 1)),
    is_anonymous INTEGER NOT NULL CHECK (is_anonymous IN (0, 1)),
    -- The sections whose students are in it, a list of ids in their order; null: all. Who sees others does not see it.
    section_limit TEXT,
    progress_id INTEGER NOT NULL REFERENCES progresses (id),
    -- Its file, which belongs to no record of content_exports: context_type 'ContentExport', context_id 0.
    attachment_id INTEGER REFERENCES attachments (id),
    workflow_state TEXT NOT NULL DEFAULT 'created'
        CHECK (workflow_state IN ('created', 'generating', 'generated', 'failed')),
    -- Who works on it, for how long nobody else may, and how often it was begun.
    lease TEXT,
    leased_until TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- After this it is removed.
    expires_at TEXT NOT NULL,
    CHECK ((quiz_id IS NULL) <> (assignment_id IS NULL))
) STRICT;
CREATE INDEX quiz_reports_by_quiz ON quiz_reports (quiz_id, id) WHERE quiz_id IS NOT NULL;
CREATE INDEX quiz_reports_by_assignment ON quiz_reports (assignment_id, id) WHERE assignment_id IS NOT NULL;
CREATE INDEX quiz_reports_to_do ON quiz_reports (id) WHERE workflow_state IN ('created', 'generating');
CREATE INDEX quiz_reports_by_expiry ON quiz_reports (expires_at);
CREATE INDEX quiz_reports_by_attachment ON quiz_reports (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE UNIQUE INDEX quiz_reports_under_way ON quiz_reports (
    ifnull(quiz_id, 0), ifnull(assignment_id, 0), report_type, format, includes_all_versions, ifnull(section_limit, '')
) WHERE workflow_state IN ('created', 'generating');

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
    completed_at TEXT, beginnings INTEGER NOT NULL DEFAULT 0, begun_at TEXT, failed_at TEXT,
    CHECK ((quiz_id IS NULL) <> (assignment_id IS NULL))
) STRICT;
CREATE INDEX quiz_regrades_by_assignment ON quiz_regrades (assignment_id, id) WHERE assignment_id IS NOT NULL;
CREATE INDEX quiz_regrades_by_quiz ON quiz_regrades (quiz_id, id) WHERE quiz_id IS NOT NULL;
CREATE INDEX quiz_regrades_by_question ON quiz_regrades (question_item_id) WHERE question_item_id IS NOT NULL;

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
CREATE INDEX quiz_regrade_attempts_by_regrade ON quiz_regrade_attempts (regrade_id, state, id);
CREATE INDEX quiz_regrade_attempts_by_session ON quiz_regrade_attempts (session_id, state) WHERE session_id IS NOT NULL;
CREATE INDEX quiz_regrade_attempts_by_submission ON quiz_regrade_attempts (quiz_submission_id, attempt)
WHERE quiz_submission_id IS NOT NULL;
CREATE INDEX quiz_regrade_sessions_to_do ON quiz_regrade_attempts (regrade_id, id)
WHERE state = 'due' AND session_id IS NOT NULL;
CREATE INDEX quiz_regrade_submissions_to_do ON quiz_regrade_attempts (regrade_id, id)
WHERE state = 'due' AND quiz_submission_id IS NOT NULL;

CREATE TABLE assignments_of_other_points (
    assignment_id INTEGER PRIMARY KEY REFERENCES assignments (id),
    -- What it was worth when its grades were shown last.
    points_before REAL
) STRICT;

CREATE VIEW user_emails (user_id, email) AS
SELECT u.id, ifnull(
    (SELECT c.address FROM communication_channels c
     WHERE c.user_id = u.id AND c.type = 'email' AND c.workflow_state = 'active'
     ORDER BY c.position, c.id LIMIT 1),
    u.email
) FROM users u;

CREATE VIEW sis_changes_that_do_not_stick AS
SELECT id FROM sis_imports WHERE at_work = 1 AND NOT ifnull(options ->> 'add_sis_stickiness', 0)
UNION ALL
SELECT id FROM sis_restorations WHERE at_work = 1;

CREATE VIEW suspended_users (user_id) AS
SELECT p.user_id FROM pseudonyms p
WHERE p.suspended = 1 AND p.workflow_state = 'active'
  AND NOT EXISTS (
      SELECT 1 FROM pseudonyms o WHERE o.user_id = p.user_id AND o.suspended = 0 AND o.workflow_state = 'active'
);

CREATE VIEW course_events_with_requests AS
SELECT e.id, e.root_account_id, e.account_id, e.course_id, e.user_id, e.event_type, e.event_source, e.event_data,
       e.partner_course_id, e.sis_batch_id, e.request_id, e.created_at, e.real_user_id, v.http_method, v.path, v.remote_ip,
       v.user_agent, v.credential, v.developer_key_id, v.created_at AS request_created_at
FROM course_events e LEFT JOIN page_views v ON v.id = e.request_id;

CREATE VIEW user_details (user_id, given_name, family_name, email, login_id, sis_user_id, integration_id) AS
SELECT
    named.id,
    trim(replace(replace(replace(replace(
        CASE
            WHEN named.has_comma THEN substr(named.sortable_name, instr(named.sortable_name, ',') + 1)
            WHEN instr(named.whole, ' ') THEN rtrim(named.whole, replace(named.whole, ' ', ''))
            ELSE named.whole
        END, ',', ' '), ' ', ' ' || char(31)), char(31) || ' ', ''), char(31), '')),
    trim(CASE
        WHEN named.has_comma THEN substr(named.sortable_name, 1, instr(named.sortable_name, ',') - 1)
        WHEN instr(named.whole, ' ')
        THEN substr(named.whole, length(rtrim(named.whole, replace(named.whole, ' ', ''))) + 1)
        ELSE ''
    END),
    ifnull(
        (SELECT c.address FROM communication_channels c
         WHERE c.user_id = named.id AND c.type = 'email' AND c.workflow_state = 'active'
         ORDER BY c.position, c.id LIMIT 1),
        named.email
    ),
    (SELECT p.unique_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' ORDER BY p.id LIMIT 1),
    (SELECT p.sis_user_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' AND p.sis_user_id IS NOT NULL
     ORDER BY p.id LIMIT 1),
    (SELECT p.integration_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' AND p.integration_id IS NOT NULL
     ORDER BY p.id LIMIT 1)
FROM (
    SELECT id, email, sortable_name, instr(sortable_name, ',') > 0 AS has_comma, trim(sortable_name) AS whole FROM users
) named;

CREATE VIEW picks_of_quiz_groups AS
SELECT id, quiz_id, position, home, points, held, min(max(pick_count, 0), held) AS picks FROM (
    SELECT g.id, g.quiz_id, g.position, g.pick_count, max(ifnull(g.question_points, 0), 0) AS points,
        ifnull(g.assessment_question_bank_id, -g.id) AS home,
        iif(g.assessment_question_bank_id IS NULL,
            (SELECT count(*) FROM quiz_questions q
             WHERE q.quiz_group_id = g.id AND q.workflow_state = 'active' AND q.question_type <> 'text_only_question'),
            (SELECT b.questions_held FROM question_banks b WHERE b.id = g.assessment_question_bank_id)) AS held
    FROM quiz_groups g
);

CREATE VIEW worth_of_quiz_groups AS
SELECT z.id AS quiz_id,
    (SELECT ifnull(sum(min(picks, max(held - earlier, 0))), 0) FROM (
        SELECT g.picks, g.held, sum(g.picks) OVER (PARTITION BY g.home ORDER BY g.position, g.id) - g.picks AS earlier
        FROM picks_of_quiz_groups g WHERE g.quiz_id = z.id)) AS questions,
    (SELECT total(points * min(picks, max(held - earlier, 0))) FROM (
        SELECT g.points, g.picks, g.held, sum(g.picks) OVER (PARTITION BY g.home ORDER BY g.position, g.id) - g.picks AS earlier
        FROM picks_of_quiz_groups g WHERE g.quiz_id = z.id)) AS points
FROM quizzes z;

CREATE VIEW user_records (user_id, record) AS
SELECT id, concat('{"id":', id, ',"name":', json_quote(name), ',"created_at":"', substr(created_at, 1, 19),
    'Z","sortable_name":', json_quote(sortable_name), ',"short_name":', json_quote(short_name),
    ',"first_name":', json_quote(kept_given_name), ',"last_name":', json_quote(kept_family_name),
    ',"sis_user_id":', json_quote(kept_sis_user_id), ',"integration_id":', json_quote(kept_integration_id),
    ',"login_id":', json_quote(kept_login_id), ',"email":', json_quote(kept_email), ',"locale":', json_quote(locale),
    ',"time_zone":', json_quote(time_zone), '}')
FROM users;

CREATE VIEW worth_of_quizzes AS
SELECT z.id AS quiz_id,
    (SELECT count(*) FROM quiz_questions q
     WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
       AND q.question_type <> 'text_only_question')
    + (SELECT w.questions FROM worth_of_quiz_groups w WHERE w.quiz_id = z.id) AS questions,
    round(
        (SELECT total(q.points_possible) FROM quiz_questions q
         WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
           AND q.question_type <> 'text_only_question')
        + (SELECT w.points FROM worth_of_quiz_groups w WHERE w.quiz_id = z.id), 6) AS points
FROM quizzes z;

CREATE VIEW outbox (events, messages) AS SELECT NULL, NULL WHERE 0;

CREATE VIEW graded_submissions AS
SELECT id, score, grade, excused, grader_id, graded_at, graded_attempt, workflow_state, points_deducted, kept_submitted_at,
       late_policy_status, seconds_late_override, updated_at, NULL AS version, NULL AS events, NULL AS messages
FROM submissions;

CREATE VIEW handed_in_submissions AS
SELECT id, attempt, submission_type, body, url, submitted_at, updated_at, NULL AS attachments, NULL AS events, NULL AS messages
FROM submissions;

CREATE VIEW asked_channels (channel_id, code_hash, created_at, expires_at, messages) AS
SELECT NULL, NULL, NULL, NULL, NULL WHERE 0;

CREATE VIEW deleted_channels AS
SELECT id, user_id, type, address, told_by_default, workflow_state, updated_at, NULL AS messages FROM communication_channels;

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

CREATE TRIGGER accounts_stick AFTER UPDATE OF name, parent_account_id ON accounts
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Account', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'parent_account_id' WHERE new.parent_account_id IS NOT old.parent_account_id) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER accounts_have_a_default_term AFTER INSERT ON accounts WHEN new.id = new.root_account_id BEGIN
    INSERT INTO enrollment_terms (root_account_id, name, is_default, created_at, updated_at)
    VALUES (new.id, 'Default Term', 1, new.created_at, new.created_at);
END;

CREATE TRIGGER accounts_take_messages AFTER UPDATE OF workflow_state ON accounts
WHEN new.workflow_state = 'deleted' AND old.workflow_state <> 'deleted' AND new.id = new.root_account_id
BEGIN
    DELETE FROM messages
    WHERE state = 'gathered' AND state IN ('gathered', 'queued') AND channel_id IN (
        SELECT c.id FROM users u CROSS JOIN communication_channels c ON c.user_id = u.id WHERE u.root_account_id = new.id);
    UPDATE messages SET state = 'dead', failure = 'the institution was deleted', body = iif(confidential, '', body)
    WHERE state = 'queued' AND state IN ('gathered', 'queued') AND channel_id IN (
        SELECT c.id FROM users u CROSS JOIN communication_channels c ON c.user_id = u.id WHERE u.root_account_id = new.id);
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

CREATE TRIGGER users_stick AFTER UPDATE OF name, sortable_name, short_name ON users
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'User', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'sortable_name' WHERE new.sortable_name <> old.sortable_name
          UNION ALL SELECT 'short_name' WHERE new.short_name <> old.short_name) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER users_keep_names AFTER INSERT ON users BEGIN
    UPDATE users SET (kept_given_name, kept_family_name, kept_email) = (
        SELECT d.given_name, d.family_name, d.email FROM user_details d WHERE d.user_id = new.id)
    WHERE id = new.id;
END;

CREATE TRIGGER users_keep_other_names AFTER UPDATE OF sortable_name, email ON users
WHEN new.sortable_name IS NOT old.sortable_name OR new.email IS NOT old.email
BEGIN
    UPDATE users SET (kept_given_name, kept_family_name, kept_email) = (
        SELECT d.given_name, d.family_name, d.email FROM user_details d WHERE d.user_id = new.id)
    WHERE id = new.id;
END;

CREATE TRIGGER users_keep_records
AFTER UPDATE OF name, created_at, sortable_name, short_name, kept_given_name, kept_family_name, kept_sis_user_id,
    kept_integration_id, kept_login_id, kept_email, locale, time_zone ON users
BEGIN
    UPDATE users SET kept_record = (SELECT r.record FROM user_records r WHERE r.user_id = new.id) WHERE id = new.id;
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

CREATE TRIGGER pseudonyms_stick AFTER UPDATE OF unique_id, workflow_state, suspended ON pseudonyms
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Pseudonym', new.id, changed.field
    FROM (SELECT 'unique_id' AS field WHERE new.unique_id <> old.unique_id
          UNION ALL SELECT 'workflow_state'
          WHERE new.workflow_state <> old.workflow_state OR new.suspended <> old.suspended) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER pseudonyms_keep_logins AFTER INSERT ON pseudonyms BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = new.user_id)
    WHERE id = new.user_id;
END;

CREATE TRIGGER pseudonyms_keep_other_logins
AFTER UPDATE OF user_id, unique_id, sis_user_id, integration_id, workflow_state ON pseudonyms
WHEN new.user_id IS NOT old.user_id OR new.unique_id IS NOT old.unique_id COLLATE BINARY
    OR new.sis_user_id IS NOT old.sis_user_id OR new.integration_id IS NOT old.integration_id
    OR new.workflow_state IS NOT old.workflow_state
BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = users.id)
    WHERE id IN (old.user_id, new.user_id);
END;

CREATE TRIGGER pseudonyms_keep_no_logins AFTER DELETE ON pseudonyms BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = old.user_id)
    WHERE id = old.user_id;
END;

CREATE TRIGGER courses_have_a_root_folder AFTER INSERT ON courses BEGIN
    INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
    VALUES (NEW.root_account_id, 'Course', NEW.id, 'course files', NEW.created_at, NEW.created_at);
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

CREATE TRIGGER courses_have_a_term AFTER INSERT ON courses WHEN new.enrollment_term_id IS NULL BEGIN
    UPDATE courses
    SET enrollment_term_id = (SELECT t.id FROM enrollment_terms t
                              WHERE t.root_account_id = new.root_account_id AND t.is_default = 1)
    WHERE id = new.id;
END;

CREATE TRIGGER courses_post_manually AFTER UPDATE OF post_manually ON courses
WHEN NEW.post_manually <> OLD.post_manually
BEGIN
    UPDATE submissions SET posted_at = ifnull(posted_at, graded_at)
    WHERE course_id = NEW.id AND graded_at IS NOT NULL AND NOT is_hidden AND NEW.post_manually
      AND EXISTS (SELECT 1 FROM assignments a
                  WHERE a.id = assignment_id AND a.post_manually IS NULL AND NOT a.anonymous_grading);
    UPDATE submissions SET is_hidden = 1
    WHERE course_id = NEW.id AND graded_at IS NOT NULL AND posted_at IS NULL AND NOT NEW.post_manually
      AND EXISTS (SELECT 1 FROM assignments a
                  WHERE a.id = assignment_id AND a.post_manually IS NULL AND NOT a.anonymous_grading);
END;

CREATE TRIGGER courses_stick
AFTER UPDATE OF name, course_code, account_id, enrollment_term_id, workflow_state, start_at, end_at ON courses
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Course', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'course_code' WHERE new.course_code <> old.course_code
          UNION ALL SELECT 'account_id' WHERE new.account_id <> old.account_id
          UNION ALL SELECT 'enrollment_term_id'
                    WHERE new.enrollment_term_id IS NOT old.enrollment_term_id AND EXISTS (
                        SELECT 1 FROM enrollment_terms t
                        WHERE t.id = old.enrollment_term_id AND t.workflow_state <> 'deleted')
          UNION ALL SELECT 'workflow_state' WHERE new.workflow_state <> old.workflow_state
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
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

CREATE TRIGGER course_sections_stick AFTER UPDATE OF name, start_at, end_at, course_id ON course_sections
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'CourseSection', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at
          UNION ALL SELECT 'course_id'
                    WHERE new.course_id <> old.course_id AND EXISTS (SELECT 1 FROM sis_imports WHERE at_work = 1)
         ) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER course_sections_take_overrides AFTER UPDATE OF workflow_state ON course_sections WHEN new.workflow_state = 'deleted'
BEGIN
    DELETE FROM assignment_overrides WHERE course_section_id = new.id;
END;

CREATE TRIGGER course_sections_take_poll_sessions_along AFTER UPDATE OF course_id ON course_sections
WHEN NEW.course_id <> OLD.course_id AND NEW.nonxlist_course_id IS NOT OLD.nonxlist_course_id
BEGIN
    UPDATE poll_sessions SET course_id = NEW.course_id WHERE course_id = OLD.course_id AND course_section_id = NEW.id;
END;

CREATE TRIGGER enrollments_end_group_memberships AFTER UPDATE OF workflow_state ON enrollments
WHEN new.workflow_state IN ('deleted', 'rejected') AND NOT EXISTS (
    SELECT 1 FROM enrollments
    WHERE user_id = new.user_id AND course_id = new.course_id AND workflow_state NOT IN ('deleted', 'rejected')
)
BEGIN
    UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = new.updated_at
    WHERE user_id = new.user_id AND workflow_state <> 'deleted'
      AND group_id IN (SELECT id FROM groups WHERE course_id = new.course_id);
END;

CREATE TRIGGER enrollments_end_uploads AFTER UPDATE OF workflow_state ON enrollments
WHEN new.workflow_state <> 'active' AND NOT EXISTS (
    SELECT 1 FROM enrollments WHERE user_id = new.user_id AND course_id = new.course_id AND workflow_state = 'active'
)
BEGIN
    UPDATE uploads SET expires_at = new.updated_at
    WHERE user_id = new.user_id AND attachment_id IS NULL AND expires_at > new.updated_at
      AND (context_type = 'Course' AND context_id = new.course_id
           OR context_type = 'Group' AND context_id IN (SELECT id FROM groups WHERE course_id = new.course_id));
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

CREATE TRIGGER enrollments_take_messages AFTER UPDATE OF workflow_state ON enrollments
WHEN old.workflow_state = 'active' AND new.workflow_state IN ('deleted', 'inactive') AND NOT EXISTS (
    SELECT 1 FROM enrollments e
    WHERE e.user_id = new.user_id AND e.course_id = new.course_id AND e.workflow_state = 'active')
BEGIN
    DELETE FROM messages WHERE id IN (
        SELECT m.id FROM communication_channels c CROSS JOIN messages m ON m.channel_id = c.id
        WHERE c.user_id = new.user_id AND m.asset IS NOT NULL AND m.attempts = 0 AND m.state IN ('gathered', 'queued')
          AND new.course_id = CASE substr(m.asset, 1, 11)
              WHEN 'submission_' THEN (SELECT course_id FROM submissions WHERE id = CAST(substr(m.asset, 12) AS INTEGER))
              WHEN 'assignment_' THEN (SELECT course_id FROM assignments WHERE id = CAST(substr(m.asset, 12) AS INTEGER))
              END);
END;

CREATE TRIGGER late_policies_follow_new_enrollments AFTER INSERT ON enrollments
WHEN NEW.type = 'StudentEnrollment' AND EXISTS (
    SELECT 1 FROM submissions s WHERE s.course_id = NEW.course_id AND s.user_id = NEW.user_id AND s.score IS NOT NULL
)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = NEW.course_id AND EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.course_section_id = NEW.course_section_id
    );
END;

CREATE TRIGGER late_policies_follow_enrollments AFTER UPDATE OF workflow_state, course_id, course_section_id ON enrollments
WHEN NEW.type = 'StudentEnrollment' AND (
    NEW.workflow_state <> OLD.workflow_state OR NEW.course_id <> OLD.course_id
    OR NEW.course_section_id IS NOT OLD.course_section_id
) AND EXISTS (
    SELECT 1 FROM submissions s WHERE s.course_id = NEW.course_id AND s.user_id = NEW.user_id AND s.score IS NOT NULL
)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = NEW.course_id AND EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.course_section_id IN (NEW.course_section_id, OLD.course_section_id)
    );
END;

CREATE TRIGGER enrollments_take_memberships_along AFTER UPDATE OF course_id ON enrollments
WHEN NEW.course_id <> OLD.course_id AND NOT EXISTS (
    SELECT 1 FROM enrollments
    WHERE user_id = NEW.user_id AND course_id = OLD.course_id AND workflow_state NOT IN ('deleted', 'rejected')
)
BEGIN
    UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = NEW.updated_at
    WHERE user_id = NEW.user_id AND workflow_state <> 'deleted'
      AND group_id IN (SELECT id FROM groups WHERE course_id = OLD.course_id);
END;

CREATE TRIGGER push_endpoints_of_revoked_tokens AFTER UPDATE OF revoked_at ON access_tokens
WHEN new.revoked_at IS NOT NULL BEGIN
    DELETE FROM push_endpoints WHERE access_token_id = new.id;
END;

CREATE TRIGGER refresh_tokens_revoked AFTER UPDATE OF revoked_at ON refresh_tokens WHEN new.revoked_at IS NOT NULL BEGIN
    UPDATE access_tokens SET revoked_at = new.revoked_at
    WHERE made_through_refresh_token_id = new.id AND revoked_at IS NULL;
END;

CREATE TRIGGER assignments_have_lti_ids AFTER INSERT ON assignments WHEN new.lti_context_id IS NULL BEGIN
    UPDATE assignments
    SET lti_context_id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
        || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
    WHERE id = new.id;
END;

CREATE TRIGGER assignments_take_quizzes AFTER UPDATE OF workflow_state ON assignments WHEN new.workflow_state = 'deleted'
BEGIN
    UPDATE quizzes SET workflow_state = 'deleted', updated_at = new.updated_at
    WHERE assignment_id = new.id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER late_policies_follow_new_assignments AFTER INSERT ON assignments
BEGIN
    UPDATE late_policies SET look_at = iif(look_at IS NULL, NULL, NEW.updated_at) WHERE course_id = NEW.course_id;
END;

CREATE TRIGGER late_policies_follow_due_dates AFTER UPDATE OF due_at, workflow_state ON assignments
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.workflow_state <> OLD.workflow_state
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;

CREATE TRIGGER assignments_post_manually AFTER UPDATE OF post_manually, anonymous_grading ON assignments
WHEN NEW.post_manually IS NOT OLD.post_manually OR NEW.anonymous_grading <> OLD.anonymous_grading
BEGIN
    UPDATE submissions SET posted_at = ifnull(posted_at, graded_at)
    WHERE assignment_id = NEW.id AND graded_at IS NOT NULL AND NOT is_hidden AND NOT OLD.anonymous_grading
      AND NOT ifnull(OLD.post_manually, (SELECT c.post_manually FROM courses c WHERE c.id = NEW.course_id));
    UPDATE submissions SET is_hidden = 1
    WHERE assignment_id = NEW.id AND graded_at IS NOT NULL AND posted_at IS NULL
      AND (OLD.anonymous_grading
           OR ifnull(OLD.post_manually, (SELECT c.post_manually FROM courses c WHERE c.id = NEW.course_id)));
END;

CREATE TRIGGER assignments_take_reports AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE quiz_reports SET expires_at = new.updated_at WHERE assignment_id = new.id;
END;

CREATE TRIGGER assignments_have_positions AFTER INSERT ON assignments
WHEN new.workflow_state <> 'deleted' AND new.position = 0 BEGIN
    UPDATE assignments
    SET position = 1 + ifnull((SELECT previous.position FROM assignments previous
                               WHERE previous.course_id = new.course_id AND previous.id < new.id AND previous.workflow_state <> 'deleted'
                               ORDER BY previous.id DESC LIMIT 1), 0)
    WHERE id = new.id;
END;

CREATE TRIGGER assignments_give_their_positions_up AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state = 'deleted' AND old.workflow_state <> 'deleted' BEGIN
    UPDATE assignments SET position = position - 1
    WHERE course_id = new.course_id AND id > new.id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER assignments_get_their_positions_back AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state <> 'deleted' AND old.workflow_state = 'deleted' BEGIN
    UPDATE assignments
    SET position = 1 + ifnull((SELECT previous.position FROM assignments previous
                               WHERE previous.course_id = new.course_id AND previous.id < new.id AND previous.workflow_state <> 'deleted'
                               ORDER BY previous.id DESC LIMIT 1), 0)
    WHERE id = new.id;
    UPDATE assignments SET position = position + 1
    WHERE course_id = new.course_id AND id > new.id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER assignments_take_messages AFTER UPDATE OF workflow_state ON assignments
WHEN old.workflow_state = 'published' AND new.workflow_state <> 'published'
BEGIN
    DELETE FROM messages WHERE asset = concat('assignment_', new.id) AND attempts = 0 AND state IN ('gathered', 'queued');
    DELETE FROM messages
    WHERE asset IN (SELECT concat('submission_', s.id) FROM submissions s WHERE s.assignment_id = new.id)
      AND attempts = 0 AND state IN ('gathered', 'queued');
END;

CREATE TRIGGER assignments_have_other_points AFTER UPDATE OF points_possible ON assignments
WHEN new.points_possible IS NOT old.points_possible
    AND EXISTS (SELECT 1 FROM quizzes z WHERE z.assignment_id = new.id)
    AND EXISTS (SELECT 1 FROM submissions s WHERE s.assignment_id = new.id AND s.score IS NOT NULL)
BEGIN
    INSERT INTO assignments_of_other_points (assignment_id, points_before) VALUES (new.id, old.points_possible)
    ON CONFLICT (assignment_id) DO NOTHING;
END;

CREATE TRIGGER media_objects_stored AFTER INSERT ON media_objects BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (new.root_account_id, 1, new.size)
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER media_objects_stored_no_more AFTER DELETE ON media_objects BEGIN
    UPDATE tenant_storage SET files = files - 1, bytes = bytes - old.size WHERE root_account_id = old.root_account_id;
END;

CREATE TRIGGER quizzes_have_assignments AFTER INSERT ON quizzes
WHEN new.assignment_id IS NULL AND new.quiz_type IN ('assignment', 'graded_survey') AND new.workflow_state <> 'deleted'
BEGIN
    INSERT INTO assignments
        (root_account_id, course_id, name, description, points_possible, submission_types, due_at, unlock_at, lock_at,
         workflow_state, created_at, updated_at)
    VALUES (new.root_account_id, new.course_id, new.title, new.description, 0, '["online_quiz"]', new.due_at,
            new.unlock_at, new.lock_at, iif(new.workflow_state = 'available', 'published', 'unpublished'),
            new.updated_at, new.updated_at);
    UPDATE quizzes SET assignment_id = last_insert_rowid() WHERE id = new.id;
END;

CREATE TRIGGER quizzes_get_assignments AFTER UPDATE ON quizzes
WHEN new.assignment_id IS NULL AND new.quiz_type IN ('assignment', 'graded_survey') AND new.workflow_state <> 'deleted'
BEGIN
    INSERT INTO assignments
        (root_account_id, course_id, name, description, points_possible, submission_types, due_at, unlock_at, lock_at,
         workflow_state, created_at, updated_at)
    VALUES (new.root_account_id, new.course_id, new.title, new.description, 0, '["online_quiz"]', new.due_at,
            new.unlock_at, new.lock_at, iif(new.workflow_state = 'available', 'published', 'unpublished'),
            new.updated_at, new.updated_at);
    UPDATE quizzes SET assignment_id = last_insert_rowid() WHERE id = new.id;
END;

CREATE TRIGGER quizzes_lose_assignments AFTER UPDATE OF quiz_type ON quizzes
WHEN new.assignment_id IS NOT NULL AND new.quiz_type IN ('practice_quiz', 'survey')
BEGIN
    UPDATE quizzes SET assignment_id = NULL WHERE id = new.id;
    UPDATE assignments SET workflow_state = 'deleted', updated_at = new.updated_at
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER quizzes_take_reports AFTER UPDATE OF workflow_state ON quizzes
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE quiz_reports SET expires_at = new.updated_at WHERE quiz_id = new.id;
END;

CREATE TRIGGER quizzes_lose_submissions AFTER UPDATE OF assignment_id ON quizzes
WHEN old.assignment_id IS NOT NULL AND new.assignment_id IS NULL
BEGIN
    UPDATE quiz_submissions SET submission_id = NULL WHERE quiz_id = new.id;
END;

CREATE TRIGGER quizzes_grade_earlier_attempts AFTER UPDATE OF assignment_id ON quizzes
WHEN old.assignment_id IS NULL AND new.assignment_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM quiz_submissions q WHERE q.quiz_id = new.id)
BEGIN
    -- The assignment has its points before it has grades, or these would have to follow.
    UPDATE quizzes SET updated_at = updated_at WHERE id = new.id;
    INSERT INTO submissions
        (root_account_id, course_id, assignment_id, user_id, attempt, submission_type, body, submitted_at, score, grade,
         graded_at, graded_attempt, kept_submitted_at, workflow_state, created_at, updated_at)
    SELECT root_account_id, course_id, new.assignment_id, user_id, attempt, 'online_quiz',
           concat('user: ', user_id, ', quiz: ', quiz_id, ', score: ', shown, ', time: ', finished_at), finished_at, score, shown,
           new.updated_at, attempt, kept_at, iif(waits, 'pending_review', 'graded'), new.updated_at, new.updated_at
    FROM (
        SELECT root_account_id, course_id, quiz_id, user_id, attempt, finished_at, kept_at, score,
            rtrim(rtrim(format('%.2f', score), '0'), '.') AS shown,
            iif(workflow_state <> 'untaken', workflow_state = 'pending_review', EXISTS (
                SELECT 1 FROM json_each(questions) asked
                WHERE asked.value ->> 'question_type' <> 'text_only_question'
                  AND json_extract(answers, concat('$."', asked.value ->> 'id', '".points')) IS NULL)) AS waits
        FROM (
            SELECT q.root_account_id, q.course_id, q.quiz_id, q.user_id, q.workflow_state, v.attempt, v.finished_at, v.questions,
                v.answers, round(ifnull(q.kept_score, v.score), 2) AS score,
                iif(ifnull(new.settings ->> 'scoring_policy', 'keep_highest') = 'keep_highest',
                    (SELECT best.finished_at FROM quiz_submission_versions best WHERE best.quiz_submission_id = q.id
                     ORDER BY best.score DESC, best.attempt LIMIT 1), v.finished_at) AS kept_at
            FROM quiz_submissions q
            JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id AND v.attempt = (
                SELECT max(attempt) FROM quiz_submission_versions ended WHERE ended.quiz_submission_id = q.id)
            WHERE q.quiz_id = new.id))
    ORDER BY random();
    INSERT INTO submission_versions (submission_id, attempt, submission_type, body, submitted_at, score, grade)
    SELECT submission_id, attempt, 'online_quiz',
           concat('user: ', user_id, ', quiz: ', quiz_id, ', score: ', shown, ', time: ', finished_at), finished_at, score, shown
    FROM (
        SELECT submission_id, user_id, quiz_id, attempt, finished_at, score,
            rtrim(rtrim(format('%.2f', score), '0'), '.') AS shown
        FROM (
            SELECT s.id AS submission_id, q.user_id, q.quiz_id, v.attempt, v.finished_at,
                iif(v.attempt = s.attempt, s.score, v.score) AS score
            FROM quiz_submissions q
            JOIN submissions s ON s.assignment_id = new.assignment_id AND s.user_id = q.user_id
            JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id
            WHERE q.quiz_id = new.id));
    UPDATE quiz_submissions
    SET submission_id = (SELECT s.id FROM submissions s
                         WHERE s.assignment_id = new.assignment_id AND s.user_id = quiz_submissions.user_id)
    WHERE quiz_id = new.id;
    UPDATE late_policies
    SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, new.updated_at)
    WHERE course_id = new.course_id;
END;

CREATE TRIGGER quizzes_are_assignments AFTER UPDATE ON quizzes
WHEN new.assignment_id IS NOT NULL AND new.quiz_type IN ('assignment', 'graded_survey')
BEGIN
    UPDATE assignments
    SET name = new.title, description = new.description, due_at = new.due_at, unlock_at = new.unlock_at,
        lock_at = new.lock_at, updated_at = new.updated_at,
        workflow_state = CASE new.workflow_state
            WHEN 'available' THEN 'published' WHEN 'deleted' THEN 'deleted' ELSE 'unpublished' END,
        points_possible = (SELECT w.points FROM worth_of_quizzes w WHERE w.quiz_id = new.id)
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER quizzes_follow_question_banks AFTER UPDATE OF questions_held ON question_banks
WHEN new.questions_held <> old.questions_held BEGIN
    UPDATE quizzes SET updated_at = updated_at
    WHERE assignment_id IS NOT NULL AND id IN (
        SELECT quiz_id FROM quiz_groups WHERE assessment_question_bank_id = new.id
        GROUP BY quiz_id HAVING total(max(pick_count, 0)) >= max(old.questions_held, new.questions_held));
END;

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

CREATE TRIGGER quizzes_lose_groups AFTER DELETE ON quiz_groups BEGIN
    UPDATE quizzes SET updated_at = updated_at WHERE id = old.quiz_id AND assignment_id IS NOT NULL;
END;

CREATE TRIGGER quiz_questions_inserted AFTER INSERT ON quiz_questions WHEN new.quiz_id IS NOT NULL BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;

CREATE TRIGGER quiz_questions_updated AFTER UPDATE ON quiz_questions WHEN new.quiz_id IS NOT NULL BEGIN
    UPDATE quizzes SET last_edited_at = new.updated_at, workflow_state = replace(workflow_state, 'created', 'edited')
    WHERE id = new.quiz_id;
END;

CREATE TRIGGER question_banks_get_questions AFTER INSERT ON quiz_questions
WHEN new.question_bank_id IS NOT NULL AND new.workflow_state = 'active' AND new.question_type <> 'text_only_question' BEGIN
    UPDATE question_banks SET questions_held = questions_held + 1 WHERE id = new.question_bank_id;
END;

CREATE TRIGGER question_banks_change_questions AFTER UPDATE OF workflow_state, question_type ON quiz_questions
WHEN new.question_bank_id IS NOT NULL BEGIN
    UPDATE question_banks
    SET questions_held = questions_held + (new.workflow_state = 'active' AND new.question_type <> 'text_only_question')
        - (old.workflow_state = 'active' AND old.question_type <> 'text_only_question')
    WHERE id = new.question_bank_id;
END;

CREATE TRIGGER course_events_stay_as_they_are BEFORE UPDATE ON course_events BEGIN
    SELECT raise(ABORT, 'events of courses are not changed');
END;

CREATE TRIGGER course_events_stay BEFORE DELETE ON course_events
WHEN old.created_at > (SELECT ifnull(max(last_event_at), '') FROM course_event_cuts) BEGIN
    SELECT raise(ABORT, 'events of courses are not deleted without a recorded cut');
END;

CREATE TRIGGER course_event_cuts_stay_as_they_are BEFORE UPDATE ON course_event_cuts BEGIN
    SELECT raise(ABORT, 'cuts of events are not changed');
END;

CREATE TRIGGER course_event_cuts_stay BEFORE DELETE ON course_event_cuts BEGIN
    SELECT raise(ABORT, 'cuts of events are not deleted');
END;

CREATE TRIGGER content_migrations_belong AFTER INSERT ON content_migrations WHEN new.root_account_id IS NULL BEGIN
    UPDATE content_migrations SET root_account_id = (SELECT root_account_id FROM courses WHERE id = new.course_id)
    WHERE id = new.id;
END;

CREATE TRIGGER throttle_hits_inserted AFTER INSERT ON throttle_hits BEGIN
    DELETE FROM throttle_hits WHERE key = new.key AND until <= new.at;
END;

CREATE TRIGGER groups_have_a_root_folder AFTER INSERT ON groups BEGIN
    INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
    VALUES (NEW.root_account_id, 'Group', NEW.id, 'files', NEW.created_at, NEW.created_at);
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

CREATE TRIGGER groups_stick AFTER UPDATE OF name ON groups
WHEN new.name <> old.name AND NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field) VALUES ('Group', new.id, 'name')
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER groups_take_overrides AFTER UPDATE OF workflow_state ON groups WHEN new.workflow_state = 'deleted'
BEGIN
    DELETE FROM assignment_overrides WHERE group_id = new.id;
END;

CREATE TRIGGER group_memberships_end_uploads AFTER UPDATE OF workflow_state ON group_memberships
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE uploads SET expires_at = new.updated_at
    WHERE user_id = new.user_id AND attachment_id IS NULL AND expires_at > new.updated_at
      AND context_type = 'Group' AND context_id = new.group_id;
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

CREATE TRIGGER late_policies_follow_new_memberships AFTER INSERT ON group_memberships
WHEN NEW.workflow_state = 'accepted'
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = (SELECT g.course_id FROM groups g WHERE g.id = NEW.group_id)
      AND EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.group_id = NEW.group_id);
END;

CREATE TRIGGER late_policies_follow_memberships AFTER UPDATE OF workflow_state ON group_memberships
WHEN NEW.workflow_state <> OLD.workflow_state AND 'accepted' IN (NEW.workflow_state, OLD.workflow_state)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = (SELECT g.course_id FROM groups g WHERE g.id = NEW.group_id)
      AND EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.group_id = NEW.group_id);
END;

CREATE TRIGGER poll_submissions_are_counted AFTER INSERT ON poll_submissions BEGIN
    INSERT INTO poll_results (poll_session_id, poll_choice_id, submissions)
    VALUES (new.poll_session_id, new.poll_choice_id, 1)
    ON CONFLICT DO UPDATE SET submissions = submissions + 1;
END;

CREATE TRIGGER poll_submissions_are_discounted AFTER DELETE ON poll_submissions BEGIN
    UPDATE poll_results SET submissions = submissions - 1
    WHERE poll_session_id = old.poll_session_id AND poll_choice_id = old.poll_choice_id;
END;

CREATE TRIGGER poll_submissions_stay_as_they_are BEFORE UPDATE ON poll_submissions BEGIN
    SELECT raise(ABORT, 'submissions to polls are not changed');
END;

CREATE TRIGGER messages_of_retired_channels AFTER UPDATE OF workflow_state ON communication_channels
WHEN new.workflow_state = 'retired' BEGIN
    DELETE FROM messages WHERE channel_id = new.id AND state IN ('gathered', 'queued') AND state = 'gathered';
    UPDATE messages SET state = 'dead', failure = 'the channel was taken away', body = iif(confidential, '', body)
    WHERE channel_id = new.id AND state IN ('gathered', 'queued') AND state = 'queued';
END;

CREATE TRIGGER channels_keep_email AFTER INSERT ON communication_channels
WHEN new.type = 'email' AND new.workflow_state = 'active'
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = new.user_id)
    WHERE id = new.user_id;
END;

CREATE TRIGGER channels_keep_other_email
AFTER UPDATE OF user_id, type, address, position, workflow_state ON communication_channels
WHEN (new.type = 'email' OR old.type = 'email') AND (new.workflow_state = 'active' OR old.workflow_state = 'active')
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = users.id)
    WHERE id IN (old.user_id, new.user_id);
END;

CREATE TRIGGER channels_keep_no_email AFTER DELETE ON communication_channels
WHEN old.type = 'email' AND old.workflow_state = 'active'
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = old.user_id)
    WHERE id = old.user_id;
END;

CREATE TRIGGER messages_of_gone_devices BEFORE DELETE ON push_endpoints BEGIN
    UPDATE messages SET state = 'dead', failure = 'the device was signed off', body = iif(confidential, '', body)
    WHERE push_endpoint_id = old.id AND state = 'queued';
END;

CREATE TRIGGER messages_of_other_grades BEFORE INSERT ON messages
WHEN new.notification = 'submission_grade_changed' AND EXISTS (
    SELECT 1 FROM messages
    WHERE asset = new.asset AND notification = 'submission_graded' AND attempts = 0 AND state IN ('gathered', 'queued')
      AND channel_id = new.channel_id AND push_endpoint_id IS new.push_endpoint_id AND digest IS new.digest)
BEGIN
    UPDATE messages SET subject = new.subject, body = new.body
    WHERE asset = new.asset AND notification = 'submission_graded' AND attempts = 0 AND state IN ('gathered', 'queued')
      AND channel_id = new.channel_id AND push_endpoint_id IS new.push_endpoint_id AND digest IS new.digest;
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER messages_of_deleted_tenants BEFORE INSERT ON messages
WHEN (SELECT workflow_state FROM accounts WHERE id = new.root_account_id) = 'deleted'
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER attachments_stored AFTER INSERT ON attachments WHEN new.blob <> '' BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (new.root_account_id, 1, new.size)
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_stored_anew AFTER UPDATE OF size, blob ON attachments
WHEN new.size <> old.size OR (new.blob <> '') <> (old.blob <> '') BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (
        new.root_account_id, (new.blob <> '') - (old.blob <> ''),
        iif(new.blob <> '', new.size, 0) - iif(old.blob <> '', old.size, 0)
    )
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_stored_no_more AFTER DELETE ON attachments WHEN old.blob <> '' BEGIN
    UPDATE tenant_storage SET files = files - 1, bytes = bytes - old.size WHERE root_account_id = old.root_account_id;
END;

CREATE TRIGGER uploads_completed AFTER UPDATE OF attachment_id ON uploads WHEN new.attachment_id IS NOT NULL BEGIN
    UPDATE content_migrations SET attachment_id = new.attachment_id, workflow_state = 'pre_processed'
    WHERE upload_id = new.id AND workflow_state = 'pre_processing' AND attachment_id IS NULL;
END;

CREATE TRIGGER uploads_for_assignments AFTER UPDATE OF attachment_id ON uploads
WHEN new.attachment_id IS NOT NULL AND new.assignment_id IS NOT NULL BEGIN
    UPDATE attachments SET assignment_id = new.assignment_id WHERE id = new.attachment_id;
END;

CREATE TRIGGER submissions_are_not_missing AFTER UPDATE OF submitted_at ON submissions
WHEN NEW.submitted_at IS NOT OLD.submitted_at AND NEW.late_policy_status = 'missing'
BEGIN
    UPDATE submissions SET late_policy_status = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER submissions_have_anonymous_ids AFTER INSERT ON submissions WHEN NEW.anonymous_id IS NULL
BEGIN
    UPDATE submissions SET anonymous_id = lower(hex(randomblob(8))) WHERE id = NEW.id;
END;

CREATE TRIGGER submissions_take_messages AFTER UPDATE OF grade, is_hidden ON submissions
WHEN (new.grade IS NULL AND old.grade IS NOT NULL) OR (new.is_hidden = 1 AND old.is_hidden = 0)
BEGIN
    DELETE FROM messages
    WHERE asset = concat('submission_', new.id) AND notification IN ('submission_graded', 'submission_grade_changed')
      AND attempts = 0 AND state IN ('gathered', 'queued');
END;

CREATE TRIGGER quiz_submissions_are_regraded AFTER UPDATE OF workflow_state ON quiz_submissions
WHEN old.workflow_state = 'untaken' AND new.workflow_state <> 'untaken'
BEGIN
    UPDATE quiz_regrade_attempts SET state = 'due'
    WHERE quiz_submission_id = new.id AND attempt = new.attempt AND state = 'waiting';
END;

CREATE TRIGGER live_events_are_delivered AFTER INSERT ON live_events BEGIN
    INSERT INTO webhook_deliveries
        (root_account_id, subscription_id, tool_proxy_id, event_id, event_type, status, kept_for_tool_id, next_at, created_at,
         ended_at)
    SELECT new.root_account_id, w.id, w.tool_proxy_id, new.id, new.event_type, iif(w.status = 'active', 'pending', 'dead'),
           iif(w.status = 'active', NULL, w.tool_proxy_id), ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')),
           ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')),
           iif(w.status = 'active', NULL, ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')))
    FROM (
        SELECT 'assignment' AS type, new.assignment_id AS id
        UNION ALL
        SELECT 'course', new.course_id
        UNION ALL
        SELECT 'account', id FROM (
            WITH RECURSIVE above (id) AS (
                SELECT new.account_id
                UNION ALL
                SELECT a.parent_account_id FROM accounts a JOIN above ON a.id = above.id
                WHERE a.parent_account_id IS NOT NULL
            )
            SELECT id FROM above)
    ) place
    CROSS JOIN webhook_subscriptions w ON w.context_type = place.type AND w.context_id = place.id
    WHERE w.status <> 'deleted' AND w.root_account_id = new.root_account_id
      AND EXISTS (
          SELECT 1 FROM tool_proxies t
          WHERE t.id = w.tool_proxy_id AND t.account_id IN (
              WITH RECURSIVE above (id) AS (
                  SELECT new.account_id
                  UNION ALL
                  SELECT a.parent_account_id FROM accounts a JOIN above ON a.id = above.id
                  WHERE a.parent_account_id IS NOT NULL
              )
              SELECT id FROM above))
      AND EXISTS (SELECT 1 FROM json_each(w.event_types) WHERE value = new.event_type);
END;

CREATE TRIGGER webhook_subscriptions_end AFTER UPDATE OF status ON webhook_subscriptions
WHEN new.status = 'deleted' AND old.status <> 'deleted' BEGIN
    DELETE FROM webhook_deliveries WHERE subscription_id = new.id AND kept_for_tool_id IS NOT NULL;
END;

CREATE TRIGGER webhook_deliveries_are_kept AFTER INSERT ON webhook_deliveries WHEN new.kept_for_tool_id IS NOT NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries + 1 WHERE id = new.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries + 1 WHERE id = new.kept_for_tool_id;
    DELETE FROM webhook_deliveries
    WHERE (SELECT kept_deliveries FROM webhook_subscriptions WHERE id = new.subscription_id) > 1000
      AND id = (SELECT id FROM webhook_deliveries
                WHERE subscription_id = new.subscription_id AND kept_for_tool_id IS NOT NULL ORDER BY id LIMIT 1);
    DELETE FROM webhook_deliveries
    WHERE (SELECT kept_deliveries FROM tool_proxies WHERE id = new.kept_for_tool_id) > 10000
      AND id = (SELECT id FROM webhook_deliveries
                WHERE kept_for_tool_id = new.kept_for_tool_id ORDER BY id LIMIT 1);
END;

CREATE TRIGGER webhook_deliveries_are_sent_again AFTER UPDATE OF kept_for_tool_id ON webhook_deliveries
WHEN old.kept_for_tool_id IS NOT NULL AND new.kept_for_tool_id IS NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries - 1 WHERE id = old.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries - 1 WHERE id = old.kept_for_tool_id;
END;

CREATE TRIGGER webhook_deliveries_are_kept_no_longer AFTER DELETE ON webhook_deliveries
WHEN old.kept_for_tool_id IS NOT NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries - 1 WHERE id = old.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries - 1 WHERE id = old.kept_for_tool_id;
    DELETE FROM live_events
    WHERE id = old.event_id AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = old.event_id);
END;

CREATE TRIGGER webhook_deliveries_belong AFTER INSERT ON webhook_deliveries WHEN new.tool_proxy_id IS NULL BEGIN
    UPDATE webhook_deliveries
    SET tool_proxy_id = (SELECT s.tool_proxy_id FROM webhook_subscriptions s WHERE s.id = new.subscription_id)
    WHERE id = new.id;
END;

CREATE TRIGGER ai_conversations_counted AFTER INSERT ON ai_conversations BEGIN
    INSERT INTO ai_usage (root_account_id, month, tokens, conversations)
    SELECT root_account_id, substr(new.created_at, 1, 7), 0, 1 FROM ai_experiences WHERE id = new.ai_experience_id
    ON CONFLICT (root_account_id, month) DO UPDATE SET conversations = conversations + 1;
END;

CREATE TRIGGER ai_calls_begun AFTER INSERT ON ai_usage WHEN new.calls > 0 BEGIN
    INSERT INTO event_totals (figure, kind, total) VALUES ('model_calls', '', new.calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

CREATE TRIGGER ai_calls_counted AFTER UPDATE OF calls ON ai_usage WHEN new.calls > old.calls BEGIN
    INSERT INTO event_totals (figure, kind, total) VALUES ('model_calls', '', new.calls - old.calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

CREATE TRIGGER ai_failures_counted AFTER UPDATE OF failed_calls ON ai_usage
WHEN new.failed_calls > old.failed_calls AND new.last_failure IS NOT NULL BEGIN
    INSERT INTO event_totals (figure, kind, total)
    VALUES ('model_failures', new.last_failure, new.failed_calls - old.failed_calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

CREATE TRIGGER badge_image_of_issuer_changes AFTER UPDATE OF image ON badge_issuers
WHEN OLD.image IS NOT NULL AND OLD.image IS NOT NEW.image BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;

CREATE TRIGGER badge_image_of_issuer_goes AFTER DELETE ON badge_issuers WHEN OLD.image IS NOT NULL BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;

CREATE TRIGGER badge_image_of_class_changes AFTER UPDATE OF image ON badge_classes
WHEN OLD.image IS NOT NEW.image BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ')
    WHERE name = OLD.image AND NOT EXISTS (SELECT 1 FROM badge_classes WHERE image = OLD.image);
END;

CREATE TRIGGER badge_image_of_class_goes AFTER DELETE ON badge_classes BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ')
    WHERE name = OLD.image AND NOT EXISTS (SELECT 1 FROM badge_classes WHERE image = OLD.image);
END;

CREATE TRIGGER badge_status_of_revoked AFTER UPDATE OF revoked_at ON badge_assertions
WHEN OLD.revoked_at IS NOT NEW.revoked_at BEGIN
    UPDATE badge_issuers SET status_changes = status_changes + 1 WHERE id = NEW.issuer_id;
END;

CREATE TRIGGER badge_status_of_deleted AFTER DELETE ON badge_assertions BEGIN
    UPDATE badge_issuers SET status_changes = status_changes + 1 WHERE id = OLD.issuer_id;
END;

CREATE TRIGGER badge_image_of_import_goes AFTER DELETE ON badge_imports WHEN OLD.image IS NOT NULL BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;

CREATE TRIGGER blobs_resized AFTER UPDATE OF size ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes + new.size - old.size;
END;

CREATE TRIGGER blobs_added AFTER INSERT ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes + new.size, blobs = blobs + 1;
END;

CREATE TRIGGER blobs_removed AFTER DELETE ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes - old.size, blobs = blobs - 1;
END;

CREATE TRIGGER page_views_stay_as_they_are BEFORE UPDATE ON page_views BEGIN
    SELECT raise(ABORT, 'requests that changed courses are not changed');
END;

CREATE TRIGGER page_views_stay BEFORE DELETE ON page_views
WHEN EXISTS (SELECT 1 FROM course_events WHERE request_id = old.id) BEGIN
    SELECT raise(ABORT, 'a request is kept as long as its events');
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

CREATE TRIGGER enrollment_terms_stick AFTER UPDATE OF name, start_at, end_at ON enrollment_terms
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'EnrollmentTerm', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

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

CREATE TRIGGER quiz_sessions_are_regraded AFTER UPDATE OF state ON quiz_sessions WHEN new.state = 'submitted'
BEGIN
    UPDATE quiz_regrade_attempts SET state = 'due' WHERE session_id = new.id AND state = 'waiting';
END;

CREATE TRIGGER late_policies_follow_new_overrides AFTER INSERT ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;

CREATE TRIGGER late_policies_follow_overrides AFTER UPDATE ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;

CREATE TRIGGER late_policies_follow_deleted_overrides AFTER DELETE ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, OLD.updated_at)
    WHERE course_id = OLD.course_id;
END;

CREATE TRIGGER assignments_have_overrides AFTER INSERT ON assignment_overrides BEGIN
    UPDATE assignments SET has_overrides = 1 WHERE id = new.assignment_id AND has_overrides = 0;
END;

CREATE TRIGGER assignments_lose_overrides AFTER DELETE ON assignment_overrides BEGIN
    UPDATE assignments SET has_overrides = EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.assignment_id = old.assignment_id)
    WHERE id = old.assignment_id;
END;

CREATE TRIGGER requests_are_written_beside_events INSTEAD OF INSERT ON course_events_with_requests BEGIN
    INSERT INTO page_views
        (id, root_account_id, user_id, real_user_id, http_method, path, remote_ip, user_agent, credential, developer_key_id,
         created_at)
    SELECT new.request_id, new.root_account_id, new.user_id, new.real_user_id, new.http_method, new.path, new.remote_ip,
           new.user_agent, new.credential, new.developer_key_id, new.request_created_at
    WHERE new.request_id IS NOT NULL
    ON CONFLICT (id) DO NOTHING;
    INSERT INTO course_events
        (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data, partner_course_id,
         sis_batch_id, request_id, created_at, real_user_id)
    VALUES
        (new.id, new.root_account_id, new.account_id, new.course_id, new.user_id, new.event_type, new.event_source,
         new.event_data, new.partner_course_id, new.sis_batch_id, new.request_id, new.created_at, new.real_user_id);
END;

CREATE TRIGGER outbox_is_queued INSTEAD OF INSERT ON outbox BEGIN
    INSERT INTO live_events
        (uuid, root_account_id, account_id, course_id, assignment_id, event_type, event_time, cause, data, recorded_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9
    FROM json_each(new.events);
    INSERT INTO messages
        (root_account_id, channel_id, push_endpoint_id, type, recipient, notification, asset, subject, body, digest, state,
         due_at, created_at, confidential)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13
    FROM json_each(new.messages) WHERE true
    ON CONFLICT (channel_id, ifnull(push_endpoint_id, 0), notification, asset, ifnull(digest, ''))
        WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued')
    DO UPDATE SET subject = excluded.subject, body = excluded.body;
END;

CREATE TRIGGER submissions_are_graded INSTEAD OF UPDATE ON graded_submissions BEGIN
    UPDATE submissions
    SET score = new.score, grade = new.grade, excused = new.excused, grader_id = new.grader_id, graded_at = new.graded_at,
        graded_attempt = new.graded_attempt, workflow_state = new.workflow_state, points_deducted = new.points_deducted,
        kept_submitted_at = new.kept_submitted_at, late_policy_status = new.late_policy_status,
        seconds_late_override = new.seconds_late_override, updated_at = new.updated_at
    WHERE id = old.id;
    UPDATE submission_versions SET score = new.version ->> 'score', grade = new.version ->> 'grade'
    WHERE submission_id = old.id AND attempt = new.version ->> 'attempt';
    INSERT INTO outbox (events, messages) VALUES (new.events, new.messages);
END;

CREATE TRIGGER submissions_are_handed_in INSTEAD OF UPDATE ON handed_in_submissions BEGIN
    UPDATE submissions
    SET attempt = new.attempt, submission_type = new.submission_type, body = new.body, url = new.url,
        submitted_at = new.submitted_at, workflow_state = 'submitted', updated_at = new.updated_at
    WHERE id = old.id;
    INSERT INTO submission_versions (submission_id, attempt, submission_type, body, url, submitted_at)
    VALUES (old.id, new.attempt, new.submission_type, new.body, new.url, new.submitted_at);
    INSERT INTO submission_attachments (submission_id, attempt, position, attachment_id)
    SELECT old.id, new.attempt, key, value FROM json_each(new.attachments);
    INSERT INTO outbox (events, messages) VALUES (new.events, new.messages);
END;

CREATE TRIGGER channels_are_asked INSTEAD OF INSERT ON asked_channels BEGIN
    INSERT INTO confirmation_codes (channel_id, code_hash, created_at, expires_at)
    VALUES (new.channel_id, new.code_hash, new.created_at, new.expires_at)
    ON CONFLICT (channel_id) DO UPDATE
    SET code_hash = excluded.code_hash, tries = 0, created_at = excluded.created_at, expires_at = excluded.expires_at;
    INSERT INTO outbox (messages) VALUES (new.messages);
END;

CREATE TRIGGER channels_are_deleted INSTEAD OF UPDATE ON deleted_channels BEGIN
    UPDATE communication_channels SET workflow_state = 'retired', updated_at = new.updated_at WHERE id = old.id;
    DELETE FROM confirmation_codes WHERE channel_id = old.id;
    DELETE FROM push_endpoints WHERE channel_id = old.id;
    UPDATE communication_channels SET told_by_default = 1
    WHERE old.told_by_default
      AND id = (SELECT id FROM communication_channels WHERE user_id = old.user_id AND workflow_state = 'active'
                ORDER BY type <> 'email', position, id LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM communication_channels told
                      WHERE told.user_id = old.user_id AND told.workflow_state = 'active' AND told.told_by_default);
    UPDATE users SET email = NULL, updated_at = new.updated_at
    WHERE old.type = 'email' AND id = old.user_id AND email = old.address COLLATE NOCASE;
    INSERT INTO outbox (messages) VALUES (new.messages);
END;
