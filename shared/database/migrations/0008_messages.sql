-- Where users want to be told things, how often, and the messages that tell them.

-- A channel that is taken away stays as retired, so that the same address gets its id back.
CREATE TABLE communication_channels (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    type TEXT NOT NULL CHECK (type IN ('email', 'sms', 'push')),
    address TEXT NOT NULL COLLATE NOCASE,
    position INTEGER NOT NULL,
    workflow_state TEXT NOT NULL CHECK (workflow_state IN ('unconfirmed', 'active', 'retired')),
    -- Whether it is told by default: so is who was the user's first when that was asked. Null: nobody has asked yet.
    told_by_default INTEGER CHECK (told_by_default IN (0, 1)),
    bounce_count INTEGER NOT NULL DEFAULT 0,
    last_bounce_at TEXT,
    last_bounce_summary TEXT,
    last_transient_bounce_at TEXT,
    last_transient_bounce_summary TEXT,
    last_suppression_bounce_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (user_id, type, address)
) STRICT;
CREATE INDEX communication_channels_by_user ON communication_channels (user_id, position, id);
CREATE INDEX communication_channels_by_address ON communication_channels (address, type)
WHERE workflow_state <> 'retired';

-- Where mail to a user goes: to the first active address, or else to the one that was noted when there were no channels.
CREATE VIEW user_emails (user_id, email) AS
SELECT u.id, ifnull(
    (SELECT c.address FROM communication_channels c
     WHERE c.user_id = u.id AND c.type = 'email' AND c.workflow_state = 'active'
     ORDER BY c.position, c.id LIMIT 1),
    u.email
) FROM users u;

-- The code that a channel's owner must know; the last one sent is the only one that is good.
CREATE TABLE confirmation_codes (
    channel_id INTEGER PRIMARY KEY REFERENCES communication_channels (id),
    code_hash TEXT NOT NULL UNIQUE,
    tries INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;

-- The devices behind a push channel, each registered by one client of its user.
CREATE TABLE push_endpoints (
    id INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    access_token_id INTEGER NOT NULL REFERENCES access_tokens (id),
    token TEXT NOT NULL COLLATE NOCASE,
    -- What the push service calls the device; null until something is sent to it.
    endpoint_arn TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (access_token_id, token)
) STRICT;
CREATE INDEX push_endpoints_by_channel ON push_endpoints (channel_id, id);

-- Who takes a client's token back wants nothing to come to its device any more.
CREATE TRIGGER push_endpoints_of_revoked_tokens AFTER UPDATE OF revoked_at ON access_tokens
WHEN new.revoked_at IS NOT NULL BEGIN
    DELETE FROM push_endpoints WHERE access_token_id = new.id;
END;

-- How often a channel is told of a kind of event, where its user has said so, by the notification's name in the API:
-- `new_announcement`.
CREATE TABLE notification_policies (
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    notification TEXT NOT NULL,
    frequency TEXT NOT NULL CHECK (frequency IN ('immediately', 'daily', 'weekly', 'never')),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (channel_id, notification)
) STRICT, WITHOUT ROWID;

-- What is to be told on a channel: a message of its own, or a part of the channel's next digest.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    channel_id INTEGER NOT NULL REFERENCES communication_channels (id),
    -- The device, where the channel is a push channel. It may be gone before the message is.
    push_endpoint_id INTEGER REFERENCES push_endpoints (id) ON DELETE SET NULL,
    type TEXT NOT NULL CHECK (type IN ('email', 'sms', 'push')),
    recipient TEXT NOT NULL,
    notification TEXT NOT NULL,
    -- What it is about: an untried message is replaced by a newer one of the same notification about the same.
    asset TEXT,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    -- Whether the body holds a secret, which is not kept once it is sent.
    confidential INTEGER NOT NULL DEFAULT 0 CHECK (confidential IN (0, 1)),
    -- The digest that it is a part of; null: it is a message of its own.
    digest TEXT CHECK (digest IN ('daily', 'weekly')),
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('gathered', 'queued', 'sent', 'dead')),
    -- When to send it, or the digest; null: its user's time zone has not been looked at yet.
    due_at TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Who is sending it. Who is not back when it is due again has lost it.
    lease TEXT,
    -- Why the last attempt failed.
    failure TEXT,
    -- What the transport calls it.
    reference TEXT,
    created_at TEXT NOT NULL,
    sent_at TEXT
) STRICT;
CREATE INDEX messages_due ON messages (type, due_at, id) WHERE state = 'queued';
CREATE INDEX messages_leased ON messages (lease) WHERE lease IS NOT NULL;
CREATE INDEX messages_gathered ON messages (due_at, channel_id, digest) WHERE state = 'gathered';
CREATE INDEX messages_by_channel ON messages (channel_id, digest) WHERE state IN ('gathered', 'queued');
CREATE INDEX messages_shown ON messages (root_account_id, id) WHERE state <> 'gathered';
CREATE INDEX messages_by_endpoint ON messages (push_endpoint_id) WHERE push_endpoint_id IS NOT NULL;
CREATE INDEX messages_by_end ON messages (created_at) WHERE state IN ('sent', 'dead');
CREATE UNIQUE INDEX messages_once ON messages (channel_id, ifnull(push_endpoint_id, 0), notification, asset, ifnull(digest, ''))
WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued');

-- Nothing is sent to a channel that was taken away.
CREATE TRIGGER messages_of_retired_channels AFTER UPDATE OF workflow_state ON communication_channels
WHEN new.workflow_state = 'retired' BEGIN
    DELETE FROM messages WHERE channel_id = new.id AND state IN ('gathered', 'queued');
END;

-- Nor to a device that was signed off.
CREATE TRIGGER messages_of_gone_devices BEFORE DELETE ON push_endpoints BEGIN
    DELETE FROM messages WHERE push_endpoint_id = old.id AND state IN ('gathered', 'queued');
END;
