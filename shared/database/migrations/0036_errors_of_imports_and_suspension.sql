-- The messages of an import as a CSV file, which is kept as long as its other files. An empty name: the bytes are gone.
ALTER TABLE sis_imports ADD COLUMN errors_blob TEXT;
ALTER TABLE sis_imports ADD COLUMN errors_uuid TEXT;
ALTER TABLE sis_imports ADD COLUMN errors_size INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sis_imports_by_errors_blob ON sis_imports (errors_blob) WHERE errors_blob IS NOT NULL;

-- A login that lets nobody in for now, and keeps its name. A user is suspended whose every login is.
ALTER TABLE pseudonyms ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1));
CREATE INDEX pseudonyms_suspended ON pseudonyms (user_id) WHERE suspended = 1;
CREATE VIEW suspended_users (user_id) AS
SELECT p.user_id FROM pseudonyms p
WHERE p.suspended = 1 AND p.workflow_state = 'active'
  AND NOT EXISTS (
      SELECT 1 FROM pseudonyms o WHERE o.user_id = p.user_id AND o.suspended = 0 AND o.workflow_state = 'active'
);

DROP TRIGGER pseudonyms_stick;
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
