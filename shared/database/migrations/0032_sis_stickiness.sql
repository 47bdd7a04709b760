-- Fields of records that somebody has changed in the product: imports leave them as they are, unless told otherwise.

CREATE TABLE sis_sticky_fields (
    record_type TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    -- The column.
    field TEXT NOT NULL,
    PRIMARY KEY (record_type, record_id, field)
) STRICT, WITHOUT ROWID;

-- 1 in a transaction that gives records former states, and never outside of one.
ALTER TABLE sis_restorations ADD COLUMN at_work INTEGER NOT NULL DEFAULT 0 CHECK (at_work IN (0, 1));

-- A row where the changes of this transaction are those of an import, or of one that is taken back.
CREATE VIEW sis_changes_that_do_not_stick AS
SELECT id FROM sis_imports WHERE at_work = 1 AND NOT ifnull(options ->> 'add_sis_stickiness', 0)
UNION ALL
SELECT id FROM sis_restorations WHERE at_work = 1;

CREATE TRIGGER accounts_stick AFTER UPDATE OF name, parent_account_id ON accounts
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Account', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'parent_account_id' WHERE new.parent_account_id IS NOT old.parent_account_id) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER enrollment_terms_stick AFTER UPDATE OF name, start_at, end_at ON enrollment_terms
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'EnrollmentTerm', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER users_stick AFTER UPDATE OF name, sortable_name, short_name ON users
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'User', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'sortable_name' WHERE new.sortable_name <> old.sortable_name
          UNION ALL SELECT 'short_name' WHERE new.short_name <> old.short_name) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER pseudonyms_stick AFTER UPDATE OF unique_id, workflow_state ON pseudonyms
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Pseudonym', new.id, changed.field
    FROM (SELECT 'unique_id' AS field WHERE new.unique_id <> old.unique_id
          UNION ALL SELECT 'workflow_state' WHERE new.workflow_state <> old.workflow_state) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

-- The first term of a course is no change.
CREATE TRIGGER courses_stick
AFTER UPDATE OF name, course_code, account_id, enrollment_term_id, workflow_state, start_at, end_at ON courses
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'Course', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'course_code' WHERE new.course_code <> old.course_code
          UNION ALL SELECT 'account_id' WHERE new.account_id <> old.account_id
          UNION ALL SELECT 'enrollment_term_id'
                    WHERE old.enrollment_term_id IS NOT NULL AND new.enrollment_term_id IS NOT old.enrollment_term_id
          UNION ALL SELECT 'workflow_state' WHERE new.workflow_state <> old.workflow_state
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

-- Nobody but an import moves a section: with a course that is reset it only gets another number of the same course.
CREATE TRIGGER course_sections_stick AFTER UPDATE OF name, start_at, end_at, course_id ON course_sections
WHEN NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field)
    SELECT 'CourseSection', new.id, changed.field
    FROM (SELECT 'name' AS field WHERE new.name <> old.name
          UNION ALL SELECT 'start_at' WHERE new.start_at IS NOT old.start_at
          UNION ALL SELECT 'end_at' WHERE new.end_at IS NOT old.end_at
          UNION ALL SELECT 'course_id'
                    WHERE new.course_id <> old.course_id AND EXISTS (SELECT 1 FROM sis_imports WHERE at_work = 1)
         ) AS changed
    WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER groups_stick AFTER UPDATE OF name ON groups
WHEN new.name <> old.name AND NOT EXISTS (SELECT 1 FROM sis_changes_that_do_not_stick) BEGIN
    INSERT INTO sis_sticky_fields (record_type, record_id, field) VALUES ('Group', new.id, 'name')
    ON CONFLICT DO NOTHING;
END;
