-- What waits to be told of a grade or an assignment goes when it is no longer so.
CREATE INDEX messages_waiting_about ON messages (asset, notification)
WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued');

-- A grade that is taken back or hidden is told to nobody.
CREATE TRIGGER submissions_take_messages AFTER UPDATE OF grade, is_hidden ON submissions
WHEN (new.grade IS NULL AND old.grade IS NOT NULL) OR (new.is_hidden = 1 AND old.is_hidden = 0)
BEGIN
    DELETE FROM messages
    WHERE asset = concat('submission_', new.id) AND notification IN ('submission_graded', 'submission_grade_changed')
      AND attempts = 0 AND state IN ('gathered', 'queued');
END;

-- Another grade in the time in which the first one waits takes its place.
CREATE TRIGGER messages_of_other_grades BEFORE INSERT ON messages
WHEN new.notification = 'submission_grade_changed' AND EXISTS (
    SELECT 1 FROM messages
    WHERE asset = new.asset AND notification = 'submission_graded' AND attempts = 0 AND state IN ('gathered', 'queued')
      AND channel_id = new.channel_id AND push_endpoint_id IS new.push_endpoint_id AND digest IS new.digest)
BEGIN
    UPDATE messages SET subject = new.subject, body = new.body
    WHERE asset = new.asset AND notification = 'submission_graded' AND attempts = 0 AND state IN ('gathered', 'queued')
      AND channel_id = new.channel_id AND push_endpoint_id IS new.push_endpoint_id AND digest IS new.digest;
    SELECT RAISE(IGNORE);
END;

-- Of an assignment that is deleted or no longer published nothing is told, nor of what was handed in.
CREATE TRIGGER assignments_take_messages AFTER UPDATE OF workflow_state ON assignments
WHEN old.workflow_state = 'published' AND new.workflow_state <> 'published'
BEGIN
    DELETE FROM messages WHERE asset = concat('assignment_', new.id) AND attempts = 0 AND state IN ('gathered', 'queued');
    DELETE FROM messages
    WHERE asset IN (SELECT concat('submission_', s.id) FROM submissions s WHERE s.assignment_id = new.id)
      AND attempts = 0 AND state IN ('gathered', 'queued');
END;

-- Who has left a course is told nothing of its work.
CREATE TRIGGER enrollments_take_messages AFTER UPDATE OF workflow_state ON enrollments
WHEN old.workflow_state = 'active' AND new.workflow_state IN ('deleted', 'inactive') AND NOT EXISTS (
    SELECT 1 FROM enrollments e
    WHERE e.user_id = new.user_id AND e.course_id = new.course_id AND e.workflow_state = 'active')
BEGIN
    DELETE FROM messages WHERE id IN (
        SELECT m.id FROM communication_channels c CROSS JOIN messages m ON m.channel_id = c.id
        WHERE c.user_id = new.user_id AND m.asset IS NOT NULL AND m.attempts = 0 AND m.state IN ('gathered', 'queued')
          AND new.course_id = CASE substr(m.asset, 1, 11)
              WHEN 'submission_' THEN (SELECT course_id FROM submissions WHERE id = CAST(substr(m.asset, 12) AS INTEGER))
              WHEN 'assignment_' THEN (SELECT course_id FROM assignments WHERE id = CAST(substr(m.asset, 12) AS INTEGER))
              END);
END;
