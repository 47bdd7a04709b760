-- Pages, folders, files and their uploads, work whose progress can be watched, exports, and packages that come in.

-- What belongs to a course, a group or a user. Each has a tree of folders with one root.
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

-- Files. Their bytes lie in the key-value store.
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
) STRICT;
CREATE INDEX attachments_by_context ON attachments (context_type, context_id, id);
CREATE INDEX attachments_by_blob ON attachments (blob);
CREATE INDEX attachments_to_remove ON attachments (updated_at) WHERE workflow_state = 'deleted' AND blob <> '';
CREATE UNIQUE INDEX attachments_by_name ON attachments (folder_id, display_name COLLATE NOCASE)
WHERE folder_id IS NOT NULL AND workflow_state = 'available';

-- Uploads that were announced, and what became of them.
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
) STRICT;
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- Bytes that are being written and that no file names yet: what a crash leaves behind is found here.
CREATE TABLE blobs_in_writing (
    blob TEXT PRIMARY KEY,
    started_at TEXT NOT NULL
) STRICT;

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

-- How far work has come that runs after the answer.
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
) STRICT;
CREATE INDEX content_exports_by_context ON content_exports (context_type, context_id, id);
CREATE INDEX content_exports_to_do ON content_exports (id) WHERE workflow_state IN ('created', 'exporting');
CREATE INDEX content_exports_by_expiry ON content_exports (expires_at) WHERE attachment_id IS NOT NULL;

-- Packages that come in. A copy of a course is whole at once and needs none of this.
ALTER TABLE content_migrations ADD COLUMN upload_id INTEGER REFERENCES uploads (id);
ALTER TABLE content_migrations ADD COLUMN attachment_id INTEGER REFERENCES attachments (id);
ALTER TABLE content_migrations ADD COLUMN progress_id INTEGER REFERENCES progresses (id);
ALTER TABLE content_migrations ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE content_migrations ADD COLUMN lease TEXT;
ALTER TABLE content_migrations ADD COLUMN leased_until TEXT;
ALTER TABLE content_migrations ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
CREATE INDEX content_migrations_to_do ON content_migrations (id)
WHERE workflow_state IN ('pre_processing', 'pre_processed', 'running');
CREATE INDEX content_migrations_by_upload ON content_migrations (upload_id) WHERE upload_id IS NOT NULL;

-- The package of an import has come.
CREATE TRIGGER uploads_completed AFTER UPDATE OF attachment_id ON uploads WHEN new.attachment_id IS NOT NULL BEGIN
    UPDATE content_migrations SET attachment_id = new.attachment_id, workflow_state = 'pre_processed'
    WHERE upload_id = new.id AND workflow_state = 'pre_processing' AND attachment_id IS NULL;
END;

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
