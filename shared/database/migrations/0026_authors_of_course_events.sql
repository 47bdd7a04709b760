-- The administrator who acted as the user of an event, or as the one who began an import.
ALTER TABLE course_events ADD COLUMN real_user_id INTEGER REFERENCES users (id);
ALTER TABLE sis_imports ADD COLUMN real_user_id INTEGER REFERENCES users (id);

-- Requests that changed courses, each kept as long as its events.
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
CREATE INDEX course_events_by_request ON course_events (request_id) WHERE request_id IS NOT NULL;
CREATE TRIGGER page_views_stay_as_they_are BEFORE UPDATE ON page_views BEGIN
    SELECT raise(ABORT, 'requests that changed courses are not changed');
END;
CREATE TRIGGER page_views_stay BEFORE DELETE ON page_views
WHEN EXISTS (SELECT 1 FROM course_events WHERE request_id = old.id) BEGIN
    SELECT raise(ABORT, 'a request is kept as long as its events');
END;
