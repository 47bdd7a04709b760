-- The files of an owner that are there, and what they weigh: those that are gone are not gone through.
CREATE INDEX attachments_there ON attachments (context_type, context_id, size) WHERE workflow_state = 'available';

-- What a user has announced within the time for which an address is good, whether it has come or not.
CREATE INDEX uploads_by_user ON uploads (user_id, expires_at, attachment_id);

-- Whatever names a file, so that the row of a deleted one that nothing names can go.
CREATE INDEX submission_attachments_by_file ON submission_attachments (attachment_id);
CREATE INDEX uploads_by_file ON uploads (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX content_exports_by_file ON content_exports (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX content_migrations_by_file ON content_migrations (attachment_id) WHERE attachment_id IS NOT NULL;
DELETE FROM attachments
WHERE workflow_state = 'deleted' AND blob = '' AND id NOT IN (
    SELECT attachment_id FROM submission_attachments
    UNION
    SELECT attachment_id FROM uploads WHERE attachment_id IS NOT NULL
    UNION
    SELECT attachment_id FROM content_exports WHERE attachment_id IS NOT NULL
    UNION
    SELECT attachment_id FROM content_migrations WHERE attachment_id IS NOT NULL
);

-- Who comes back takes up the membership and the enrollment that were there.
CREATE INDEX group_memberships_ended ON group_memberships (group_id, user_id) WHERE workflow_state = 'deleted';
CREATE INDEX enrollments_ended ON enrollments (course_section_id, user_id, type) WHERE workflow_state = 'deleted';
