-- What an operator watches: when the last tick ended, how many blobs there are, and what has failed.

-- One row: when the last tick ended, null where none has yet, and in how many areas the jobs failed that it called for.
CREATE TABLE ticks (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ended_at TEXT,
    failed_areas INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO ticks (id) VALUES (1);

-- How many blobs there are: triggers count, so that none of them has to be looked at.
ALTER TABLE blob_totals ADD COLUMN blobs INTEGER NOT NULL DEFAULT 0;
UPDATE blob_totals SET blobs = (SELECT count(*) FROM blobs);

DROP TRIGGER blobs_added;
CREATE TRIGGER blobs_added AFTER INSERT ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes + new.size, blobs = blobs + 1;
END;

DROP TRIGGER blobs_removed;
CREATE TRIGGER blobs_removed AFTER DELETE ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes - old.size, blobs = blobs - 1;
END;

CREATE INDEX messages_dead ON messages (id) WHERE state = 'dead';
CREATE INDEX sis_imports_failed ON sis_imports (ended_at)
WHERE workflow_state IN ('failed', 'failed_with_messages');
CREATE INDEX content_exports_failed ON content_exports (created_at) WHERE workflow_state = 'failed';
CREATE INDEX content_migrations_failed ON content_migrations (finished_at) WHERE workflow_state = 'failed';
