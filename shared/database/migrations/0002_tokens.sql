-- Clients of the OAuth2 endpoint and what it gives out. Secrets are kept as SHA-256 only: they are long and random.

CREATE TABLE developer_keys (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    -- Whom the client acts for with its own credentials; null: it may act for users who allow it, only.
    user_id INTEGER REFERENCES users (id),
    redirect_uris TEXT NOT NULL DEFAULT '[]',
    -- Null: its tokens may call everything.
    scopes TEXT,
    push_topic_arn TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'deleted')),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX developer_keys_by_account ON developer_keys (account_id, id);

CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    developer_key_id INTEGER REFERENCES developer_keys (id),
    refresh_token_id INTEGER REFERENCES refresh_tokens (id),
    purpose TEXT,
    -- Null: it may call everything.
    scopes TEXT,
    hint TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    last_used_at TEXT,
    revoked_at TEXT
) STRICT;
CREATE INDEX access_tokens_by_user ON access_tokens (user_id, id);
CREATE INDEX access_tokens_by_refresh_token ON access_tokens (refresh_token_id) WHERE refresh_token_id IS NOT NULL;
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE refresh_tokens (
    id INTEGER PRIMARY KEY,
    developer_key_id INTEGER NOT NULL REFERENCES developer_keys (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE,
    scopes TEXT,
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT;

CREATE TABLE authorization_codes (
    id INTEGER PRIMARY KEY,
    developer_key_id INTEGER NOT NULL REFERENCES developer_keys (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    code_hash TEXT NOT NULL UNIQUE,
    redirect_uri TEXT NOT NULL,
    -- What PKCE's verifier must hash to; null: the client did not ask for that.
    code_challenge TEXT,
    scopes TEXT,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    -- What its first use gave, and a second one takes back.
    refresh_token_id INTEGER REFERENCES refresh_tokens (id)
) STRICT;

-- Wrong passwords of the last minutes, and passwords that are being checked at the moment.
CREATE TABLE login_failures (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    unique_id TEXT NOT NULL COLLATE NOCASE,
    failed_at TEXT NOT NULL
) STRICT;
CREATE INDEX login_failures_by_login ON login_failures (root_account_id, unique_id, failed_at);
CREATE INDEX login_failures_by_time ON login_failures (failed_at);
