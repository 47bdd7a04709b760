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
         due_at, created_at, confidential)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13
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

-- A channel whose owner is asked for a code: the code before it is good no more.
CREATE VIEW asked_channels (channel_id, code_hash, created_at, expires_at, messages) AS
SELECT NULL, NULL, NULL, NULL, NULL WHERE 0;

CREATE TRIGGER channels_are_asked INSTEAD OF INSERT ON asked_channels BEGIN
    INSERT INTO confirmation_codes (channel_id, code_hash, created_at, expires_at)
    VALUES (new.channel_id, new.code_hash, new.created_at, new.expires_at)
    ON CONFLICT (channel_id) DO UPDATE
    SET code_hash = excluded.code_hash, tries = 0, created_at = excluded.created_at, expires_at = excluded.expires_at;
    INSERT INTO outbox (messages) VALUES (new.messages);
END;

-- A channel that is taken away, with its code and its devices. Another is told by default, if this one was: the first e-mail
-- channel, or else the first. Who takes an address away has chosen another one.
CREATE VIEW deleted_channels AS
SELECT id, user_id, type, address, told_by_default, workflow_state, updated_at, NULL AS messages FROM communication_channels;

CREATE TRIGGER channels_are_deleted INSTEAD OF UPDATE ON deleted_channels BEGIN
    UPDATE communication_channels SET workflow_state = 'retired', updated_at = new.updated_at WHERE id = old.id;
    DELETE FROM confirmation_codes WHERE channel_id = old.id;
    DELETE FROM push_endpoints WHERE channel_id = old.id;
    UPDATE communication_channels SET told_by_default = 1
    WHERE old.told_by_default
      AND id = (SELECT id FROM communication_channels WHERE user_id = old.user_id AND workflow_state = 'active'
                ORDER BY type <> 'email', position, id LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM communication_channels told
                      WHERE told.user_id = old.user_id AND told.workflow_state = 'active' AND told.told_by_default);
    UPDATE users SET email = NULL, updated_at = new.updated_at
    WHERE old.type = 'email' AND id = old.user_id AND email = old.address COLLATE NOCASE;
    INSERT INTO outbox (messages) VALUES (new.messages);
END;
