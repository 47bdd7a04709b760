-- Each tenant has a term for courses that are given none. It stays.

ALTER TABLE enrollment_terms ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1));
CREATE UNIQUE INDEX enrollment_terms_default ON enrollment_terms (root_account_id) WHERE is_default = 1;

INSERT INTO enrollment_terms (root_account_id, name, is_default, created_at, updated_at)
SELECT id, 'Default Term', 1, created_at, created_at FROM accounts WHERE id = root_account_id;
UPDATE courses
SET enrollment_term_id = (SELECT t.id FROM enrollment_terms t
                          WHERE t.root_account_id = courses.root_account_id AND t.is_default = 1)
WHERE enrollment_term_id IS NULL;

CREATE TRIGGER accounts_have_a_default_term AFTER INSERT ON accounts WHEN new.id = new.root_account_id BEGIN
    INSERT INTO enrollment_terms (root_account_id, name, is_default, created_at, updated_at)
    VALUES (new.id, 'Default Term', 1, new.created_at, new.created_at);
END;

CREATE TRIGGER courses_have_a_term AFTER INSERT ON courses WHEN new.enrollment_term_id IS NULL BEGIN
    UPDATE courses
    SET enrollment_term_id = (SELECT t.id FROM enrollment_terms t
                              WHERE t.root_account_id = new.root_account_id AND t.is_default = 1)
    WHERE id = new.id;
END;

-- The files of an import stay for a while after its end, but for those with passwords. An empty name: the bytes are gone.
ALTER TABLE sis_import_files ADD COLUMN uuid TEXT;
ALTER TABLE sis_import_files ADD COLUMN has_passwords INTEGER NOT NULL DEFAULT 0 CHECK (has_passwords IN (0, 1));
UPDATE sis_import_files SET uuid = lower(hex(randomblob(16)));
UPDATE sis_import_files SET blob = '' WHERE sis_import_id IN (SELECT id FROM sis_imports WHERE upload IS NULL);
