-- What an operator watches: calls of the model, limits that were hit, what deliveries have sent, and imports by tenant.

-- What has happened in the whole installation since it has this table, by figure and kind. It only grows.
CREATE TABLE event_totals (
    figure TEXT NOT NULL,
    kind TEXT NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (figure, kind)
) STRICT, WITHOUT ROWID;

-- How much of a tenant's month were conversations, calls of the model, and calls that failed.
ALTER TABLE ai_usage ADD COLUMN conversations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ai_usage ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ai_usage ADD COLUMN failed_calls INTEGER NOT NULL DEFAULT 0;
-- The kind of the latest failure.
ALTER TABLE ai_usage ADD COLUMN last_failure TEXT;

INSERT INTO ai_usage (root_account_id, month, tokens, conversations)
SELECT e.root_account_id, substr(c.created_at, 1, 7), 0, count(*)
FROM ai_conversations c JOIN ai_experiences e ON e.id = c.ai_experience_id WHERE true GROUP BY 1, 2
ON CONFLICT (root_account_id, month) DO UPDATE SET conversations = excluded.conversations;

CREATE TRIGGER ai_conversations_counted AFTER INSERT ON ai_conversations BEGIN
    INSERT INTO ai_usage (root_account_id, month, tokens, conversations)
    SELECT root_account_id, substr(new.created_at, 1, 7), 0, 1 FROM ai_experiences WHERE id = new.ai_experience_id
    ON CONFLICT (root_account_id, month) DO UPDATE SET conversations = conversations + 1;
END;

CREATE TRIGGER ai_calls_begun AFTER INSERT ON ai_usage WHEN new.calls > 0 BEGIN
    INSERT INTO event_totals (figure, kind, total) VALUES ('model_calls', '', new.calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

CREATE TRIGGER ai_calls_counted AFTER UPDATE OF calls ON ai_usage WHEN new.calls > old.calls BEGIN
    INSERT INTO event_totals (figure, kind, total) VALUES ('model_calls', '', new.calls - old.calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

CREATE TRIGGER ai_failures_counted AFTER UPDATE OF failed_calls ON ai_usage
WHEN new.failed_calls > old.failed_calls AND new.last_failure IS NOT NULL BEGIN
    INSERT INTO event_totals (figure, kind, total)
    VALUES ('model_failures', new.last_failure, new.failed_calls - old.failed_calls)
    ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total;
END;

-- What an attempt has sent: a JSON list of headers with `name` and `value`, the beginning of the body, and the bytes of all
-- of it. Null where nothing was sent, and of attempts before this migration.
ALTER TABLE webhook_attempts ADD COLUMN request_headers TEXT;
ALTER TABLE webhook_attempts ADD COLUMN request_body TEXT;
ALTER TABLE webhook_attempts ADD COLUMN request_bytes INTEGER;
-- Why no answer came: for those who run the installation alone.
ALTER TABLE webhook_attempts ADD COLUMN reason TEXT;

-- The attempts that were made before it was sent again by hand: `attempts` begins anew then, with the schedule.
ALTER TABLE webhook_deliveries ADD COLUMN earlier_attempts INTEGER NOT NULL DEFAULT 0;
UPDATE webhook_deliveries
SET earlier_attempts = (SELECT count(*) FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id) - attempts
WHERE (SELECT count(*) FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id) > attempts;

-- The tenant of an import, by which its administrators find it.
ALTER TABLE content_migrations ADD COLUMN root_account_id INTEGER REFERENCES accounts (id);
UPDATE content_migrations SET root_account_id = (SELECT root_account_id FROM courses WHERE id = course_id);
CREATE TRIGGER content_migrations_belong AFTER INSERT ON content_migrations WHEN new.root_account_id IS NULL BEGIN
    UPDATE content_migrations SET root_account_id = (SELECT root_account_id FROM courses WHERE id = new.course_id)
    WHERE id = new.id;
END;
CREATE INDEX content_migrations_by_root_account ON content_migrations (root_account_id, id);
CREATE INDEX developer_keys_by_root_account ON developer_keys (root_account_id, id) WHERE workflow_state = 'active';
