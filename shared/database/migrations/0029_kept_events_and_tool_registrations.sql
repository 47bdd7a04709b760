-- Events that happen while a subscription is disabled, and tools that register themselves.

-- The tool for whose subscription the delivery is kept because the subscription was disabled when the event happened: null
-- where it is not kept so, or was sent again. A kept delivery is dead until somebody asks for it.
ALTER TABLE webhook_deliveries ADD COLUMN kept_for_tool_id INTEGER REFERENCES tool_proxies (id);
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (subscription_id, id) WHERE kept_for_tool_id IS NOT NULL;
CREATE INDEX webhook_deliveries_kept_for_tool ON webhook_deliveries (kept_for_tool_id, id) WHERE kept_for_tool_id IS NOT NULL;
CREATE INDEX webhook_deliveries_kept_of_account ON webhook_deliveries (root_account_id, id) WHERE kept_for_tool_id IS NOT NULL;

-- How many deliveries are kept: triggers count, so that none of them has to be looked at.
ALTER TABLE webhook_subscriptions ADD COLUMN kept_deliveries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tool_proxies ADD COLUMN kept_deliveries INTEGER NOT NULL DEFAULT 0;

-- Disabled subscriptions are told of events, too: so they are found by the index.
DROP INDEX webhook_subscriptions_by_context;
CREATE INDEX webhook_subscriptions_by_context ON webhook_subscriptions (context_type, context_id) WHERE status <> 'deleted';

-- Each subscription that an event concerns gets a delivery of it, which is kept where the subscription is disabled.
DROP TRIGGER live_events_are_delivered;
CREATE TRIGGER live_events_are_delivered AFTER INSERT ON live_events BEGIN
    INSERT INTO webhook_deliveries
        (root_account_id, subscription_id, event_id, status, kept_for_tool_id, next_at, created_at, ended_at)
    SELECT new.root_account_id, w.id, new.id, iif(w.status = 'active', 'pending', 'dead'),
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

-- A subscription keeps 1,000 deliveries and a tool 10,000: one more takes the place of the oldest.
CREATE TRIGGER webhook_deliveries_are_kept AFTER INSERT ON webhook_deliveries WHEN new.kept_for_tool_id IS NOT NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries + 1 WHERE id = new.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries + 1 WHERE id = new.kept_for_tool_id;
    DELETE FROM webhook_deliveries
    WHERE (SELECT kept_deliveries FROM webhook_subscriptions WHERE id = new.subscription_id) > 1000
      AND id = (SELECT id FROM webhook_deliveries
                WHERE subscription_id = new.subscription_id AND kept_for_tool_id IS NOT NULL ORDER BY id LIMIT 1);
    DELETE FROM webhook_deliveries
    WHERE (SELECT kept_deliveries FROM tool_proxies WHERE id = new.kept_for_tool_id) > 10000
      AND id = (SELECT id FROM webhook_deliveries
                WHERE kept_for_tool_id = new.kept_for_tool_id ORDER BY id LIMIT 1);
END;
CREATE TRIGGER webhook_deliveries_are_sent_again AFTER UPDATE OF kept_for_tool_id ON webhook_deliveries
WHEN old.kept_for_tool_id IS NOT NULL AND new.kept_for_tool_id IS NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries - 1 WHERE id = old.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries - 1 WHERE id = old.kept_for_tool_id;
END;
-- With the last delivery of it an event is forgotten.
CREATE TRIGGER webhook_deliveries_are_kept_no_longer AFTER DELETE ON webhook_deliveries
WHEN old.kept_for_tool_id IS NOT NULL BEGIN
    UPDATE webhook_subscriptions SET kept_deliveries = kept_deliveries - 1 WHERE id = old.subscription_id;
    UPDATE tool_proxies SET kept_deliveries = kept_deliveries - 1 WHERE id = old.kept_for_tool_id;
    DELETE FROM live_events
    WHERE id = old.event_id AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = old.event_id);
END;
-- Nothing is kept for a subscription that has ended.
CREATE TRIGGER webhook_subscriptions_end AFTER UPDATE OF status ON webhook_subscriptions
WHEN new.status = 'deleted' AND old.status <> 'deleted' BEGIN
    DELETE FROM webhook_deliveries WHERE subscription_id = new.id AND kept_for_tool_id IS NOT NULL;
END;

-- A tool that an administrator has invited to register itself, and what it has asked for.
CREATE TABLE tool_registrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- The way in which the tool registers: dynamic registration, or a tool proxy.
    version TEXT NOT NULL CHECK (version IN ('lti_1_3', 'lti_2')),
    -- Where the administrator sends the tool the invitation.
    initiation_url TEXT NOT NULL,
    -- Invited, then pending until an administrator has decided.
    status TEXT NOT NULL DEFAULT 'invited' CHECK (status IN ('invited', 'pending', 'approved', 'refused')),
    -- By this an LTI 2 tool knows its invitation: the registration key, and the name of its profile.
    uuid TEXT NOT NULL UNIQUE,
    -- The registration token of an LTI 1.3 tool, as a hash.
    token_hash TEXT UNIQUE,
    -- The registration password of an LTI 2 tool, which signs with it.
    sealed_password TEXT,
    invited_until TEXT NOT NULL,
    -- The token with which an LTI 1.3 tool reads its registration, as a hash.
    access_token_hash TEXT UNIQUE,
    -- The tool, from when it has registered.
    tool_proxy_id INTEGER UNIQUE REFERENCES tool_proxies (id),
    -- The capabilities that it asks for: a JSON list.
    capabilities TEXT NOT NULL DEFAULT '[]',
    -- What it has said of itself: JSON.
    configuration TEXT NOT NULL DEFAULT '{}',
    invited_by INTEGER NOT NULL REFERENCES users (id),
    decided_by INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    registered_at TEXT,
    decided_at TEXT
) STRICT;
CREATE INDEX tool_registrations_by_account ON tool_registrations (account_id, id);
CREATE INDEX tool_registrations_by_status ON tool_registrations (account_id, status, id);
CREATE INDEX tool_registrations_open ON tool_registrations (root_account_id) WHERE status IN ('invited', 'pending');
CREATE INDEX tool_registrations_lapsed ON tool_registrations (invited_until) WHERE status = 'invited';
CREATE INDEX tool_registrations_by_seal ON tool_registrations (sealed_password) WHERE sealed_password IS NOT NULL;
-- What a tool that registers with LTI 2 may call: a JSON list of methods; null for all others, which may call everything.
ALTER TABLE tool_proxies ADD COLUMN subscription_methods TEXT;
