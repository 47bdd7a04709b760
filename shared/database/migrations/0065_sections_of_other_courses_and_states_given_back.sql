-- The sections that belong to a course and are taught in another one.
CREATE INDEX course_sections_by_home ON course_sections (nonxlist_course_id) WHERE nonxlist_course_id IS NOT NULL;

-- An import is taken back record by record, so that each record makes one step whatever the import has done to it: first
-- what goes, from what is inside to what is around it, then what comes back, the other way round.
CREATE INDEX sis_import_changes_by_record ON sis_import_changes (sis_import_id, record_type, record_id, id);

-- The stage at which the work is, and the last record of that stage that is done. `changes_from`, `changes_to` and `restored_from`
-- tell earlier releases, which may work on it meanwhile, where they are.
ALTER TABLE sis_restorations ADD COLUMN stage INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sis_restorations ADD COLUMN record_id INTEGER NOT NULL DEFAULT 0;
-- The number of records that were looked at; each is so twice.
ALTER TABLE sis_restorations ADD COLUMN looked_at INTEGER NOT NULL DEFAULT 0;

-- The first term of a course is no change, nor is another one in the place of a term that is deleted.
DROP TRIGGER courses_stick;
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
