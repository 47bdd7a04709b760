-- What is known of the bytes in the key-value store, uploads that are claimed, and groups that end with the enrollment.

-- A row for each blob: written before its first byte and deleted after its last, so that no byte is there unknown.
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

-- One row: how many bytes all blobs have together, and up to which blob the search for those that nothing names has come.
CREATE TABLE blob_totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bytes INTEGER NOT NULL,
    searched_to INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What is there already. Of what is being written nobody knows the size: it is found when it is removed.
INSERT INTO blobs (name, size, touched_at)
SELECT name, max(size), strftime('%Y-%m-%dT%H:%M:%SZ') FROM (
    SELECT blob AS name, size FROM attachments WHERE blob <> ''
    UNION ALL
    SELECT blob, size FROM media_objects
    UNION ALL
    SELECT 'badge-images/' || name, size FROM badge_images
    UNION ALL
    SELECT upload, upload_size FROM sis_imports WHERE upload IS NOT NULL
    UNION ALL
    SELECT f.blob, f.size FROM sis_import_files f JOIN sis_imports i ON i.id = f.sis_import_id WHERE i.upload IS NOT NULL
    UNION ALL
    SELECT blob, 0 FROM blobs_in_writing
) GROUP BY name;
DROP TABLE blobs_in_writing;

INSERT INTO blob_totals (id, bytes) SELECT 1, ifnull(sum(size), 0) FROM blobs;

CREATE TRIGGER blobs_added AFTER INSERT ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes + new.size;
END;

CREATE TRIGGER blobs_resized AFTER UPDATE OF size ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes + new.size - old.size;
END;

CREATE TRIGGER blobs_removed AFTER DELETE ON blobs BEGIN
    UPDATE blob_totals SET bytes = bytes - old.size;
END;

-- Whether something names a blob is asked for each of them.
CREATE INDEX media_objects_by_blob ON media_objects (blob);
CREATE INDEX sis_imports_by_upload ON sis_imports (upload) WHERE upload IS NOT NULL;
CREATE INDEX sis_import_files_by_blob ON sis_import_files (blob);

-- Who sends the bytes of an upload at the moment, until when nobody else may, and the blob that they go to.
ALTER TABLE uploads ADD COLUMN claim TEXT;
ALTER TABLE uploads ADD COLUMN claimed_until TEXT;
ALTER TABLE uploads ADD COLUMN blob TEXT;
CREATE INDEX uploads_by_blob ON uploads (blob) WHERE blob IS NOT NULL;
CREATE INDEX uploads_pending_by_owner ON uploads (context_type, context_id) WHERE attachment_id IS NULL;
CREATE INDEX uploads_pending_by_user ON uploads (user_id) WHERE attachment_id IS NULL;

-- Who leaves a course leaves its groups, whoever ends the last enrollment: staff, an import, the end of a section.
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

-- Addresses that still take files for the course or its groups end with the enrollment.
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

CREATE TRIGGER group_memberships_end_uploads AFTER UPDATE OF workflow_state ON group_memberships
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE uploads SET expires_at = new.updated_at
    WHERE user_id = new.user_id AND attachment_id IS NULL AND expires_at > new.updated_at
      AND context_type = 'Group' AND context_id = new.group_id;
END;

-- Those whose last enrollment has ended already.
UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0
WHERE workflow_state <> 'deleted' AND EXISTS (
    SELECT 1 FROM groups g
    WHERE g.id = group_memberships.group_id AND g.course_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM enrollments e
        WHERE e.user_id = group_memberships.user_id AND e.course_id = g.course_id
          AND e.workflow_state NOT IN ('deleted', 'rejected')
    )
);
