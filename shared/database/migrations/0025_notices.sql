-- For which due date students were told that it comes near.
ALTER TABLE assignments ADD COLUMN alerted_due_at TEXT;
CREATE INDEX assignments_to_alert ON assignments (due_at)
WHERE workflow_state = 'published' AND due_at IS NOT NULL AND alerted_due_at IS NOT due_at;

-- Whoever hands something in does not go through all who are in the course to find those who teach.
CREATE INDEX enrollments_of_teachers ON enrollments (course_id, user_id)
WHERE type IN ('TeacherEnrollment', 'TaEnrollment') AND workflow_state = 'active';
