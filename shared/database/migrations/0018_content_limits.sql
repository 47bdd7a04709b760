-- Limits of exports and imports: what a user keeps is counted, and a package that was read is of no use any more.

CREATE INDEX content_exports_kept ON content_exports (user_id, id) WHERE attachment_id IS NOT NULL;

UPDATE attachments SET workflow_state = 'deleted'
WHERE context_type = 'ContentMigration' AND workflow_state = 'available'
AND context_id IN (SELECT id FROM content_migrations WHERE workflow_state IN ('completed', 'failed'));
