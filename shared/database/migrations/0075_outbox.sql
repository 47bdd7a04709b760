-- What a change leaves to be sent, as lists of rows: events for tools, and messages for users.
CREATE VIEW outbox (events, messages) AS SELECT NULL, NULL WHERE 0;

CREATE TRIGGER outbox_is_queued INSTEAD OF INSERT ON outbox BEGIN
    INSERT INTO live_events
        (uuid, root_account_id, account_id, course_id, assignment_id, event_type, event_time, cause, data, recorded_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9
    FROM json_each(new.events);
    INSERT INTO messages
        (root_account_id, channel_id, push_endpoint_id, type, recipient, notification, asset, subject, body, digest, state,
         due_at, created_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9, value ->> 10, value ->> 11, value ->> 12
    FROM json_each(new.messages) WHERE true
    ON CONFLICT (channel_id, ifnull(push_endpoint_id, 0), notification, asset, ifnull(digest, ''))
        WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued')
    DO UPDATE SET subject = excluded.subject, body = excluded.body;
END;

-- A grade, with that of the attempt that it is of, and what is told of it, are one statement.
CREATE VIEW graded_submissions AS
SELECT id, score, grade, excused, grader_id, graded_at, graded_attempt, workflow_state, points_deducted, kept_submitted_at,
       late_policy_status, seconds_late_override, updated_at, NULL AS version, NULL AS events, NULL AS messages
FROM submissions;

CREATE TRIGGER submissions_are_graded INSTEAD OF UPDATE ON graded_submissions BEGIN
    UPDATE submissions
    SET score = new.score, grade = new.grade, excused = new.excused, grader_id = new.grader_id, graded_at = new.graded_at,
        graded_attempt = new.graded_attempt, workflow_state = new.workflow_state, points_deducted = new.points_deducted,
        kept_submitted_at = new.kept_submitted_at, late_policy_status = new.late_policy_status,
        seconds_late_override = new.seconds_late_override, updated_at = new.updated_at
    WHERE id = old.id;
    UPDATE submission_versions SET score = new.version ->> 'score', grade = new.version ->> 'grade'
    WHERE submission_id = old.id AND attempt = new.version ->> 'attempt';
    INSERT INTO outbox (events, messages) VALUES (new.events, new.messages);
END;

-- The same of work that is handed in: the attempt, its version, its files.
CREATE VIEW handed_in_submissions AS
SELECT id, attempt, submission_type, body, url, submitted_at, updated_at, NULL AS attachments, NULL AS events, NULL AS messages
FROM submissions;

CREATE TRIGGER submissions_are_handed_in INSTEAD OF UPDATE ON handed_in_submissions BEGIN
    UPDATE submissions
    SET attempt = new.attempt, submission_type = new.submission_type, body = new.body, url = new.url,
        submitted_at = new.submitted_at, workflow_state = 'submitted', updated_at = new.updated_at
    WHERE id = old.id;
    INSERT INTO submission_versions (submission_id, attempt, submission_type, body, url, submitted_at)
    VALUES (old.id, new.attempt, new.submission_type, new.body, new.url, new.submitted_at);
    INSERT INTO submission_attachments (submission_id, attempt, position, attachment_id)
    SELECT old.id, new.attempt, key, value FROM json_each(new.attachments);
    INSERT INTO outbox (events, messages) VALUES (new.events, new.messages);
END;
