-- A tool's own view of its deliveries: with each delivery stand its tool and the type of its event, so that a page of the
-- list is found at once.

ALTER TABLE webhook_deliveries ADD COLUMN tool_proxy_id INTEGER REFERENCES tool_proxies (id);
-- As subscriptions name it; TEST is a test, which has no event.
ALTER TABLE webhook_deliveries ADD COLUMN event_type TEXT NOT NULL DEFAULT 'TEST';
UPDATE webhook_deliveries
SET tool_proxy_id = (SELECT s.tool_proxy_id FROM webhook_subscriptions s WHERE s.id = webhook_deliveries.subscription_id),
    event_type = ifnull((SELECT e.event_type FROM live_events e WHERE e.id = webhook_deliveries.event_id), 'TEST')
WHERE tool_proxy_id IS NULL;
CREATE INDEX webhook_deliveries_by_tool ON webhook_deliveries (tool_proxy_id, id);
CREATE INDEX webhook_deliveries_by_tool_and_type ON webhook_deliveries (tool_proxy_id, event_type, id);
CREATE INDEX webhook_deliveries_dead_of_tool ON webhook_deliveries (tool_proxy_id, id) WHERE status = 'dead';

-- Each subscription that an event concerns gets a delivery of it, which is kept where the subscription is disabled.
DROP TRIGGER live_events_are_delivered;
CREATE TRIGGER live_events_are_delivered AFTER INSERT ON live_events BEGIN
    INSERT INTO webhook_deliveries
        (root_account_id, subscription_id, tool_proxy_id, event_id, event_type, status, kept_for_tool_id, next_at, created_at,
         ended_at)
    SELECT new.root_account_id, w.id, w.tool_proxy_id, new.id, new.event_type, iif(w.status = 'active', 'pending', 'dead'),
           iif(w.status = 'active', NULL, w.tool_proxy_id), strftime('%Y-%m-%dT%H:%M:%SZ'),
           strftime('%Y-%m-%dT%H:%M:%SZ'), iif(w.status = 'active', NULL, strftime('%Y-%m-%dT%H:%M:%SZ'))
    FROM (
        SELECT 'assignment' AS type, new.assignment_id AS id
        UNION ALL
        SELECT 'course', new.course_id
        UNION ALL
        SELECT 'account', id FROM (
            WITH RECURSIVE above (id) AS (
                SELECT new.account_id
                UNION ALL
                SELECT a.parent_account_id FROM accounts a JOIN above ON a.id = above.id
                WHERE a.parent_account_id IS NOT NULL
            )
            SELECT id FROM above)
    ) place
    CROSS JOIN webhook_subscriptions w ON w.context_type = place.type AND w.context_id = place.id
    WHERE w.status <> 'deleted' AND w.root_account_id = new.root_account_id
      AND EXISTS (SELECT 1 FROM json_each(w.event_types) WHERE value = new.event_type);
END;

-- Tests that a release before this one makes do not name their tool.
CREATE TRIGGER webhook_deliveries_belong AFTER INSERT ON webhook_deliveries WHEN new.tool_proxy_id IS NULL BEGIN
    UPDATE webhook_deliveries
    SET tool_proxy_id = (SELECT s.tool_proxy_id FROM webhook_subscriptions s WHERE s.id = new.subscription_id)
    WHERE id = new.id;
END;
