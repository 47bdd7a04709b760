-- A tool is told of what happens at or below its account, and no more of a course that has left it.
DROP TRIGGER live_events_are_delivered;
CREATE TRIGGER live_events_are_delivered AFTER INSERT ON live_events BEGIN
    INSERT INTO webhook_deliveries
        (root_account_id, subscription_id, tool_proxy_id, event_id, event_type, status, kept_for_tool_id, next_at, created_at,
         ended_at)
    SELECT new.root_account_id, w.id, w.tool_proxy_id, new.id, new.event_type, iif(w.status = 'active', 'pending', 'dead'),
           iif(w.status = 'active', NULL, w.tool_proxy_id), ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')),
           ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')),
           iif(w.status = 'active', NULL, ifnull(new.recorded_at, strftime('%Y-%m-%dT%H:%M:%SZ')))
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
      AND EXISTS (
          SELECT 1 FROM tool_proxies t
          WHERE t.id = w.tool_proxy_id AND t.account_id IN (
              WITH RECURSIVE above (id) AS (
                  SELECT new.account_id
                  UNION ALL
                  SELECT a.parent_account_id FROM accounts a JOIN above ON a.id = above.id
                  WHERE a.parent_account_id IS NOT NULL
              )
              SELECT id FROM above))
      AND EXISTS (SELECT 1 FROM json_each(w.event_types) WHERE value = new.event_type);
END;
