-- What happens to courses: the audit log, and the copies of courses.

-- Events are added, and neither changed nor taken away.
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
    created_at TEXT NOT NULL,
    CHECK ((event_type IN ('copied_from', 'copied_to', 'reset_from', 'reset_to')) = (partner_course_id IS NOT NULL))
) STRICT;
CREATE INDEX course_events_by_course ON course_events (course_id, created_at DESC, id DESC);
CREATE INDEX course_events_by_account ON course_events (account_id, created_at DESC, id DESC);
CREATE TRIGGER course_events_stay_as_they_are BEFORE UPDATE ON course_events BEGIN
    SELECT raise(ABORT, 'events of courses are not changed');
END;
CREATE TRIGGER course_events_stay BEFORE DELETE ON course_events BEGIN
    SELECT raise(ABORT, 'events of courses are not deleted');
END;

CREATE TABLE content_migrations (
    id INTEGER PRIMARY KEY,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    migration_type TEXT NOT NULL,
    source_course_id INTEGER REFERENCES courses (id),
    workflow_state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT
) STRICT;
CREATE INDEX content_migrations_by_course ON content_migrations (course_id, id);

-- Which id a record's copy has. It holds something only while a transaction copies.
CREATE TABLE copied_records (
    kind TEXT NOT NULL,
    old_id INTEGER NOT NULL,
    new_id INTEGER NOT NULL,
    PRIMARY KEY (kind, old_id)
) STRICT, WITHOUT ROWID;
