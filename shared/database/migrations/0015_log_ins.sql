-- Who comes in: where wrong passwords come from, what tokens end with, and a log of both.

-- Where a try came from (empty: not known), and whether that login had come in from there before.
ALTER TABLE login_failures ADD COLUMN network TEXT NOT NULL DEFAULT '';
ALTER TABLE login_failures ADD COLUMN is_known INTEGER NOT NULL DEFAULT 0 CHECK (is_known IN (0, 1));
CREATE INDEX login_failures_by_network ON login_failures (network, failed_at);
CREATE INDEX login_failures_by_tenant ON login_failures (root_account_id, failed_at);

-- The networks from which a login came in with its password. Who tries wrong ones from elsewhere does not keep these out.
CREATE TABLE login_networks (
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    unique_id TEXT NOT NULL COLLATE NOCASE,
    network TEXT NOT NULL,
    last_used_at TEXT NOT NULL,
    PRIMARY KEY (root_account_id, unique_id, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_networks_by_time ON login_networks (last_used_at);

-- Who checks passwords at the moment: a slot is leased until then, in milliseconds since 1970 began.
CREATE TABLE password_check_slots (
    slot INTEGER PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT;

-- Forms that were sent: each is taken once.
CREATE TABLE spent_forms (
    token_hash TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_forms_by_time ON spent_forms (expires_at);

-- 0: signed with the service's secret itself, as tokens were at first; 1: with a key that is derived from it.
ALTER TABLE access_tokens ADD COLUMN key_version INTEGER NOT NULL DEFAULT 0;
-- Who made the token, where that is not its user.
ALTER TABLE access_tokens ADD COLUMN real_user_id INTEGER REFERENCES users (id);
-- The client by whose token it was made, and what renews that one: it ends with them.
ALTER TABLE access_tokens ADD COLUMN made_through_key_id INTEGER REFERENCES developer_keys (id);
ALTER TABLE access_tokens ADD COLUMN made_through_refresh_token_id INTEGER REFERENCES refresh_tokens (id);
CREATE INDEX access_tokens_made_through ON access_tokens (made_through_refresh_token_id) WHERE made_through_refresh_token_id IS NOT NULL;

-- A refresh token that nobody uses ends.
ALTER TABLE refresh_tokens ADD COLUMN last_used_at TEXT;
UPDATE refresh_tokens SET last_used_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now');
CREATE INDEX refresh_tokens_by_use ON refresh_tokens (last_used_at) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_by_user ON refresh_tokens (user_id);

CREATE TRIGGER refresh_tokens_revoked AFTER UPDATE OF revoked_at ON refresh_tokens WHEN new.revoked_at IS NOT NULL BEGIN
    UPDATE access_tokens SET revoked_at = new.revoked_at
    WHERE made_through_refresh_token_id = new.id AND revoked_at IS NULL;
END;

-- The log of log-ins, of acting as somebody else, and of changes of passwords, tokens and keys. Records that it names may be gone.
CREATE TABLE authentication_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Whom it concerns; null where a login is nobody's.
    user_id INTEGER,
    -- Who did it, where that is somebody else.
    real_user_id INTEGER,
    pseudonym_id INTEGER,
    developer_key_id INTEGER,
    access_token_id INTEGER,
    -- Where it came from; empty: not known.
    network TEXT NOT NULL DEFAULT '',
    -- With microseconds.
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX authentication_events_by_account ON authentication_events (root_account_id, created_at, id);
CREATE INDEX authentication_events_by_user ON authentication_events (user_id, created_at, id);
CREATE INDEX authentication_events_by_login ON authentication_events (pseudonym_id, created_at, id);
CREATE INDEX authentication_events_by_token ON authentication_events (access_token_id, user_id, created_at) WHERE access_token_id IS NOT NULL;
CREATE INDEX authentication_events_by_time ON authentication_events (created_at);
