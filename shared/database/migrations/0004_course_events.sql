-- What happens to courses: the audit log, and the copies of courses.

-- Events are added and not changed. What is older than an installation keeps is cut off, and each cut is recorded.
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
CREATE INDEX course_events_by_time ON course_events (created_at);

CREATE TABLE course_event_cuts (
    id INTEGER PRIMARY KEY,
    -- The time of the last event that was cut off, and how many went with it.
    last_event_at TEXT NOT NULL,
    events INTEGER NOT NULL,
    cut_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER course_event_cuts_stay_as_they_are BEFORE UPDATE ON course_event_cuts BEGIN
    SELECT raise(ABORT, 'cuts of events are not changed');
END;
CREATE TRIGGER course_event_cuts_stay BEFORE DELETE ON course_event_cuts BEGIN
    SELECT raise(ABORT, 'cuts of events are not deleted');
END;
CREATE TRIGGER course_events_stay BEFORE DELETE ON course_events
WHEN old.created_at > (SELECT ifnull(max(last_event_at), '') FROM course_event_cuts) BEGIN
    SELECT raise(ABORT, 'events of courses are not deleted without a recorded cut');
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
