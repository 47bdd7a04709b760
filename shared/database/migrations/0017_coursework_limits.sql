-- For which assignment a file was uploaded, and which results of a quiz a student has seen.

-- The row of an upload tells it too, but is kept no longer than the upload takes.
ALTER TABLE attachments ADD COLUMN assignment_id INTEGER REFERENCES assignments (id);

UPDATE attachments
SET assignment_id = (SELECT u.assignment_id FROM uploads u WHERE u.attachment_id = attachments.id)
WHERE id IN (SELECT attachment_id FROM uploads WHERE assignment_id IS NOT NULL);

CREATE TRIGGER uploads_for_assignments AFTER UPDATE OF attachment_id ON uploads
WHEN new.attachment_id IS NOT NULL AND new.assignment_id IS NOT NULL BEGIN
    UPDATE attachments SET assignment_id = new.assignment_id WHERE id = new.attachment_id;
END;

-- Of a quiz that shows results once: the last attempt whose results were shown.
ALTER TABLE quiz_submissions ADD COLUMN results_seen_attempt INTEGER;

CREATE INDEX question_banks_by_user ON question_banks (user_id, id) WHERE user_id IS NOT NULL;
