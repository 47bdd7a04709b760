-- Bounds on what is kept of error reports, ends of deliveries, and messages that say what became of them.

-- About how many bytes a report takes: so much is taken of one reporter within a day, and of all who are not known.
ALTER TABLE error_reports ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX error_reports_by_day ON error_reports (user_id, created_at, bytes);

-- The administrators of a tenant are shown reports of its users alone.
DROP INDEX error_reports_by_account;
DROP INDEX error_reports_by_state;
CREATE INDEX error_reports_by_account ON error_reports (root_account_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX error_reports_by_state ON error_reports (root_account_id, workflow_state, id) WHERE user_id IS NOT NULL;

-- Subscriptions that a tool has at present: their number is limited.
CREATE INDEX webhook_subscriptions_present ON webhook_subscriptions (tool_proxy_id, id) WHERE status <> 'deleted';
CREATE INDEX webhook_subscriptions_ended ON webhook_subscriptions (updated_at) WHERE status = 'deleted';
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (subscription_id, id) WHERE status = 'dead';

-- event_types is from now on what the tool may be told of, of what the parameters ask for: a capability that was taken away
-- before counts too. The vendor in a capability is one word.
UPDATE webhook_subscriptions
SET event_types = (
    SELECT json_group_array(name) FROM (
        SELECT DISTINCT upper(asked.value) AS name FROM json_each(webhook_subscriptions.parameters, '$.EventTypes') asked
        WHERE EXISTS (
            SELECT 1 FROM tool_proxies t, json_each(t.capabilities) held
            WHERE t.id = webhook_subscriptions.tool_proxy_id AND held.value NOT GLOB 'vnd.*.*.webhooks.*' AND (
                held.value GLOB 'vnd.?*.webhooks.root_account.all'
                OR held.value GLOB 'vnd.?*.webhooks.root_account.' || lower(asked.value)
                OR (held.value GLOB 'vnd.?*.webhooks.assignment.' || lower(asked.value)
                    AND upper(asked.value) <> 'GRADE_CHANGE'))
        )
    )
)
WHERE status <> 'deleted';
UPDATE webhook_deliveries
SET status = 'dead', ended_at = strftime('%Y-%m-%dT%H:%M:%SZ'), lease = NULL
WHERE status = 'pending' AND event_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM webhook_subscriptions s JOIN live_events e ON e.id = webhook_deliveries.event_id
    WHERE s.id = webhook_deliveries.subscription_id
      AND EXISTS (SELECT 1 FROM json_each(s.event_types) WHERE value = e.event_type)
);

-- Nothing is sent to a channel that was taken away, nor to a device that was signed off. What was to be sent stays, so that
-- nobody looks for it: it is dead, unless it was on its way and arrives. Codes in it are good for nothing any more.
DROP TRIGGER messages_of_retired_channels;
CREATE TRIGGER messages_of_retired_channels AFTER UPDATE OF workflow_state ON communication_channels
WHEN new.workflow_state = 'retired' BEGIN
    DELETE FROM messages WHERE channel_id = new.id AND state = 'gathered';
    UPDATE messages SET state = 'dead', failure = 'the channel was taken away', body = iif(confidential, '', body)
    WHERE channel_id = new.id AND state = 'queued';
END;
DROP TRIGGER messages_of_gone_devices;
CREATE TRIGGER messages_of_gone_devices BEFORE DELETE ON push_endpoints BEGIN
    UPDATE messages SET state = 'dead', failure = 'the device was signed off', body = iif(confidential, '', body)
    WHERE push_endpoint_id = old.id AND state = 'queued';
END;
